# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""The stand-alone libFuzzer target: what it does with programs that agree, and how it dies."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

TARGET = os.path.abspath(sys.argv.pop())

SUM = """faultline 1
%a: i8[2] = input [1, 1]
%s: i8[1] = sum %a
read %s
"""
EXP = """faultline 1
%a: f32[2] = input [0x1p+0, 0x1p+1]
%e: f32[2] = exp %a
read %e
"""


class Target(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_target(self, *arguments, text=None):
        """Returns (exit code, stdout, stderr)."""
        if text is not None:
            path = os.path.join(self.folder.name, "program.fl")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            arguments = (*arguments, path)
        run = subprocess.run([TARGET, *arguments], cwd=self.folder.name, text=True,
                             capture_output=True, timeout=120)
        return run.returncode, run.stdout, run.stderr

    def death(self, fault, text):
        """(token, function) of a finding that ends the process."""
        code, _, errors = self.run_target("--backend=canary", "--fault=" + fault, text=text)
        self.assertNotEqual(code, 0, errors)
        token = re.search(r"^DEDUP_TOKEN: (.*)$", errors, re.M)
        function = re.search(r"^dies in (divergence_[0-7]{2})$", errors, re.M)
        self.assertTrue(token and function, errors)
        return token[1], function[1]

    def test_programs_that_agree_pass(self):
        code, _, errors = self.run_target(text=SUM)
        self.assertEqual(code, 0, errors)

    def test_a_finding_ends_the_process_in_a_function_of_its_key(self):
        token, function = self.death("sum_misses_last", SUM)
        self.assertEqual(token, "divergence/number/reduction/int")
        other = self.death("sum_misses_last", SUM.replace("[1, 1]", "[3, 5]"))
        self.assertEqual(other, (token, function))
        symbols = subprocess.run(["nm", TARGET], capture_output=True, text=True, check=True).stdout
        self.assertIn(" T " + function + "\n", symbols)
        self.assertEqual(len(re.findall(r" T divergence_[0-7]{2}$", symbols, re.M)), 64)

    def test_findings_are_lines_if_they_are_not_to_end_it(self):
        code, out, errors = self.run_target("--backend=canary", "--fault=sum_misses_last",
                                            "--abort-on-finding=0", text=SUM)
        self.assertEqual(code, 0, errors)
        # libFuzzer runs the text again where it looks for leaks.
        findings = [json.loads(line) for line in out.splitlines()]
        self.assertGreaterEqual(len(findings), 1)
        for finding in findings:
            self.assertEqual(finding["key"], "divergence/number/reduction/int")
            self.assertEqual(finding["verdict"], "divergence")

    def test_it_fuzzes_by_itself(self):
        code, _, errors = self.run_target("-runs=300", "-seed=1")
        self.assertEqual(code, 0, errors)
        self.assertRegex(errors, r"Done 300 runs")

    def test_bad_arguments_are_no_findings(self):
        code, _, errors = self.run_target("--backend=nothing", text=EXP)
        self.assertEqual(code, 5, errors)
        self.assertIn("nothing", errors)


if __name__ == "__main__":
    unittest.main()
