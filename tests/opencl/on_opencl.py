# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a command on the default OpenCL device: on_opencl.py FAULTLINE COMMAND ARGUMENT...

Where there is no device, says why and ends with 77, which CTest reports as skipped. Otherwise the kernel is built first,
by a process that nobody times.
"""

import os
import subprocess
import sys

SKIPPED = 77
NOT_HERE = 5  # exit code of faultline for a device that is missing


def main(faultline, *command):
    made = subprocess.run([faultline, "backends", "--backend", "fusion-opencl"], text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if made.returncode == NOT_HERE:
        print(f"skipped: {made.stderr.strip()}")
        return SKIPPED
    if made.returncode != 0:
        print(made.stderr, file=sys.stderr)
        return made.returncode
    return subprocess.run(command, check=False,
                          env={"FAULTLINE_TEST_TARGET": "opencl", **os.environ}).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
