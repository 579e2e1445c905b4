/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/share.h"

#include <math.h>

double profile_share_sigma(double part, double whole)
{
    const double share = whole > 0 ? part / whole : 0;

    return whole > 0 && share <= 1 ? sqrt(share * (1 - share) / whole) : 0;
}
