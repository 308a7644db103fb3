#!/usr/bin/env bash
# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
#
# device_report.sh FAULTLINE DEVICE FOLDER: fusion-opencl on one OpenCL device, from the root of the tree: the device's
# contract, conformance, the corpus and a short campaign. Each part has a file in FOLDER and a line on stdout. Ends with 1
# if one of them found something.

set -uo pipefail

[ $# -eq 3 ] || { echo "usage: $0 FAULTLINE DEVICE FOLDER" >&2; exit 2; }
faultline=$1
on=(--backend fusion-opencl --device "$2")
folder=$3
mkdir -p "$folder"
failed=0

part() {
  local name=$1
  shift
  if "$@" >"$folder/$name.txt" 2>&1; then
    echo "$name: $(tail -n 1 "$folder/$name.txt")"
  else
    echo "$name: FAILED with exit code $?, see $folder/$name.txt"
    failed=1
  fi
}

part devices "$faultline" devices --contract
part conformance "$faultline" conformance "${on[@]}"
part corpus "$faultline" replay "${on[@]}" corpus
part campaign "$faultline" fuzz "${on[@]}" --runs 20000 --corpus corpus/seeds --out "$folder/campaign"
exit $failed
