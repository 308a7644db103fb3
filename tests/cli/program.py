# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `faultline` for the tests of this folder. The path of the program is the last argument."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Case(unittest.TestCase):
    """A test in a folder of its own, which is the working directory of what it runs."""

    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return name

    def program(self, name, body):
        """A program file; the version line is added."""
        return self.write(name, "faultline 1\n" + body)

    def faultline(self, *arguments, code):
        """Exits with `code`; returns (stdout, stderr)."""
        run = subprocess.run([PROGRAM, *arguments], cwd=self.folder.name, text=True,
                             capture_output=True, timeout=120)
        self.assertEqual(run.returncode, code,
                         f"faultline {' '.join(arguments)}\n{run.stdout}{run.stderr}")
        return run.stdout, run.stderr

    def json(self, *arguments, code):
        out, _ = self.faultline(*arguments, "--json", "-", code=code)
        return json.loads(out)


def main():
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv.pop())
    sys.modules["program"].PROGRAM = PROGRAM
    unittest.main()
