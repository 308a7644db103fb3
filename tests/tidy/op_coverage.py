# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""Every row of the op table is met by the corpus: some program that is read uses the op. Programs that
the verifier has to reject (corpus/rejected) do not count."""

import re

import tree

TABLE = "ir/op_table.def"


def mnemonics(t):
    """Mnemonic and line of every row of the table."""
    for number, line in enumerate(t.lines(TABLE), 1):
        row = re.match(r'\s*FAULTLINE_OP\(\s*\w+\s*,\s*"(\w+)"', line)
        if row:
            yield row[1], number


def used(t):
    ops = set()
    for path in t.files(".fl"):
        if not path.startswith("corpus/") or path.startswith("corpus/rejected/"):
            continue
        text = t.read(path)
        if re.search(r"^read\b", text, re.MULTILINE):
            ops.update(re.findall(r"^%[^#=]*= (\w+)", text, re.MULTILINE))
    return ops


def check(t):
    rows = list(mnemonics(t))
    if not rows:
        t.error(TABLE, 1, "no row found: this check no longer understands the table")
    seen = used(t)
    for mnemonic, line in rows:
        if mnemonic not in seen:
            t.error(TABLE, line, f"{mnemonic}: no program under corpus/ uses it")


if __name__ == "__main__":
    tree.run(check)
