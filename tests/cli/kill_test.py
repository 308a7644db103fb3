# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""A campaign that is killed at random moments loses no finding and no program of its corpus."""

import glob
import json
import os
import random
import signal
import subprocess
import time

import program

KILLS = 20


class KillTest(program.Case):
    def records(self):
        """Ids of the findings that are on disk, one for each record."""
        ids = []
        for path in glob.glob(self.path("out/findings/*.jsonl")):
            with open(path, encoding="utf-8") as file:
                for line in file.read().split("\n"):
                    try:
                        ids.append(json.loads(line)["id"])
                    except json.JSONDecodeError:
                        pass  # empty, or what its writer died in
        return ids

    def corpus(self):
        folder = self.path("out/corpus")
        return set(os.listdir(folder)) if os.path.isdir(folder) else set()

    def kill_once(self, arguments, seconds):
        run = subprocess.Popen([program.PROGRAM, "fuzz", *arguments], cwd=self.folder.name,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        run.send_signal(signal.SIGKILL)
        run.wait()
        time.sleep(0.1)  # its workers die with it

    def test_random_kills(self):
        moments = random.Random(20261201)
        findings = []
        corpus = set()
        arguments = ["--backend", "canary", "--time", "60s", "--jobs", "2", "--out", "out"]
        for kill in range(KILLS):
            self.kill_once(arguments, moments.uniform(0.05, 0.8))
            arguments = ["--resume", "out"]
            missing = set(findings) - set(self.records())
            self.assertFalse(missing, f"findings lost by kill {kill}")
            findings = self.records()
            entries = self.corpus()
            self.assertFalse(corpus - entries, f"programs lost by kill {kill}")
            corpus = entries
        self.assertTrue(findings)
        self.assertTrue(corpus)
        result = self.json("fuzz", "--resume", "out", "--time", "1s", code=1)
        self.assertEqual(result["findings_recorded"], len(self.records()))
        self.assertGreaterEqual(result["findings_recorded"], len(findings))
        self.assertFalse(corpus - self.corpus())


if __name__ == "__main__":
    program.main()
