# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""The table of commands, their help and docs/cli.md say the same; what the small commands print."""

import json
import os
import re

import program


def documented():
    """{command: (summary, text of its section)} of docs/cli.md."""
    with open(os.path.join(program.ROOT, "docs/cli.md"), encoding="utf-8") as file:
        text = file.read()
    table = dict(re.findall(r"^\| \[`([\w-]+)`\]\(#[\w-]+\) \| (.*) \|$", text, re.M))
    sections = re.split(r"^## `([\w-]+)`\n", text, flags=re.M)
    bodies = dict(zip(sections[1::2], sections[2::2]))
    return {name: (summary, bodies.get(name, "")) for name, summary in table.items()}


class Documentation(program.Case):
    def commands(self):
        out, _ = self.faultline("--help", code=0)
        return dict(re.findall(r"^  ([\w-]+) +(.*)$", out, re.M))

    def test_every_command_is_documented(self):
        self.assertEqual(self.commands(),
                         {name: summary for name, (summary, _) in documented().items()})

    def test_every_option_is_documented(self):
        documents = documented()
        for name in self.commands():
            out, _ = self.faultline(name, "--help", code=0)
            options = set(re.findall(r"^  --([a-z-]+)", out.split("\nOptions:\n")[1], re.M))
            options.remove("help")
            self.assertEqual(set(re.findall(r"^\| `--([a-z-]+)", documents[name][1], re.M)),
                             options, name)

    def test_abilities_name_seeded_faults_that_there_are(self):
        with open(os.path.join(program.ROOT, "docs/abilities.md"), encoding="utf-8") as file:
            named = set(re.findall(r"\| `(\w+)` \|$", file.read(), re.M))
        with open(os.path.join(program.ROOT, "fusion/faults.def"), encoding="utf-8") as file:
            seeded = set(re.findall(r"^FAULTLINE_FAULT\((\w+)", file.read(), re.M))
        self.assertGreater(len(named), 30)
        self.assertEqual(named - seeded, set())

    def test_every_help_has_an_example(self):
        for name in self.commands():
            out, _ = self.faultline(name, "--help", code=0)
            self.assertIn(f"  faultline {name}", out)
            self.assertTrue(out.startswith(f"Usage: faultline {name}"), out)


class Ops(program.Case):
    def test_json(self):
        for arguments in (("ops", "--json"), ("ops", "--json", "-")):
            out, _ = self.faultline(*arguments, code=0)
            ops = {row["mnemonic"]: row for row in json.loads(out)}
            self.assertEqual(ops["matmul"]["family"], "numeric")
            self.assertIn("f32", ops["add"]["dtypes"])
            self.assertNotIn("i32", ops["exp"]["dtypes"])
            self.assertIn("reference", ops["exp"]["backends"])
            self.assertEqual([row["dtype"] for row in ops["exp"]["support"]], ops["exp"]["dtypes"])
            self.assertEqual({row["admits"] for row in ops["exp"]["support"]}, {"set"})
            self.assertEqual({row["admits"] for row in ops["neg"]["support"]}, {"one"})

    def test_the_documented_table_is_this_one(self):
        out, _ = self.faultline("ops", "--markdown", code=0)
        with open(os.path.join(program.ROOT, "docs/ops.md"), encoding="utf-8") as file:
            documented = file.read()
        if documented != out:
            self.fail("docs/ops.md is stale. In the root of the tree run:\n  "
                      f"{program.PROGRAM} ops --markdown docs/ops.md")

    def test_text(self):
        out, _ = self.faultline("ops", code=0)
        self.assertRegex(out, r"(?m)^softmax +activation +f64 f32 f16 bf16 quantized$")


class Schemes(program.Case):
    def test_documented_errors_are_those_measured(self):
        out, _ = self.faultline("schemes", "--errors", code=0)
        with open(os.path.join(program.ROOT, "docs/quantization.md"), encoding="utf-8") as file:
            page = file.read()
        table = page[page.index("## Measured errors"):].split("\n\n")[2].splitlines()
        self.assertGreater(len(table), 20)
        stale = [row for row in table if row not in out.splitlines()]
        self.assertEqual(stale, [], "docs/quantization.md is stale: take the rows of "
                                    "`faultline schemes --errors`")


class OracleStats(program.Case):
    def figures(self, *arguments):
        figures = self.json("oracle-stats", "--runs", "1100", "--certify", "200", *arguments,
                            code=0)
        for row in [figures, *figures["ops"]]:
            row.pop("reference_cost_ratio")
        figures.pop("seconds")
        return figures

    def test_figures_do_not_depend_on_the_number_of_processes(self):
        figures = self.figures()
        self.assertEqual(figures["adversary_programs"], 1100)
        self.assertEqual(figures["adversary_flagged"], 0)
        self.assertGreater(figures["share_exact"], 0.6)
        self.assertLess(figures["share_vacuous"], 0.005)
        self.assertGreater(figures["mpfr_elements"], 5000)
        self.assertEqual((figures["mpfr_violations"], figures["naive_outside"]), (0, 0))
        self.assertEqual(figures["not_certified"], [])
        self.assertEqual({row["certified"] for row in figures["ops"]}, {"mpfr", "exact"})
        self.assertEqual(figures, self.figures("--jobs", "2"))
        self.assertNotEqual(figures, self.figures("--seed", "2"))

    def test_table(self):
        out, _ = self.faultline("oracle-stats", "--runs", "64", "--certify", "0", code=0)
        self.assertRegex(out, r"(?m)^all +\d+ +\d")
        self.assertIn("64 legal executions, 0 flagged; 0 elements by MPFR", out)


class Backends(program.Case):
    def test_list(self):
        out, _ = self.faultline("backends", code=0)
        for name in ("canary", "reference"):
            self.assertRegex(out, rf"(?m)^{name} ")
        self.assertIn("--fault tail_dropped", out)

    def test_contract(self):
        out, _ = self.faultline("backends", "--backend", "reference", "--contract", code=0)
        self.assertIn("one_value", out)


class Show(program.Case):
    BODY = "%a: f32[2] = input [0x1p+0, -0x1p+1]\n%e: f32[2] = exp %a\nread %e\n"

    def test_canonical_text(self):
        self.write("a.fl", "faultline 1\n%a: f32[2]   = input [1, -2]\n%e: f32[2] = exp %a\nread %e")
        out, _ = self.faultline("show", "a.fl", code=0)
        self.assertEqual(out, "faultline 1\n" + self.BODY)

    def test_values(self):
        self.program("a.fl", self.BODY)
        out, _ = self.faultline("show", "a.fl", "--values", "--backend", "reference", code=0)
        self.assertIn("%a: f32[2], 2 of 2 elements are points\n  [0] 0x1p+0\n  [1] -0x1p+1\n", out)
        self.assertRegex(out, r"%e: f32\[2\], 0 of 2 elements are points\n  \[0\] 0x1\.5bf0a[0-9a-f]+p\+1  in \[")
        self.assertTrue(out.endswith("read %e: ok\n"))

    def test_graph(self):
        self.program("a.fl", self.BODY)
        out, _ = self.faultline("show", "a.fl", "--graph", "--backend", "reference", code=0)
        self.assertIn('"a" -> "e";', out)
        self.assertTrue(out.startswith("digraph"))


class Report(program.Case):
    def test_a_campaign_again_and_two_together(self):
        for name, seed in (("a", "1"), ("b", "2")):
            self.faultline("fuzz", "--backend", "canary", "--runs", "300", "--jobs", "1", "--seed",
                           seed, "--stop-at-first", "--out", name, code=1)
        out, _ = self.faultline("report", "a", "--html", "a.html", code=1)
        self.assertIn("Campaign of canary: 1 result", out)
        self.assertRegex(out, r"(?m)^1\. divergence: ")
        with open(self.path("a.html"), encoding="utf-8") as file:
            self.assertIn("Campaign of canary", file.read())
        both, _ = self.faultline("report", "a", "b", "--markdown", "-", code=1)
        self.assertTrue(both.startswith("# Campaign of canary\n\n2 results, "), both)
        self.assertIn("```\nfaultline 1\n", both)

    def test_what_is_no_result(self):
        self.write("folder/result.json", "{}")
        self.write("text.json", "no json")
        _, err = self.faultline("report", "folder", code=3)
        self.assertIn("error: no result of a campaign: ", err)
        self.faultline("report", "text.json", code=3)
        _, err = self.faultline("report", "absent", code=3)
        self.assertEqual(err, "absent: error: no results of a campaign here\n")
        self.faultline("report", code=2)


class Conformance(program.Case):
    def test_a_fault_breaks_the_law_it_is_about(self):
        for fault, check in (("reads_swapped", "read_every_kind"),
                             ("handle_leaked", "clones_count"),
                             ("quantized_read_aborts", "read_quantized_only"),
                             ("stale_scalars", "same_after_variants"),
                             ("reread_differs", "read_twice"),
                             ("index_unchecked", "read_all_or_nothing")):
            summary = self.json("conformance", "--backend", "canary", "--fault", fault,
                                "--filter", check, code=1)
            self.assertEqual((summary["checks"], summary["broken"]), (1, 1), fault)


if __name__ == "__main__":
    program.main()
