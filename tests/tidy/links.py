# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""Relative links in Markdown lead to files of the tree, and "#section" to a heading there."""

import os
import re

import tree

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def anchors(text):
    """The anchors that a Markdown page offers: its headings, lower case, words joined by dashes."""
    found = set()
    for heading in re.findall(r"^#{1,6}\s+(.+?)\s*$", text, re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
        found.add(plain.replace(" ", "-"))
    return found


def check(t):
    for path in t.files(".md"):
        fenced = False
        for number, line in enumerate(t.lines(path), 1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            if fenced:
                continue
            for target in LINK.findall(line):
                if re.match(r"[a-z]+:", target):
                    continue
                file, _, anchor = target.partition("#")
                to = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
                if not t.exists(to):
                    t.error(path, number, f"dead link to {target}: there is no {to}")
                elif anchor and to.endswith(".md") and anchor not in anchors(t.read(to)):
                    t.error(path, number, f"dead link to {target}: {to} has no such heading")


if __name__ == "__main__":
    tree.run(check)
