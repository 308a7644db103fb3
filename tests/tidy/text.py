# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""What every source file has and has not: the two SPDX lines on top, ASCII only, no tab, no trailing
space, lines of at most 100 columns in C++, and no open task without the number of its issue."""

import re

import tree

SOURCES = tree.CPP + (".py", ".sh", ".cmake", "CMakeLists.txt")
COPYRIGHT = "Copyright The Faultline Authors"
SPDX = "SPDX-License-Identifier: Apache-2.0"
COLUMNS_MAX = 100
# Assembled, so that this file does not find itself.
OPEN_TASK = re.compile(r"\b(" + "TO" + r"DO|FIX" + r"ME|X" + r"XX)\b(?!\(#\d+\))")


def check_top(t, path, lines):
    top = lines[1:3] if lines and lines[0].startswith("#!") else lines[0:2]
    if len(top) < 2 or COPYRIGHT not in top[0] or SPDX not in top[1]:
        t.error(path, 1, f"does not open with '{COPYRIGHT}' and '{SPDX}'")


def check(t):
    scripts = [path for path in ("fuzz", "test", ".ci/run") if t.exists(path)]
    for path in t.files(*SOURCES) + scripts:
        lines = t.lines(path)
        check_top(t, path, lines)
        raw = False  # inside a raw string, whose lines are as long as what they quote
        for number, line in enumerate(lines, 1):
            if not line.isascii():
                t.error(path, number, "not ASCII: " + ascii(line.strip())[:60])
            if "\t" in line:
                t.error(path, number, "a tab")
            if line != line.rstrip():
                t.error(path, number, "space at the end of the line")
            quoted = raw
            raw = line.rfind('R"(') > line.rfind(')"') or (raw and ')"' not in line)
            if path.endswith(tree.CPP[:2]) and not quoted and len(line) > COLUMNS_MAX:
                t.error(path, number, f"{len(line)} columns, the limit is {COLUMNS_MAX}")
            task = OPEN_TASK.search(line)
            if task:
                t.error(path, number, f"{task[1]} without an issue: write {task[1]}(#12)")


if __name__ == "__main__":
    tree.run(check)
