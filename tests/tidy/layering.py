# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""Who may lean on whom: #include lines and CMake link lists against the table of docs/architecture.md.

reference and fusion never meet; they share facts (the op table, type inference), never arithmetic,
so that a mistake cannot hide by being made once for both.
"""

import re

import tree

# The longest matching row speaks for a file. "may" names what the folder may include besides itself: folders end
# with a slash, single headers do not. "not" takes something out again.
HARNESS_AND_REPORTS = ["ir/", "reference/contract.h", "harness/", "reports/"]
ADAPTERS = ["harness/backend/" + name + "/"
            for name in ("adversary", "canary", "fusion", "plugin", "reference")]
JUDGE = ["ir/", "reference/", "harness/oracle/", "harness/backend/observation.h",
         "harness/backend/backend.h", "harness/backend/run.h"]
TABLE = {
    "ir/": {"may": []},
    "reference/": {"may": ["ir/"]},
    "fusion/": {"may": ["ir/"]},
    # What decides knows no target.
    "fusion/stream/": {"may": ["ir/", "fusion/"], "not": ["fusion/cpu/", "fusion/opencl/"]},
    "fusion/plan/": {"may": ["ir/", "fusion/"], "not": ["fusion/cpu/", "fusion/opencl/"]},
    "fusion/rules/": {"may": ["ir/", "fusion/"], "not": ["fusion/cpu/", "fusion/opencl/"]},
    "fusion/lower/": {"may": ["ir/", "fusion/"], "not": ["fusion/cpu/", "fusion/opencl/"]},
    "fusion/composites/": {"may": ["ir/"]},
    "fusion/block/": {"may": ["ir/", "fusion/"], "not": ["fusion/cpu/", "fusion/opencl/"]},
    "fusion/cpu/": {"may": ["ir/", "fusion/"], "not": ["fusion/opencl/"]},
    "fusion/opencl/": {"may": ["ir/", "fusion/"], "not": ["fusion/cpu/"]},
    "harness/backend/": {"may": ["ir/", "reference/contract.h"], "not": ADAPTERS},
    # The one place that knows every backend by name.
    "harness/backend/registry": {"may": ["ir/", "harness/backend/"]},
    "harness/backend/reference/": {"engine": "reference/"},
    "harness/backend/fusion/": {"engine": "fusion/"},
    # The canary distorts what the reference adapter gives.
    "harness/backend/canary/": {"engine": "harness/backend/reference/"},
    "harness/backend/adversary/": {"engine": "reference/"},
    "harness/backend/plugin/": {"engine": None},
    "harness/conformance/": {"may": ["ir/", "harness/backend/"]},
    "harness/generate/": {"may": ["ir/", "reference/", "harness/mutate/"]},
    # Drawing knows no backend; what is drawn for one asks it.
    "harness/generate/for_backend": {"may": ["ir/", "harness/generate/",
                                             "harness/backend/backend.h"]},
    "harness/mutate/": {"may": ["ir/", "reference/", "harness/generate/"]},
    "harness/oracle/": {"may": ["ir/", "reference/", "harness/backend/observation.h"]},
    # Comparing knows observations alone; a judge also has to run what it judges.
    "harness/oracle/judge": {"may": JUDGE},
    "harness/oracle/forked_judge": {"may": JUDGE},
    "harness/oracle/needs": {"may": JUDGE},
    "harness/reduce/": {"may": ["ir/", "harness/oracle/judge.h", "harness/oracle/verdict.h"]},
    "harness/bisect/": {"may": ["ir/", "harness/oracle/judge.h", "harness/oracle/verdict.h"]},
    # What the oracle is worth: it generates, runs and judges, and campaigns know nothing of it.
    "harness/account/": {"may": ["ir/", "reference/", "harness/backend/", "harness/generate/",
                                 "harness/oracle/"], "not": ADAPTERS},
    "reports/": {"may": ["ir/", "harness/oracle/verdict.h"]},
    "harness/campaign/": {"may": HARNESS_AND_REPORTS, "not": ["harness/cli/"]},
    "harness/cli/": {"may": HARNESS_AND_REPORTS},
    "examples/": {"may": ["harness/backend/plugin/plugin.h"]},
    "benchmarks/": {"may": ["ir/", "reference/", "fusion/", "harness/", "reports/"]},
    "tests/": {"may": ["ir/", "reference/", "fusion/", "harness/", "reports/"]},
}
OURS = ("ir/", "reference/", "fusion/", "harness/", "reports/", "examples/", "benchmarks/", "tests/")


def folder_of(path):
    """The row of the table that speaks for a path, or None."""
    rows = [row for row in TABLE if path.startswith(row)]
    return max(rows, key=len) if rows else None


def rule_of(row):
    rule = TABLE[row]
    if "engine" not in rule:
        return rule["may"] + [row], rule.get("not", [])
    # An adapter knows the interface, the contract and its own engine, and no other adapter.
    engine = [rule["engine"]] if rule["engine"] else []
    others = [adapter for adapter in ADAPTERS if adapter not in (row, rule["engine"])]
    return TABLE["harness/backend/"]["may"] + ["harness/backend/"] + engine, others


def matches(path, patterns):
    return any(path == p or (p.endswith("/") and path.startswith(p)) for p in patterns)


def check_includes(t):
    for path in t.files(".h", ".cc", ".c", ".def"):
        row = folder_of(path)
        if row is None:
            continue
        may, never = rule_of(row)
        for number, line in enumerate(t.lines(path), 1):
            include = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not include:
                continue
            if not include[1].startswith(OURS):
                t.error(path, number, f'"{include[1]}" is not written from the root of the tree')
            elif not matches(include[1], may) or matches(include[1], never):
                t.error(path, number, f"{row} may not include {include[1]}")


def may_link(row, other):
    may, never = rule_of(row)
    open_to_us = matches(other, may) or any(folder_of(p) == folder_of(other) for p in may)
    return open_to_us and not matches(other, never)


def check_links(t):
    """A library may link another if one of its sources may include anything of the other's folder."""
    declared = tree.targets(t)
    home = {target["name"]: target["folder"] + "/" for target in declared
            if target["kind"] == "library"}
    for target in declared:
        sources = target.get("SOURCES") or ["CMakeLists.txt"]
        rows = {folder_of(f"{target['folder']}/{source}") for source in sources} - {None}
        for word in target.get("DEPS", []) + target.get("PRIVATE_DEPS", []):
            name = word.removeprefix("faultline::")
            if name == word or name not in home:
                continue
            if rows and not any(may_link(row, home[name]) for row in rows):
                t.error(target["path"], target["line"],
                        f"{target['name']} may not link {word} ({home[name]})")


def check(t):
    check_includes(t)
    check_links(t)


if __name__ == "__main__":
    tree.run(check)
