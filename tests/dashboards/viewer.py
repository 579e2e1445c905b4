# SPDX-License-Identifier: Apache-2.0
"""Opens dashboards as Grafana would: fills their variables, and asks what their panels ask."""
import boards


class Viewer:
    """Of a time from start to end, in seconds since the epoch, on a support/prometheus.py.

    `chosen`: values of variables of which one value is taken, where it shall not be the first.
    """

    def __init__(self, prometheus, start, end, step, rate_interval, chosen=None):
        self.prometheus = prometheus
        self.start, self.end, self.step = start, end, step
        self.rate_interval, self.chosen = rate_interval, chosen or {}
        self.offered = {}  # of the dashboard that was opened last: {variable: its values}

    def open(self, dashboard):
        """The values that its queries are to be filled with."""
        seconds = int(self.end - self.start)
        values = {"__rate_interval": f"{self.rate_interval}s", "__range": f"{seconds}s",
                  "__range_s": str(seconds)}
        self.offered = {}
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "custom":
                first = variable["query"].split(", ")[0]
                values[variable["name"]] = self.chosen.get(variable["name"], first)
        for variable in boards.variables_of(dashboard):
            values[variable.name] = self.fill(variable, values)
        return values

    def fill(self, variable, values):
        found = self.prometheus.label_values(
            boards.interpolate(variable.series, values), boards.interpolate(variable.label, values),
            start=self.start, end=self.end)
        self.offered[variable.name] = found
        if variable.has_all:
            return variable.all_value
        return boards.escape(self.chosen.get(variable.name, found[0] if found else ""))

    def ask(self, query, values):
        """The series that a query returns; of a panel that is repeated, in its first copy with any.

        Not every copy has data: an exporter that counts the machine as a whole has no CPUs.
        """
        for value in self.offered.get(query.repeat) or [None]:
            chosen = values if value is None else {**values, query.repeat: boards.escape(value)}
            text = boards.interpolate(query.text, chosen)
            if query.is_instant:
                series = self.prometheus.query(text, time=self.end)
            else:
                series = self.prometheus.query_range(text, self.start, self.end, self.step)
            if series:
                break
        return series


class Findings:
    """What became of every query: each returned data, or is excused."""

    def __init__(self, reasons):
        self.reasons = reasons  # of (what is true of a query's text, why it may return nothing)
        self.answered, self.empty = [], {}  # where; {reason: [where]}
        self.unexplained, self.needless = [], []  # empty without an excuse; the other way round

    def reason(self, query):
        return next((reason for applies, reason in self.reasons if applies(query.text)), None)

    def note(self, query, series):
        reason = self.reason(query)
        if series:
            self.answered.append(query.where)
            self.needless += [query.where] if reason else []
        elif reason:
            self.empty.setdefault(reason, []).append(query.where)
        else:
            self.unexplained.append(f"{query.where}: {query.text}")

    def view(self, viewer, dashboards):
        for name, dashboard in dashboards.items():
            values = viewer.open(dashboard)
            for query in boards.queries_of(name, dashboard):
                self.note(query, viewer.ask(query, values))

    def tell(self):
        print(f"{len(self.answered)} queries return data")
        for reason, where in self.empty.items():
            print(f"{len(where)} return none: {reason}")
