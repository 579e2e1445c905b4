# SPDX-License-Identifier: Apache-2.0
"""Pages of /metrics as the past of a Prometheus: what scrapes of some hosts would have left.

promtool makes blocks of them. The same pages are also written a day and a week before, there with
more instructions: as if the hosts had executed better then.
"""
import decimal
import subprocess

import strict_exposition

DAY = 86400
PAST = (7 * DAY, DAY)
BETTER = decimal.Decimal("1.5")  # times as many instructions, in the past
IMPROVED = "_instructions_total"


def quoted(value):
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def line(name, labels, value, at):
    text = ",".join(f'{key}="{quoted(label)}"' for key, label in labels.items())
    return f"{name}{{{text}}} {value} {at:.3f}\n"


def scraped(body, at, instance, factor):
    """The samples of a page, and those that Prometheus adds."""
    series = strict_exposition.parse(body).series
    where = {"instance": instance, "job": "pmu"}
    for (name, labels), sample in series.items():
        value = decimal.Decimal(sample.value)
        yield line(name, {**dict(labels), **where},
                   value * factor if name.endswith(IMPROVED) else value, at)
    for name, value in (("up", 1), ("scrape_duration_seconds", 0.001),
                        ("scrape_samples_scraped", len(series))):
        yield line(name, where, value, at)


def write(hosts, end, file):
    for ago in (*PAST, 0):
        for instance, pages in hosts.items():
            last = pages[-1][0]
            for second, body in pages:
                file.writelines(scraped(body, end - ago - (last - second), instance,
                                        BETTER if ago else 1))
    file.write("# EOF\n")


def make_blocks(hosts, end, directory):
    """Blocks for Prometheus, in a folder of that directory.

    hosts: {instance: [(second, page)]}; the last page of each was scraped at `end`.
    """
    text = directory / "recorded.txt"
    with open(text, "w", encoding="utf-8") as file:
        write(hosts, end, file)
    blocks = directory / "blocks"
    done = subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", str(text),
                           str(blocks)], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return blocks
