# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""`faultline replay`: verdicts, exit codes, known divergences, reports."""

import json
import os
import re
import shlex
import signal
import subprocess
import time
import xml.etree.ElementTree

import program

AGREES = "%a: i32[2] = input [1, 2]\n%n: i32[2] = neg %a\nread %n\n"
# tail_dropped shows on it, and no other fault of the canary does.
TAIL = "%a: i32[9] = input iota(start=1, step=1)\n%n: i32[9] = neg %a\nread %n\n"
QUANTIZED = ("%a: f32[1] = input [0x1p+0]\n%q: q8s[3] = input codes=[1, 2, 3] scales=[0x1p+0]\n"
             "read %a %q\n")
SYNC = "stream 1\n%a: i32[1] = input [5]\nsync\nread %a\n"
REFERENCE = ("--backend", "reference")
CANARY = ("--backend", "canary")


class Verdicts(program.Case):
    def test_agree(self):
        self.program("a.fl", AGREES)
        out, err = self.faultline("replay", "a.fl", *REFERENCE, code=0)
        self.assertRegex(out, r"^1 file: 1 agree in \d+\.\d s\n$")
        self.assertEqual(err, "")

    def test_divergence_with_a_line_that_replays_it(self):
        self.program("a.fl", TAIL)
        out, _ = self.faultline("replay", "a.fl", *CANARY, code=1)
        self.assertEqual(re.sub(r" in \d+\.\d s", "", out), """\
a.fl: divergence on canary: %n (i32[9]): element 8 is 0, admissible is -9; 1 of 9 elements wrong (single)
  at line 4: read %n
  first wrong: %n: i32[9] = neg %a
  [8] is 0, admissible -9
  DEDUP_TOKEN: divergence/number/elementwise/int
  replay: faultline replay a.fl --backend canary
1 file: 1 divergence
""")
        line = re.search(r"replay: faultline (.*)", out)[1]
        again, _ = self.faultline(*shlex.split(line), code=1)
        self.assertIn("DEDUP_TOKEN: divergence/number/elementwise/int", again)

    def test_threads_of_a_backend_need_not_survive_a_fork(self):
        build = os.path.dirname(os.path.dirname(program.PROGRAM))
        plugin = os.path.join(build, "examples", "threaded.so")
        self.program("a.fl", "%a: f32[3] = input [0x1p+0, 0x1p+0, 0x1p+0]\n"
                             "%s: f32[1] = sum_dim %a dim=0\n%n: f32[1] = neg %s\nread %n\n")
        begin = time.monotonic()
        out, _ = self.faultline("replay", "a.fl", "--backend", plugin, code=1)
        self.assertIn("first wrong: %s: f32[1] = sum_dim %a dim=0", out)
        # Less than a run that hangs is given.
        self.assertLess(time.monotonic() - begin, 9)

    def test_crash_costs_one_file(self):
        for name in ("a.fl", "c.fl"):
            self.program(name, AGREES)
        self.program("b.fl", QUANTIZED)
        summary = self.json("replay", ".", *CANARY, "--fault", "quantized_read_aborts", code=1)
        self.assertEqual([result["verdict"] for result in summary["results"]],
                         ["agree", "crash", "agree"])
        self.assertEqual(summary["results"][1]["key"], "crash/check failed: quantized tensors in "
                                                       "a transaction are not implemented")

    def test_hang_costs_one_file(self):
        self.program("a.fl", SYNC)
        self.program("b.fl", AGREES)
        summary = self.json("replay", ".", *CANARY, "--fault", "sync_hangs", "--timeout", "1s",
                            code=1)
        self.assertEqual([result["verdict"] for result in summary["results"]], ["hang", "agree"])

    def test_several_backends(self):
        self.program("a.fl", TAIL)
        summary = self.json("replay", "a.fl", *REFERENCE, *CANARY, code=1)
        self.assertEqual([(result["backend"], result["verdict"]) for result in summary["results"]],
                         [("reference", "agree"), ("canary", "divergence")])
        self.assertEqual(summary["files"], 1)

    def test_a_new_engine_a_file_unless_shared(self):
        for name, factor in (("a.fl", 2), ("b.fl", 3)):
            self.program(name, "%a: i32[1] = input [5]\n"
                               f"%b: i32[1] = mul_scalar %a {factor}\nread %b\n")
        stale = (*CANARY, "--fault", "stale_scalars", "--jobs", "1")
        self.assertEqual(self.json("replay", ".", *stale, code=0)["agree"], 2)
        shared = self.json("replay", ".", *stale, "--shared-engine", code=1)
        self.assertEqual([result["verdict"] for result in shared["results"]],
                         ["agree", "divergence"])

    def test_rejected_texts(self):
        head = "faultline 1\n# why: a test\n# status: rejected "
        self.write("a.fl", head + "syntax 4\nfrobnicate\n")
        self.write("b.fl", head + "syntax 5\nfrobnicate\n")
        self.write("c.fl", head + "syntax 4\nread\n")
        summary = self.json("replay", ".", *REFERENCE, code=1)
        self.assertEqual([result["verdict"] for result in summary["results"]],
                         ["agree", "divergence", "divergence"])


class Known(program.Case):
    def test_a_known_divergence_is_an_expected_failure(self):
        self.program("corpus/a.fl", AGREES)
        self.program("corpus/known/tail.fl", "# why: not yet\n" + TAIL)
        out, _ = self.faultline("replay", "corpus", *CANARY, code=0)
        self.assertIn("2 files: 1 agree, 1 expected failure", out)

    def test_one_that_no_longer_fails_is_reported(self):
        self.program("corpus/known/tail.fl", "# why: not yet\n" + TAIL)
        out, _ = self.faultline("replay", "corpus", *REFERENCE, code=1)
        self.assertIn("corpus/known/tail.fl: no longer fails", out)

    def test_a_folder_of_another_name(self):
        self.program("open/tail.fl", "# why: not yet\n" + TAIL)
        self.program("a.fl", AGREES)
        summary = self.json("replay", "a.fl", "--known", "open", *CANARY, code=0)
        self.assertEqual((summary["agree"], summary["expected_failure"]), (1, 1))


class Reports(program.Case):
    def test_json(self):
        self.program("a.fl", TAIL)
        self.faultline("replay", "a.fl", *CANARY, "--json", "out.json", code=1)
        with open(self.path("out.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual(summary["files"], 1)
        self.assertEqual(summary["divergence"], 1)
        for zero in ("agree", "crash", "hang", "leak", "unsupported", "vacuous", "inconclusive",
                     "bad_input", "expected_failure", "no_longer_fails"):
            self.assertEqual(summary[zero], 0, zero)
        result = summary["results"][0]
        self.assertGreater(result.pop("seconds"), 0)
        self.assertEqual(result, {
            "file": "a.fl", "backend": "canary", "verdict": "divergence",
            "key": "divergence/number/elementwise/int", "aspect": "number", "value": "n",
            "type": "i32[9]", "op": "neg", "statement": "read %n", "line": 4,
            "message": "%n (i32[9]): element 8 is 0, admissible is -9; "
                       "1 of 9 elements wrong (single)",
            "localised": "yes", "first_wrong": "%n: i32[9] = neg %a", "pattern": "single", "mismatches": 1,
            "elements": [{"index": 8, "part": "", "expected": "-9", "actual": "0", "plain": "-9",
                          "ulp": 0}],
            "compared": 0, "exact": 0, "unbounded": 0})

    def test_junit(self):
        self.program("a.fl", AGREES)
        self.program("b.fl", TAIL)
        self.faultline("replay", ".", *REFERENCE, *CANARY, "--junit", "out.xml", code=1)
        suites = xml.etree.ElementTree.parse(self.path("out.xml")).getroot()
        self.assertEqual([(suite.get("name"), suite.get("tests"), suite.get("failures"))
                          for suite in suites],
                         [("faultline replay canary", "2", "1"),
                          ("faultline replay reference", "2", "0")])

    def test_interrupt_writes_what_is_there(self):
        self.program("a.fl", AGREES)
        self.program("b.fl", SYNC)
        run = subprocess.Popen(
            [program.PROGRAM, "replay", ".", *CANARY, "--fault", "sync_hangs", "--jobs", "1",
             "--json", "out.json"], cwd=self.folder.name, stdout=subprocess.PIPE, text=True)
        # It waits for b.fl, which never ends; the signal may come before a.fl is judged.
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=60)
        self.assertIn("(interrupted)", out)
        with open(self.path("out.json"), encoding="utf-8") as file:
            self.assertTrue(json.load(file)["interrupted"])
        self.assertEqual(run.returncode, 0)

    def test_the_report_alone_on_stdout(self):
        self.program("a.fl", TAIL)
        out, _ = self.faultline("replay", "a.fl", *CANARY, "--junit", "-", code=1)
        xml.etree.ElementTree.fromstring(out)


class Corpus(program.Case):
    def test_every_seed_agrees_with_the_reference(self):
        corpus = os.path.join(program.ROOT, "corpus")
        summary = self.json("replay", corpus, *REFERENCE, code=0)
        self.assertGreater(summary["files"], 0)
        wrong = [result for result in summary["results"]
                 if result["verdict"] not in ("agree", "expected_failure")]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    program.main()
