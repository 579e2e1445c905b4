/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Tells whether a request that changes something comes from a web page that may not ask for it. A
 * browser says where a page comes from (Origin, Sec-Fetch-Site), and no page can prevent that.
 * Other programs say nothing, and may ask.
 *
 * It is not enough that a page names our address as its own origin. Who controls a domain can have
 * its name mean our address once the page is loaded (DNS rebinding), and then Origin and Host
 * agree. So a browser is believed only for names that nobody else controls: an IP address,
 * localhost, and the name that this machine has itself.
 */

#include <stdbool.h>

#include "web/request_target.h"

/*
 * origin and fetch_site are the values of Origin and Sec-Fetch-Site, or NULL. host is the name that
 * the request has for us, as HOST or HOST:PORT.
 */
bool origin_may_act(const struct piece *origin, const struct piece *fetch_site, struct piece host);
