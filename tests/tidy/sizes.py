# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""Files stay small enough to be read in one go: 600 lines, tests 800. Tables (.def) are exempt."""

import tree

SOURCE_LINES_MAX = 600
TEST_LINES_MAX = 800


def check(t):
    for path in t.files(".h", ".cc", ".c", ".cl", ".py", ".sh", ".cmake", "CMakeLists.txt"):
        limit = TEST_LINES_MAX if path.startswith("tests/") else SOURCE_LINES_MAX
        count = len(t.lines(path))
        if count > limit:
            t.error(path, count, f"{count} lines, the limit is {limit}: split it")


if __name__ == "__main__":
    tree.run(check)
