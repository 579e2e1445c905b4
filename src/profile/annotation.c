/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/annotation.h"

#include <stdlib.h>

struct annotation *annotation_free(struct annotation *annotation)
{
    free(annotation);
    return NULL;
}

/* Goes through both at once, since both are sorted. The last row ends at the end of the function,
 * which the caller has looked at: an address behind it belongs to another one. */
struct annotation *annotation_new(const struct code_listing *listing,
                                  const struct annotation_address *addresses, size_t n)
{
    struct annotation *annotation =
        calloc(1, sizeof(*annotation) + listing->n * sizeof(annotation->samples[0]));
    size_t row = 0;

    if (!annotation)
        return NULL;
    annotation->listing = listing;
    for (size_t i = 0; i < n; i++) {
        while (row + 1 < listing->n && listing->rows[row + 1].address <= addresses[i].address)
            row++;
        if (row >= listing->n || addresses[i].address < listing->rows[row].address)
            continue;
        annotation->samples[row] += addresses[i].samples;
        annotation->placed += addresses[i].samples;
    }
    return annotation;
}
