# SPDX-License-Identifier: Apache-2.0
"""What has a begin and an end, and after its beginning rises over some minutes: at once if 0."""
import math


def height(one, top, t):
    if not one.begin <= t < one.end:
        return 0.0
    return top * min(1.0, (t - one.begin + 1) / max(1, one.over))


def reaches(one, top, least):
    """The first minute with that height; None if it never has it."""
    if top < least:
        return None
    return one.begin + max(0, math.ceil(one.over * least / top) - 1)


def text(one):
    return f"over {one.over / 60:.0f} h" if one.over else "at once"
