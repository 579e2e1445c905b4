# SPDX-License-Identifier: Apache-2.0
"""What the dashboards' queries take a Prometheus that has a fleet, with all hosts chosen."""
import collections
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "dashboards"))

import boards  # noqa: E402
from viewer import Viewer  # noqa: E402

SHOWN = 12


def show(prometheus, names, seconds, step):
    """Those of these names, or "all": of the last seconds, a point for each step, with the rate interval
    that Grafana has."""
    end = time.time()
    viewer = Viewer(prometheus, end - seconds, end, step, 4 * step)
    took, totals = {}, collections.Counter()
    for name, dashboard in boards.load().items():
        if not {name, "all"} & set(names):
            continue
        values = viewer.open(dashboard)
        for query in boards.queries_of(name, dashboard):
            began = time.monotonic()
            viewer.ask(query, values)
            took[query.where] = time.monotonic() - began
            totals[name] += took[query.where]
    print(f"  dashboards, of {seconds / 60:.0f} minutes, once each: " +
          ", ".join(f"{name} {total:.2f} s" for name, total in totals.most_common()))
    for where in sorted(took, key=took.get, reverse=True)[:SHOWN]:
        print(f"    {where[:90]:90} {1e3 * took[where]:8.0f} ms")
    sys.stdout.flush()
