/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of accounts share among themselves. */

/*
 * Rates and ratios are rounded to about nine significant digits: more than the clocks behind
 * them can tell, and few enough that text_append_double() writes them without printf.
 */
double account_rounded(double value);
