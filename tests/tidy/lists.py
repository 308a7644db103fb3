# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""Source lists in CMakeLists.txt are sorted, name files that exist, and leave no source out: a file
that no list names is never compiled, and a test in it never runs."""

import os
import re

import tree

ROOTS = ("ir/", "reference/", "fusion/", "harness/", "reports/", "tests/", "benchmarks/")


def check_folders(t):
    """Every folder with a list is named by the list above it, or taken in with its siblings."""
    lists = t.files("CMakeLists.txt")
    for path in lists:
        folder = os.path.dirname(path)
        above = os.path.dirname(folder)
        while above and f"{above}/CMakeLists.txt" not in lists:
            above = os.path.dirname(above)
        parent = f"{above}/CMakeLists.txt" if above else "CMakeLists.txt"
        if folder and parent in lists:
            name = os.path.relpath(folder, above) if above else folder
            if "/*/CMakeLists.txt" in t.read(parent):
                continue
            if not re.search(rf"(?<![\w/]){re.escape(name)}(?![\w/])", t.read(parent)):
                t.error(path, 1, f"{parent} does not add this folder")


def check(t):
    listed = set()
    for target in tree.targets(t):
        for keyword in ("SOURCES", "DEPS", "PRIVATE_DEPS"):
            words = target.get(keyword, [])
            if keyword == "SOURCES" and words != sorted(words):
                wrong = next(a for a, b in zip(words, sorted(words)) if a != b)
                t.error(target["path"], target["line"],
                        f"{target['name']}: SOURCES are not sorted, from {wrong} on")
            if len(words) != len(set(words)):
                t.error(target["path"], target["line"],
                        f"{target['name']}: {keyword} names something twice")
        for source in target.get("SOURCES", []):
            path = os.path.normpath(os.path.join(target["folder"], source))
            listed.add(path)
            if not t.exists(path) and "${" not in source:
                t.error(target["path"], target["line"], f"{target['name']}: there is no {path}")
    check_folders(t)
    mentioned = "".join(t.read(path) for path in t.files("CMakeLists.txt"))
    for path in t.files(".cc"):
        if path.startswith(ROOTS) and path not in listed and os.path.basename(path) not in mentioned:
            t.error(path, 1, "no CMakeLists.txt names this source")


if __name__ == "__main__":
    tree.run(check)
