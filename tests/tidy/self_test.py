# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that every tidy check can fail: a small clean tree passes all of them, and each way of
breaking it is found by the check it is meant for, with the words expected."""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CHECKS = ["layering", "sizes", "text", "headers", "links", "lists", "op_coverage"]

TOP = "// Copyright The Faultline Authors\n// SPDX-License-Identifier: Apache-2.0\n"
HASH_TOP = TOP.replace("//", "#")


def header(guard, body=""):
    return TOP + f"\n// What it is for.\n\n#ifndef {guard}\n#define {guard}\n{body}\n#endif\n"


CLEAN = {
    "ir/shape.h": header("IR_SHAPE_H_"),
    "ir/shape.cc": TOP + '\n#include "ir/shape.h"\n',
    "ir/op_table.def": TOP + '\nFAULTLINE_OP(kAdd, "add")\n',
    "ir/CMakeLists.txt": HASH_TOP + "\nfaultline_library(NAME ir SOURCES shape.cc)\n",
    "reference/contract.h": header("REFERENCE_CONTRACT_H_", '#include "ir/shape.h"'),
    "reference/evaluate.h": header("REFERENCE_EVALUATE_H_", '#include "ir/shape.h"'),
    "reference/CMakeLists.txt": HASH_TOP
    + "\nfaultline_library(NAME reference DEPS faultline::ir)\n",
    "fusion/plan/plan.h": header("FUSION_PLAN_PLAN_H_", '#include "ir/shape.h"'),
    "fusion/cpu/cpu.h": header("FUSION_CPU_CPU_H_", '#include "fusion/plan/plan.h"'),
    "fusion/plan/CMakeLists.txt": HASH_TOP
    + "\nfaultline_library(NAME fusion_plan DEPS faultline::ir)\n",
    "harness/backend/backend.h": header(
        "HARNESS_BACKEND_BACKEND_H_", '#include "reference/contract.h"'),
    "harness/backend/fusion/fusion.h": header(
        "HARNESS_BACKEND_FUSION_FUSION_H_", '#include "fusion/cpu/cpu.h"'),
    "corpus/conformance/add/add_f32.fl": "faultline 1\n%c: f32[] = add %a %b\nread %c\n",
    "README.md": "# Title\n\n## Some part\n\nSee [the table](ir/op_table.def) and [below](#some-part).\n",
}

# check, file, new content (or None: append to what is there), words that the complaint must contain
BREAKS = [
    ("layering", "reference/evaluate.h",
     header("REFERENCE_EVALUATE_H_", '#include "fusion/plan/plan.h"'),
     "reference/ may not include fusion/plan/plan.h"),
    ("layering", "fusion/plan/plan.h",
     header("FUSION_PLAN_PLAN_H_", '#include "reference/contract.h"'),
     "fusion/plan/ may not include reference/contract.h"),
    ("layering", "fusion/plan/plan.h",
     header("FUSION_PLAN_PLAN_H_", '#include "fusion/cpu/cpu.h"'),
     "fusion/plan/ may not include fusion/cpu/cpu.h"),
    ("layering", "harness/backend/backend.h",
     header("HARNESS_BACKEND_BACKEND_H_", '#include "reference/evaluate.h"'),
     "harness/backend/ may not include reference/evaluate.h"),
    ("layering", "harness/backend/fusion/fusion.h",
     header("HARNESS_BACKEND_FUSION_FUSION_H_", '#include "reference/evaluate.h"'),
     "harness/backend/fusion/ may not include reference/evaluate.h"),
    ("layering", "harness/backend/backend.h",
     header("HARNESS_BACKEND_BACKEND_H_", '#include "harness/backend/fusion/fusion.h"'),
     "harness/backend/ may not include harness/backend/fusion/fusion.h"),
    ("layering", "ir/shape.cc", TOP + '\n#include "shape.h"\n', "not written from the root"),
    ("layering", "fusion/plan/CMakeLists.txt",
     HASH_TOP + "\nfaultline_library(NAME fusion_plan DEPS faultline::reference)\n",
     "may not link faultline::reference"),
    ("sizes", "ir/shape.cc", TOP + '\n#include "ir/shape.h"\n' + "\n" * 600, "the limit is 600"),
    ("text", "ir/shape.cc", '#include "ir/shape.h"\n', "does not open with"),
    ("text", "ir/shape.cc", TOP + "\n// \u00b5s\n", "not ASCII"),
    ("text", "ir/shape.cc", TOP + "\n// TO" + "DO: later\n", "without an issue"),
    ("text", "ir/shape.cc", TOP + "\n// " + "x" * 100 + "\n", "103 columns"),
    ("headers", "ir/shape.h", header("SHAPE_H"), "no include guard IR_SHAPE_H_"),
    ("headers", "ir/shape.h", header("IR_SHAPE_H_").replace("// What it is for.\n", ""),
     "does not open with a comment"),
    ("headers", "ir/shape.cc", TOP + '\n#include <vector>\n\n#include "ir/shape.h"\n',
     "before its own header"),
    ("links", "README.md", "[gone](docs/gone.md)\n", "there is no docs/gone.md"),
    ("links", "README.md", "[gone](#gone)\n", "has no such heading"),
    ("lists", "ir/zero.cc", TOP, "no CMakeLists.txt names this source"),
    ("lists", "ir/CMakeLists.txt",
     HASH_TOP + "\nfaultline_library(NAME ir SOURCES shape.cc none.cc)\n", "not sorted"),
    ("lists", "ir/CMakeLists.txt",
     HASH_TOP + "\nfaultline_library(NAME ir SOURCES none.cc shape.cc)\n", "there is no ir/none.cc"),
    ("lists", "ir/text/CMakeLists.txt", HASH_TOP, "ir/CMakeLists.txt does not add this folder"),
    ("op_coverage", "ir/op_table.def",
     TOP + '\nFAULTLINE_OP(kAdd, "add")\nFAULTLINE_OP(kSub, "sub")\n',
     "sub: no program under corpus/ uses it"),
]


def write(root, files):
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")


def answer(check, root):
    result = subprocess.run([sys.executable, "-B", HERE / f"{check}.py", root],
                            capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        write(root, CLEAN)
        for check in CHECKS:
            code, output = answer(check, root)
            if code != 0:
                failures += 1
                print(f"{check}: complains about a clean tree:\n{output}")
        for check, path, content, words in BREAKS:
            write(root, {path: content})
            code, output = answer(check, root)
            if code != 1 or words not in output:
                failures += 1
                print(f"{check}: did not say '{words}' (exit {code}) but:\n{output}")
            (root / path).unlink()
            write(root, CLEAN)
    unbroken = set(CHECKS) - {check for check, _, _, _ in BREAKS}
    if unbroken:
        failures += 1
        print(f"nothing breaks: {sorted(unbroken)}")
    print(f"{len(BREAKS)} breaks tried, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
