/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which build this is. The strings are static. */

/* "0.1.0" */
const char *version_string(void);

/* The revision in git, with "-dirty" if files had changed; "unknown" if built outside of git. */
const char *version_revision(void);

/* Prints what --version shows, in the way of Prometheus' programs, to stdout. */
void version_print(const char *program);
