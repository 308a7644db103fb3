# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""The form of headers: a guard named after the path, an opening comment that says what the header is
for, and its own source including it first. A header that some source includes first is proven
self-contained by every build; header_build.py compiles the others."""

import re

import tree


def guard_of(path):
    return re.sub(r"[^A-Za-z0-9]", "_", path).upper() + "_"


def own_source(t, path):
    """The source that must include this header first: foo.cc beside foo.h, or None."""
    source = path[:-2] + ".cc"
    return source if t.exists(source) else None


def first_include(lines):
    for number, line in enumerate(lines, 1):
        include = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
        if include:
            return include[1], number
    return None, 1


def proven(t):
    """The headers that some source includes before anything else."""
    return {first_include(t.lines(source))[0] for source in t.files(".cc")}


def check_header(t, path):
    lines = t.lines(path)
    guard = guard_of(path)
    if f"#ifndef {guard}" not in lines or f"#define {guard}" not in lines:
        t.error(path, 1, f"no include guard {guard}")
    code = next((n for n, line in enumerate(lines) if line.startswith("#")), len(lines))
    after = next((n for n, line in enumerate(lines) if line.startswith("#include")), len(lines))
    words = [line for line in lines[2:max(code, after)] if line.startswith(("//", "/*", " *"))]
    if not words:
        t.error(path, 1, "does not open with a comment that says what it is for")


def check(t):
    for path in t.files(".h"):
        check_header(t, path)
        source = own_source(t, path)
        if source:
            include, number = first_include(t.lines(source))
            if include != path:
                t.error(source, number, f'includes "{include}" before its own header "{path}"')


if __name__ == "__main__":
    tree.run(check)
