#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes ../rules/*.rules.yml as rules.json, which the mixin imports.

Jsonnet 0.18, which Debian 12 has, cannot read these files: its std.parseYaml() knows no anchors, and
fails at texts of several lines.
"""
import json
import pathlib

import yaml

HERE = pathlib.Path(__file__).resolve().parent


def text():
    files = sorted((HERE.parent / "rules").glob("*.rules.yml"))
    rules = {path.name.removesuffix(".rules.yml"): yaml.safe_load(path.read_text()) for path in files}
    return json.dumps(rules, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    (HERE / "rules.json").write_text(text())
