/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which build this is. The strings are static. */

/* "0.1.0" */
const char *version_string(void);

/* Of git, "-dirty" at its end where files had changed; "unknown" where built outside of git. */
const char *version_revision(void);

/* Prints what --version shows, in the way of Prometheus' programs, to stdout. */
void version_print(const char *program);
