# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""What every tidy check needs: the files of the tree, and a way to say what is wrong with them.

A check is a script that takes the root of a tree as its only argument, prints one line a problem
(path:line: error: text) and exits with 1 if there was any. self_test.py breaks each of them once.
"""

import os
import pathlib
import re
import sys

SKIPPED = {"build", "out", ".git", ".cache", "node_modules"}
CPP = (".h", ".cc", ".def", ".c", ".cl")


class Tree:
    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.problems = 0

    def files(self, *suffixes):
        """Paths below the root with one of the suffixes, sorted, as POSIX strings."""
        found = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = [f for f in folders if f not in SKIPPED]
            for name in names:
                path = pathlib.Path(folder, name).relative_to(self.root).as_posix()
                if not suffixes or path.endswith(suffixes):
                    found.append(path)
        return sorted(found)

    def lines(self, path):
        return self.read(path).splitlines()

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="surrogateescape")

    def exists(self, path):
        return (self.root / path).exists()

    def error(self, path, line, text):
        print(f"{path}:{line}: error: {text}")
        self.problems += 1


def targets(tree):
    """The targets that CMakeLists.txt files declare: list of dicts with kind, path, line, name and
    the words after each keyword (SOURCES, DEPS, PRIVATE_DEPS, LABELS)."""
    result = []
    for path in tree.files("CMakeLists.txt"):
        text = re.sub(r"#.*", "", tree.read(path))
        for call in re.finditer(r"\bfaultline_(library|executable|test)\s*\(([^)]*)\)", text):
            target = {"kind": call[1], "path": path, "folder": os.path.dirname(path),
                      "line": text[:call.start()].count("\n") + 1}
            keyword = None
            for word in call[2].split():
                if word in ("NAME", "SOURCES", "DEPS", "PRIVATE_DEPS", "LABELS", "TIMEOUT"):
                    keyword = word
                    target[keyword] = []
                elif word == "COVERED":
                    keyword = None
                elif keyword:
                    target[keyword].append(word)
            target["name"] = (target.get("NAME") or ["?"])[0]
            result.append(target)
    return result


def run(check):
    """Runs check(tree) on the tree named on the command line and exits with its answer."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} ROOT")
    tree = Tree(sys.argv[1])
    check(tree)
    if tree.problems:
        sys.exit(1)
