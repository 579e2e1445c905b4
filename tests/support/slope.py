# SPDX-License-Identifier: Apache-2.0
"""The line through points by least squares, and how sure its slope is."""
import math
import statistics


def parts(points, n):
    """The means of n successive parts of the points. Where neighbours are alike, as what others do to
    a machine lasts for a while, the slope through all points seems surer than it is."""
    cuts = [i * len(points) // n for i in range(n + 1)]
    return [tuple(map(statistics.mean, zip(*points[begin:end]))) for begin, end in zip(cuts, cuts[1:])]


def slope(points):
    """(slope, its standard error), in units of y for each of x. points: [(x, y)], three at least."""
    n = len(points)
    mean_x, mean_y = (sum(column) / n for column in zip(*points))
    square_x = sum((x - mean_x) ** 2 for x, _ in points)
    steepness = sum((x - mean_x) * (y - mean_y) for x, y in points) / square_x
    rest = sum((y - mean_y - steepness * (x - mean_x)) ** 2 for x, y in points)
    return steepness, math.sqrt(rest / (n - 2) / square_x)
