# SPDX-License-Identifier: Apache-2.0
"""Every field of the mixin's configuration: another value, and what that changes in what is rendered.

It says so apart from the mixin: texts of expressions stand here as dashboards/rules/ have them. No
value is here twice, so that one that lands in the place of another is seen.
"""
import json

AGE = "pmu_cgroup_start_time_seconds < time() - "
WAITS = "job_cgroup:pmu_cgroup_run_queue_latency_seconds:p99_rate5m"
REQUESTS = "job_cgroup_op:pmu_cgroup_block_io_latency_seconds:p99_rate5m"
MORE = {"PMUCacheMissRegression": ("1.5", "minIncrease", "_baseline\n  > 1\n"),
        "PMUBranchMissRegression": ("1.5", "minIncrease", "_baseline\n  > 1\n"),
        "PMUContextSwitchStorm": ("3", "minSwitchesPerSecond", "[10m])\n  > 1000\n"),
        "PMURunQueueLatencyRegression": ("3", "minSeconds", ":rate15m > 0.004\n"),
        "PMUBlockIOLatencyRegression": ("3", "minSeconds", ":rate15m > 0.002\n")}


def all_rules(rendered):
    return [rule for part in ("alerts", "rules") for group in rendered[part]["groups"]
            for rule in group["rules"]]


def named(rendered, name):
    found, = [rule for rule in all_rules(rendered) if name in (rule.get("alert"), rule.get("record"))]
    return found


def replaced(rules, there, by, times):
    """Puts another text into expressions, in which the old one stands so often."""
    count = sum((rule["expr"] + "\n").count(there) for rule in rules)
    if count != times:
        raise AssertionError(f"{there!r} is there {count} times")
    for rule in rules:
        rule["expr"] = (rule["expr"] + "\n").replace(there, by)[:-1]


def in_rule(name, there, by, times=1):
    return lambda rendered: replaced([named(rendered, name)], there, by, times)


def in_recorded(there, by, times):
    return lambda rendered: replaced(
        [rule for group in rendered["rules"]["groups"] for rule in group["rules"]], there, by, times)


def services():
    return {
        "minAgeSeconds": (901, in_recorded(f"{AGE}600\n", f"{AGE}901\n", 10)),
        "minMegacyclesPerSecond": (31.5, in_recorded(">= 100e6\n", ">= 31.5e6\n", 3)),
        "minCPUs": (0.07, in_recorded(">= 0.05\n", ">= 0.07\n", 1)),
        "minCoverage": (0.81, in_recorded(">= 0.5\n", ">= 0.81\n", 5)),
        "minWaitsPerSecond": (6.5, in_rule(WAITS, ">= 5\n", ">= 6.5\n")),
        "minRequestsPerSecond": (7.5, in_rule(REQUESTS, ">= 5\n", ">= 7.5\n")),
    }


def thresholds():
    """{alert: {field: (value, change)}}"""
    fields = {
        "PMUIPCRegression": {"minLoss": (0.21, "> 0.13 + ", "> 0.21 + ", 1),
                             "minLossPerSpread": (0.3, " + 0.2 *", " + 0.3 *", 1),
                             "minSpreads": (1.25, "> 1.1 * last", "> 1.25 * last", 1)},
        "PMUCoverageLow": {"minCoverage": (0.4, ") < 0.5\n", ") < 0.4\n", 1),
                           "minCPUs": (0.15, "> 0.05\n", "> 0.15\n", 4)},
        "PMUTargetsUncounted": {"maxTargets": (17, "uncounted > 0\n", "uncounted > 17\n", 1)},
        "PMUCyclesLate": {"maxShare": (0.02, "> 0.05\n", "> 0.02\n", 1)},
        "PMUEventUnsupported": {
            "ignoredEvents": ("cache-.*", '"(task|cpu)-clock.*"', '"cache-.*"', 1),
            "ignoredReasons": ("no_pmu|not_permitted", '"no_pmu|over_budget"',
                               '"no_pmu|not_permitted"', 1)},
        "PMUExporterStale": {"maxAgeSeconds": (23, "age_seconds > 10\n", "age_seconds > 23\n", 1),
                             "maxIntervals": (9, "> 5 * pmu_", "> 9 * pmu_", 1)},
    }
    for number, (alert, (factor, field, there)) in enumerate(MORE.items(), 1):
        times, spreads, more = 4 + number / 8, 2 + number / 8, 40 + number / 8
        by = there[:there.index("> ")] + f"> {more}\n"
        fields[alert] = {"minFactor": (times, f"> {factor}\nand", f"> {times}\nand", 1),
                         "minSpreads": (spreads, "> 1 + 1.5 * last", f"> 1 + {spreads} * last", 1),
                         field: (more, there, by, 1)}
    return {alert: {field: (value, in_rule(alert, *texts)) for field, (value, *texts) in own.items()}
            for alert, own in fields.items()}


def set_in(rendered, alert, value, *keys):
    *path, last = keys
    rule = named(rendered, alert)
    for key in path:
        rule = rule[key]
    rule[last] = value


def common(number, alert):
    """What each alert has."""
    severity, hold, keep = f"severity{number}", f"{40 + number}m", f"{70 + number}m"
    return {
        "severity": (severity, lambda rendered: set_in(rendered, alert, severity, "labels", "severity")),
        "for": (hold, lambda rendered: set_in(rendered, alert, hold, "for")),
        "keepFiringFor": (keep, lambda rendered: set_in(rendered, alert, keep, "keep_firing_for")),
    }


def set_runbooks(rendered):
    for group in rendered["alerts"]["groups"]:
        for rule in group["rules"]:
            rule["annotations"]["runbook_url"] = f"https://wiki.example/{rule['alert']}?a=%20"


def set_pages(rendered):
    """Of the annotations of regressions, and of a link of the dashboard Service."""
    for part, there, by, times in (
            ("alerts", "http://{{ .Labels.instance }}/#", "https://{{ .Labels.instance }}:1?a=%20/#", 6),
            ("dashboards", "http://${__value.raw}/#", "https://${__value.raw}:1?a=%20/#", 1)):
        text = json.dumps(rendered[part])
        if text.count(there) != times:
            raise AssertionError(f"{there!r} is there {text.count(there)} times")
        rendered[part] = json.loads(text.replace(there, by))


def interval(name, value):
    def change(rendered):
        group, = [group for part in ("alerts", "rules") for group in rendered[part]["groups"]
                  if group["name"] == name]
        group["interval"] = value
    return value, change


def each_board(change):
    def change_all(rendered):
        for name, board in rendered["dashboards"].items():
            change(name, board)
    return change_all


def each_variable(name, change):
    """On each board that has it."""
    return each_board(lambda _, board: [
        change(v) for v in board["templating"]["list"] if v["name"] == name])


def set_uids(rendered):
    text = json.dumps(rendered["dashboards"])
    text = text.replace('"uid": "pmu-', '"uid": "team_').replace('"/d/pmu-', '"/d/team_')
    rendered["dashboards"] = json.loads(text)


def set_title(_, board):
    board["title"] = "Team: " + board["title"].removeprefix("PMU / ")


def set_tags(_, board):
    for holder in (board, *board["links"]):
        holder["tags"] = ["team", "counters"] + holder["tags"][1:]


def set_choice(rendered):
    each_variable("job", lambda v: set_query(v, "label_values(pmu_exporter_build_info{a=\"b\"}, job)"))(
        rendered)
    each_variable("instance", lambda v: set_query(
        v, 'label_values(pmu_exporter_build_info{job=~"$job", a="b"}, instance)'))(rendered)


def set_query(variable, query):
    variable["definition"] = variable["query"]["query"] = query
    del variable["allValue"]  # which would take in exporters that are not offered


def dashboards():
    return {
        "titlePrefix": ("Team: ", each_board(set_title)),
        "uidPrefix": ("team_", set_uids),
        "tags": (["team", "counters"], each_board(set_tags)),
        "timezone": ("utc", each_board(lambda _, board: board.update(timezone="utc"))),
        "refresh": ("5m", each_board(lambda _, board: board.update(refresh="5m"))),
        "datasource": ("Main", each_variable("datasource", lambda v: v.update(
            current={"selected": True, "text": "Main", "value": "Main"}))),
        "datasourceRegex": ("/^Ma/", each_variable("datasource", lambda v: v.update(regex="/^Ma/"))),
        "exporterSelector": ('a="b"', set_choice),
    }


def start(name, value):
    return value, lambda rendered: rendered["dashboards"][name]["time"].update({"from": value})


def fields(alerts, groups, boards):
    """{path of a field: (another value, what that changes)}"""
    table = {"selector": ('cluster="c"', in_rule("PMUExporterDown", 'up{job=~".*pmu.*"}',
                                                 'up{cluster="c"}')),
             "runbookURLPattern": ("https://wiki.example/%s?a=%20", set_runbooks),
             "pageURLPattern": ("https://%s:1?a=%20", set_pages)}
    table |= {f"groupIntervals.{name}": interval(name, f"{10 + number}s")
              for number, name in enumerate(groups)}
    table |= {f"services.{field}": case for field, case in services().items()}
    own = thresholds()
    table |= {f"alerts.{alert}.{field}": case for number, alert in enumerate(alerts)
              for field, case in (common(number, alert) | own.get(alert, {})).items()}
    table |= {f"dashboards.{field}": case for field, case in dashboards().items()}
    return table | {f"dashboards.from.{name.removesuffix('.json')}": start(name, f"now-{number + 20}m")
                    for number, name in enumerate(boards)}
