/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The standard deviation of a share of independent samples, that of a part of a whole: by the
 * binomial distribution sqrt(p (1 - p) / n), with the share that was found as p. 0 where there are
 * no samples.
 */
double profile_share_sigma(double part, double whole);
