/* SPDX-License-Identifier: Apache-2.0 */
#include "client/libcurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"

static const char *const names[] = {"libcurl-gnutls.so.4", "libcurl.so.4"};

#define LIBCURL_ENTRY(name) {"curl_" #name, offsetof(struct libcurl, name)},

static const struct {
    const char *name;
    size_t offset;
} functions[] = {LIBCURL_FUNCTIONS(LIBCURL_ENTRY)};

static struct libcurl libcurl;
static bool is_loaded;

static void *open_library(void)
{
    void *library = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(names) && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* It stays for the life of the process, as what other libraries keep of it does. */
static void load(void)
{
    void *const library = open_library();

    if (!library)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
        void *const function = dlsym(library, functions[i].name);

        if (!function)
            return;
        memcpy((char *)&libcurl + functions[i].offset, &function, sizeof(function));
    }
    is_loaded = libcurl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const struct libcurl *libcurl_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, load);
    return is_loaded ? &libcurl : NULL;
}
