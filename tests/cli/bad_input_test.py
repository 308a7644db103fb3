# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""What is wrong with an input is said with its place, the rest still runs, nothing is lost."""

import program

GOOD = "%a: i32[2] = input [1, 2]\n%n: i32[2] = neg %a\nread %n\n"
REFERENCE = ("--backend", "reference")


class BadPrograms(program.Case):
    def check(self, text, error):
        """`error` is all that stderr says; a good program beside it is still judged."""
        self.write("bad.fl", text)
        self.program("good.fl", GOOD)
        out, err = self.faultline("replay", "bad.fl", "good.fl", *REFERENCE, code=3)
        self.assertEqual(err, error + "\n")
        self.assertIn("2 files: 1 agree, 1 bad input", out)

    def check_body(self, body, error):
        self.check("faultline 1\n" + body, error)

    def test_unknown_op(self):
        self.check_body("%a: f32[2] = input constant(0x1p+0)\n%b: f32[2] = frobnicate %a\nread %b\n",
                        "bad.fl:3:14: error: unknown op 'frobnicate'")

    def test_wrong_type(self):
        self.check_body("%a: f32[2] = input constant(0x1p+0)\n%b: f32[3] = exp %a\nread %b\n",
                        "bad.fl:3:1: error: exp: result is declared f32[3], but is f32[2]")

    def test_truncated(self):
        self.check_body("%a: f32[2] = input [0x1p+0, 0x1", "bad.fl:2:29: error: '0x1' is no f32 value")

    def test_too_many_elements(self):
        self.check_body("%a: f32[1000000,1000000] = input constant(0x1p+0)\nread %a\n",
                        "bad.fl:2:1: error: shape [1000000,1000000] has 1000000000000 elements, "
                        "above the limit of 4194304")

    def test_missing_name(self):
        self.check_body("%b: f32[2] = exp %a\nread %b\n",
                        "bad.fl:2:18: error: value %a is not made so far")

    def test_cyclic_name(self):
        self.check_body("%a: f32[2] = exp %a\nread %a\n",
                        "bad.fl:2:18: error: value %a is used by the statement that makes it")

    def test_use_after_drop(self):
        self.check_body("%a: f32[2] = input constant(0x1p+0)\ndrop %a\nread %a\n",
                        "bad.fl:4:1: error: value %a is used after its drop")

    def test_binary_garbage(self):
        self.check(bytes(range(256)), "bad.fl:1:1: error: a program begins with the line 'faultline 1'")

    def test_wrong_version(self):
        self.check("faultline 2\nread\n", "bad.fl:1:11: error: format version '2' is not known, only '1' is")

    def test_empty_file(self):
        self.check("", "bad.fl: error: the file is empty")

    def test_too_long(self):
        self.check("faultline 1\n" + "sync\n" * 300000,
                   "bad.fl: error: the file has more than 1048576 bytes")

    def test_unknown_need(self):
        self.check_body("# needs: speed=11\nread\n", "bad.fl: error: unknown need 'speed'")

    def test_expect_against_the_reference(self):
        self.check_body(GOOD + "expect %n = [-1, 2]\n",
                        "bad.fl:5:1: error: expect on %n element 1 is 2, but the reference gives -2")


class BadPaths(program.Case):
    def test_absent_file(self):
        _, err = self.faultline("replay", "absent.fl", *REFERENCE, code=3)
        self.assertEqual(err, "absent.fl: error: no such file or directory\n")

    def test_folder_without_programs(self):
        self.write("folder/notes.txt", "nothing")
        _, err = self.faultline("replay", "folder", *REFERENCE, code=3)
        self.assertEqual(err, "folder: error: no program (*.fl) in this directory\n")

    def test_the_rest_still_runs(self):
        self.program("good.fl", GOOD)
        out, _ = self.faultline("replay", "absent.fl", "good.fl", *REFERENCE, code=3)
        self.assertIn("1 file: 1 agree", out)

    def test_show_names_the_place(self):
        self.program("bad.fl", "%a: f32[2] = inputt\n")
        _, err = self.faultline("show", "bad.fl", code=3)
        self.assertRegex(err, r"^bad\.fl:2:14: error: .*\n$")


class BadUsage(program.Case):
    def test_unknown_command(self):
        _, err = self.faultline("frobnicate", code=2)
        self.assertIn("error: unknown command 'frobnicate'", err)

    def test_no_command(self):
        out, _ = self.faultline(code=2)
        self.assertIn("Usage: faultline COMMAND", out)

    def test_unknown_option(self):
        _, err = self.faultline("replay", "--frobnicate", code=2)
        self.assertIn("--frobnicate", err)
        self.assertIn("usage: faultline replay", err)

    def test_value_that_is_no_number(self):
        _, err = self.faultline("replay", "x.fl", "--jobs", "many", code=2)
        self.assertIn("error: --jobs takes N, got 'many'", err)

    def test_nothing_to_replay(self):
        _, err = self.faultline("replay", code=2)
        self.assertEqual(err, "error: replay needs a file or a directory\n")

    def test_unknown_backend(self):
        self.program("good.fl", GOOD)
        _, err = self.faultline("replay", "good.fl", "--backend", "frobnicate", code=2)
        self.assertIn("error: unknown backend 'frobnicate'", err)

    def test_unknown_fault(self):
        self.program("good.fl", GOOD)
        _, err = self.faultline("replay", "good.fl", "--backend", "canary", "--fault", "frob", code=2)
        self.assertIn("error: canary has no fault 'frob'", err)


class FullDisk(program.Case):
    def test_results_are_printed_though_the_report_cannot_be_written(self):
        self.program("good.fl", GOOD)
        for option in ("--json", "--junit"):
            out, err = self.faultline("replay", "good.fl", *REFERENCE, option, "/dev/full", code=5)
            self.assertEqual(err, "error: cannot write /dev/full: No space left on device\n")
            self.assertIn("1 file: 1 agree", out)

    def test_findings_are_printed_though_the_report_cannot_be_written(self):
        self.program("bad.fl", "%a: i32[9] = input iota(start=1, step=1)\n"
                               "%n: i32[9] = neg %a\nread %n\n")
        out, _ = self.faultline("replay", "bad.fl", "--backend", "canary", "--json", "/dev/full",
                                code=5)
        self.assertIn("DEDUP_TOKEN: divergence/number/elementwise/int", out)

    def test_ops(self):
        _, err = self.faultline("ops", "--json", "/dev/full", code=5)
        self.assertEqual(err, "error: cannot write /dev/full: No space left on device\n")


if __name__ == "__main__":
    program.main()
