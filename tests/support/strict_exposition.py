#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A strict reader of the text format 0.0.4, for what this project promises to write.

Stricter than the format and than promtool: what Prometheus lets pass and then takes down a
target, or doubles a series, is an error here.

    strict_exposition.py FILE...            checks each; - is standard input
    strict_exposition.py --compare A B      and says which counters fell from A to B
"""
import collections
import decimal
import functools
import re
import sys
import unicodedata

METRIC_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")  # colons are for recording rules
LABEL_NAME = re.compile(r"(?!__)[a-zA-Z_][a-zA-Z0-9_]*\Z")
LABEL = re.compile(r'([^=,{}" ]*)="((?:[^"\\]|\\.)*)"')
UP_TO_THE_END_OF_LABELS = re.compile(r'[^"}]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^"}]*)*')
INTEGER_PART = r"(?:0|[1-9][0-9]*)"
INTEGER_VALUE = re.compile(rf"{INTEGER_PART}\Z")
COUNTER_VALUE = re.compile(rf"{INTEGER_PART}(\.[0-9]+)?\Z")
# What a PMU counts in a unit of its own is a multiple of its scale, as small as that may be.
SCALED = re.compile(r"_(joules|bytes)_total\Z")
SCALED_VALUE = re.compile(rf"{INTEGER_PART}(\.[0-9]+)?(e[+-]?[0-9]+)?\Z")
GAUGE_VALUE = re.compile(rf"-?{INTEGER_PART}(\.[0-9]+)?(e[+-]?[0-9]+)?\Z")
TYPES = ("counter", "gauge", "histogram")
PARTS = ("_bucket", "_sum", "_count")  # of a histogram
BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

Sample = collections.namedtuple("Sample", "name labels value line")  # labels: a frozenset of pairs


class Wrong(ValueError):
    """One line says what is wrong with one line of the text."""


class Strict(ValueError):
    """The text is not what it should be; `errors` has a line for each fault."""

    def __init__(self, errors):
        super().__init__("\n".join(errors))
        self.errors = errors


class Family:
    def __init__(self, name):
        self.name = name
        self.help = None
        self.type = None
        self.samples = []


def unescape(text, allowed, what):
    r"""Text without escapes; `allowed` are the characters that may follow a backslash."""
    if "\\" not in text:
        return text
    result, rest = [], iter(text)
    for c in rest:
        if c != "\\":
            result.append(c)
            continue
        escaped = next(rest, "")
        if not escaped or escaped not in allowed:
            raise Wrong(f"illegal escape \\{escaped} in {what}")
        result.append("\n" if escaped == "n" else escaped)
    return "".join(result)


@functools.lru_cache(maxsize=1 << 16)  # the next scrape has mostly the same
def parse_labels(text):
    """'a="b",c="d"' as a frozenset of pairs."""
    pairs, at = [], 0
    while True:
        match = LABEL.match(text, at)
        if not match:
            raise Wrong(f"not a label at {text[at:at + 40]!r}")
        name, value = match.groups()
        if not LABEL_NAME.match(name):
            raise Wrong(f"illegal label name {name!r}")
        if name in (n for n, _ in pairs):
            raise Wrong(f"label {name} stands twice")
        pairs.append((name, unescape(value, '\\"n', f"label {name}")))
        at = match.end()
        if at == len(text):
            return frozenset(pairs)
        if text[at] != ",":
            raise Wrong(f"not a comma between labels at {text[at:at + 40]!r}")
        at += 1


def end_of_labels(line, start):
    """Index of the brace that closes the labels; braces within quotes do not."""
    end = UP_TO_THE_END_OF_LABELS.match(line, start).end()
    if line[end:end + 1] != "}":
        raise Wrong("labels without an end")
    return end


def parse_sample(line, number):
    brace, space = line.find("{"), line.find(" ")
    if 0 <= brace < space or (brace >= 0 and space < 0):
        end = end_of_labels(line, brace + 1)
        name, labels, rest = line[:brace], parse_labels(line[brace + 1:end]), line[end + 1:]
    else:
        name, labels, rest = line[:space], frozenset(), line[space:]
    if space < 0:
        raise Wrong("a sample without a value")
    if not METRIC_NAME.match(name):
        raise Wrong(f"illegal metric name {name!r}")
    if not rest.startswith(" ") or rest[1:2] == " ":
        raise Wrong("not exactly one space before the value")
    if " " in rest[1:]:
        raise Wrong("something stands behind the value (time stamps are not written here)")
    return Sample(name, labels, rest[1:], number)


def number_of(text):
    """A number; 0 for what is none, which is told elsewhere."""
    return float(text) if text == "+Inf" or GAUGE_VALUE.match(text) else 0


def check_character(c):
    if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp"):
        raise Wrong(f"control character U+{ord(c):04X}")
    if c in BIDI:
        raise Wrong(f"bidirectional mark U+{ord(c):04X}")
    if ord(c) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(c) <= 0xFDEF:
        raise Wrong(f"noncharacter U+{ord(c):04X}")


class Exposition:
    """What a text says: families by name in their order, series by (name, labels)."""

    def __init__(self):
        self.families = {}
        self.series = {}
        self.errors = []
        self._family = None

    def family_of(self, name):
        """The family whose samples have that name."""
        base = re.sub(f"({'|'.join(PARTS)})$", "", name)
        is_part = base in self.families and self.families[base].type == "histogram"
        return self.families.get(base if is_part else name)

    def _enter(self, name):
        """The family of that name: the one we are in, or a new one."""
        if self._family and self._family.type == "histogram":
            if name in [self._family.name + part for part in PARTS]:
                return self._family
            self._end_of_histogram()
        if self._family is None or self._family.name != name:
            if name in self.families:
                raise Wrong(f"family {name} is not in one piece")
            self._family = self.families[name] = Family(name)
        return self._family

    def _end_of_histogram(self):
        """Judges each histogram of the family that ends here: whole, in one piece, rising."""
        family, self._family = self._family, None
        wanted, at = None, 0
        while at < len(family.samples):
            labels = family.samples[at].labels - {p for p in family.samples[at].labels
                                                  if p[0] == "le"}
            les, counts = [], []
            while at < len(family.samples) and family.samples[at].name.endswith("_bucket"):
                sample, at = family.samples[at], at + 1
                les.append(dict(sample.labels).get("le", ""))
                counts.append(number_of(sample.value))
                if sample.labels != labels | {("le", les[-1])}:
                    raise Wrong(f"the buckets of {family.name} are not in one piece")
            rest, at = family.samples[at:at + 2], at + 2
            if ([s.name for s in rest] != [family.name + "_sum", family.name + "_count"] or
                    any(s.labels != labels for s in rest)):
                raise Wrong(f"{family.name} has no sum and count behind its buckets")
            if not les or les[-1] != "+Inf" or les != sorted(les, key=number_of):
                raise Wrong(f"{family.name} has the limits {les}")
            if les != (wanted := wanted or les):
                raise Wrong(f"{family.name} has other limits for {sorted(labels)}")
            if counts != sorted(counts) or counts[-1] != number_of(rest[1].value) or not counts[-1]:
                raise Wrong(f"{family.name} counts {counts}, {rest[1].value} in all")

    def end(self):
        """Judges what only the end of the text tells."""
        if self._family and self._family.type == "histogram":
            self._end_of_histogram()

    def _read_comment(self, line):
        words = line.split(" ", 3)
        if len(words) < 4 or words[0] != "#" or words[1] not in ("HELP", "TYPE"):
            raise Wrong("a comment that is neither HELP nor TYPE")
        _, keyword, name, text = words
        if not METRIC_NAME.match(name):
            raise Wrong(f"illegal metric name {name!r}")
        family = self._enter(name)
        if family.samples:
            raise Wrong(f"{keyword} of {name} behind its samples")
        if keyword == "HELP":
            if family.help is not None:
                raise Wrong(f"a second HELP of {name}")
            family.help = unescape(text, "\\n", "HELP")
            if not family.help.strip():
                raise Wrong(f"empty HELP of {name}")
            return
        if family.type is not None:
            raise Wrong(f"a second TYPE of {name}")
        family.type = text
        if text not in TYPES:
            raise Wrong(f"{name} has type {text!r}, not one of {', '.join(TYPES)}")
        if (text == "counter") != name.endswith("_total"):
            raise Wrong(f"{name} is a {text}: counters and only they end in _total")

    def _read_sample(self, line, number):
        sample = parse_sample(line, number)
        family = self._enter(sample.name)
        family.samples.append(sample)
        if family.help is None or family.type is None:
            raise Wrong(f"{sample.name} has no HELP and TYPE before its samples")
        key = sample.name, sample.labels
        if key in self.series:
            raise Wrong(f"series stands twice, first in line {self.series[key].line}")
        self.series[key] = sample
        pattern = GAUGE_VALUE if family.type == "gauge" else COUNTER_VALUE
        if family.type == "histogram" and not sample.name.endswith("_sum"):
            pattern = INTEGER_VALUE
        if family.type == "counter" and SCALED.search(family.name):
            pattern = SCALED_VALUE
        if not pattern.match(sample.value):
            raise Wrong(f"{sample.value!r} is no value of a {family.type}")
        if sample.name.endswith("_info") and sample.value != "1":
            raise Wrong(f"{sample.name} is {sample.value}, not 1")

    def read_line(self, line, number):
        try:
            if not (line.isascii() and line.isprintable()):
                for c in line:
                    check_character(c)
            if line.startswith("#"):
                self._read_comment(line)
            elif not line:
                raise Wrong("an empty line")
            else:
                self._read_sample(line, number)
        except Wrong as wrong:
            self.errors.append(f"line {number}: {wrong}")


def read(body):
    """An Exposition with its `errors`, from bytes. Never raises."""
    exposition = Exposition()
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        exposition.errors.append(f"line {line}: not UTF-8: byte 0x{body[error.start]:02x}")
        return exposition
    if not text.endswith("\n"):
        exposition.errors.append("the text does not end in a newline")
        text += "\n"
    for number, line in enumerate(text[:-1].split("\n"), 1):
        exposition.read_line(line, number)
    try:
        exposition.end()
    except Wrong as wrong:
        exposition.errors.append(f"at the end: {wrong}")
    return exposition


def parse(body):
    """An Exposition, from bytes. Raises Strict with every fault if there is one."""
    exposition = read(body)
    if exposition.errors:
        raise Strict(exposition.errors)
    return exposition


def births(exposition):
    """{scope: {identity labels: start time}}; scope "" is the exporter itself."""
    result = {"": {}}
    for (name, labels), sample in exposition.series.items():
        match = re.fullmatch(r"pmu_([a-z]+)_start_time_seconds", name)
        if match:
            result.setdefault(match[1], {})[labels] = sample.value
        elif name == "process_start_time_seconds":
            result[""][frozenset()] = sample.value
    return result


def birth_of(sample, all_births, identity_names):
    """The start time of what this series belongs to; None where none is told."""
    for scope, starts in all_births.items():
        if scope and sample.name.startswith(f"pmu_{scope}_"):
            identity = frozenset(p for p in sample.labels if p[0] in identity_names[scope])
            return starts.get(identity)
    return all_births[""].get(frozenset())


def compare(before, after):
    """A line for each counter that fell between two expositions within one birth."""
    births_before, births_after = births(before), births(after)
    names = {scope: {n for labels in (*births_before.get(scope, ()), *births_after.get(scope, ()))
                     for n, _ in labels} for scope in {**births_before, **births_after}}
    fell = []
    for key, new in after.series.items():
        old = before.series.get(key)
        if not old or after.family_of(new.name).type == "gauge":
            continue
        if birth_of(old, births_before, names) != birth_of(new, births_after, names):
            continue
        if decimal.Decimal(new.value) < decimal.Decimal(old.value):
            labels = ",".join(f"{n}={v!r}" for n, v in sorted(new.labels))
            fell.append(f"{new.name}{{{labels}}} fell from {old.value} to {new.value}")
    return fell


def read_file(name):
    if name == "-":
        return read(sys.stdin.buffer.read())
    with open(name, "rb") as file:
        return read(file.read())


def main(arguments):
    comparing = arguments[:1] == ["--compare"]
    names = arguments[1:] if comparing else arguments
    if not names or (comparing and len(names) != 2):
        print(__doc__, file=sys.stderr)
        return 2
    expositions = [read_file(name) for name in names]
    faults = [f"{name}: {error}" for name, e in zip(names, expositions) for error in e.errors]
    if comparing:
        faults += compare(*expositions)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
