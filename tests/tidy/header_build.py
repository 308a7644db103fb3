# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles every header that no source includes first, alone, to prove it self-contained.

usage: header_build.py ROOT COMPILER [FLAG...]
"""

import concurrent.futures
import os
import subprocess
import sys

import headers
import tree


def main():
    t = tree.Tree(sys.argv[1])
    command = sys.argv[2:]
    proven = headers.proven(t)
    alone = [path for path in t.files(".h") if path not in proven]

    def build(path):
        language = ["-x", "c++-header", "-std=c++23"]
        return path, subprocess.run(
            command + language + ["-fsyntax-only", "-ffp-contract=off", "-I.", path],
            cwd=t.root, capture_output=True, text=True, check=False)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, result in pool.map(build, alone):
            if result.returncode:
                t.error(path, 1, "is not self-contained")
                print(result.stderr)
    print(f"{len(alone)} headers compiled alone")
    if not t.files(".h"):
        t.error(".", 1, "no header found")
    if t.problems:
        sys.exit(1)


if __name__ == "__main__":
    main()
