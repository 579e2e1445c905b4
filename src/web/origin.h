/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Whether a request that changes something comes from a web page that may not ask for it.
 * Browsers say where a page comes from (Origin, Sec-Fetch-Site), and let no page take it
 * back; other programs say nothing, and are not looked at here.
 *
 * That a page names our address as its own origin is not enough: who controls a domain
 * can have its name mean our address once the page is loaded (DNS rebinding), so that
 * Origin and Host agree. Whose meaning nobody else controls, and what a browser is
 * therefore believed, is an IP address, localhost, and the name that this machine has itself.
 */

#include <stdbool.h>

#include "web/request_target.h"

/*
 * origin, fetch_site: the values of Origin and Sec-Fetch-Site, or NULL; host: whom the
 * request names as us, HOST or HOST:PORT.
 */
bool origin_may_act(const struct piece *origin, const struct piece *fetch_site, struct piece host);
