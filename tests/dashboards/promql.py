# SPDX-License-Identifier: Apache-2.0
"""What a PromQL query reads: its selectors, each with its metric, matchers, range and function.

No parser: Prometheus itself says what is valid. It knows as much as the dashboards use, and a test
of its own shows that it does.
"""
import dataclasses
import re

# Labels that are named outside of selectors.
CLAUSE = re.compile(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)")
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
STRING = r'"(?:[^"\\]|\\.)*"'
MATCHER = re.compile(rf"([\w$]+)\s*(=~|!~|!=|=)\s*({STRING})")
SELECTOR = re.compile(
    rf"(?:\b(?P<function>{NAME})\(\s*)?(?P<metric>{NAME})?"
    rf"\{{(?P<matchers>(?:[^{{}}\"]|{STRING})*)\}}(?:\[(?P<range>[^\]]*)\])?")
WORD = re.compile(rf"(?<![\w$:.]){NAME}")
OPERATORS = {"and", "or", "unless", "bool"}


@dataclasses.dataclass(frozen=True)
class Selector:
    metric: str  # "": by a matcher of __name__
    matchers: tuple  # of (label, operator, value)
    range: str  # "": none
    function: str  # that stands right before it


def selectors(text):
    text = CLAUSE.sub("", text)
    found = []
    for match in SELECTOR.finditer(text):
        matchers = tuple((label, operator, value[1:-1]) for label, operator, value
                         in MATCHER.findall(match["matchers"]))
        found.append(Selector(match["metric"] or "", matchers, match["range"] or "",
                              match["function"] or ""))
    return found


def bare_words(text):
    """Words that are neither selectors nor functions nor operators: metrics without matchers."""
    text = SELECTOR.sub(" ", CLAUSE.sub(" ", text))
    text = re.sub(rf"{STRING}|offset \w+|{NAME}\s*\(", " ", text)
    return [word for word in WORD.findall(text) if word not in OPERATORS]
