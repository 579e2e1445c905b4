/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * libcurl, which is loaded when the first client is made. It brings some twenty libraries with it,
 * as many instructions at each start as all else that pmutool does at one, and most of pmutool's
 * commands ask no exporter. Either flavour of the library serves, by GnuTLS or by OpenSSL.
 */

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* The functions have their names without "curl_". */
#define LIBCURL_FUNCTIONS(each)                                                                    \
    each(global_init) each(slist_append) each(slist_free_all) each(easy_init) each(easy_setopt)    \
        each(easy_getinfo) each(easy_cleanup) each(multi_init) each(multi_setopt)                  \
            each(multi_add_handle) each(multi_remove_handle) each(multi_socket_action)             \
                each(multi_info_read) each(multi_cleanup)

#define LIBCURL_DECLARE(name) __typeof__(curl_##name) *name;

struct libcurl {
    LIBCURL_FUNCTIONS(LIBCURL_DECLARE)
};

/* Loads it, once for the process; any thread may call this. NULL: there is none. */
const struct libcurl *libcurl_load(void);
