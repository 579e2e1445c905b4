/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Versions, cipher suites and groups, from the names of Go to what GnuTLS is told. */

#include <gnutls/gnutls.h>
#include <stdbool.h>

#include "base/text.h"
#include "web/protection.h"

/*
 * Appends a priority string of GnuTLS (gnutls_priority_init(3)). Suites with other names than those
 * of tls_suite_names, and such groups, are left out.
 */
void tls_priorities_append(struct text *text, const struct tls_spec *spec);

/* Bits of the suites with these names, in the order of tls_suite_names. 0: none is named. */
uint32_t tls_suites_mask(const struct protection_names *names);

/*
 * Whether the suite of a session whose handshake is complete is one of those. A priority string
 * names ciphers and ways to exchange keys, but not which of them go together; and up to TLS 1.2 the
 * ciphers of TLS 1.3 are none that were asked for. With TLS 1.3, and with no suites named, all are.
 */
bool tls_suites_allow(uint32_t mask, gnutls_session_t session);
