#!/usr/bin/env bash
# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs the system packages that Faultline is built with (Debian 12 or newer). Safe to run again:
# with nothing to do it takes a few milliseconds. Works as root and through sudo.

set -euo pipefail

packages=(
  catch2                        # test framework
  ccache                        # second builds in seconds
  clang-19                      # the compiler
  cmake
  libbenchmark-dev
  libboost-program-options-dev
  libclang-rt-19-dev            # sanitizers and libFuzzer
  libfmt-dev
  libgmp-dev
  libmimalloc-dev               # malloc of the program faultline
  libmpfr-dev                   # certification of the reference
  libonnx-testdata              # ONNX's node tests, which tests/cli runs
  libopenblas0-serial           # opened at run time by fusion/cpu
  libsleef-dev                  # vector functions within 1 ULP
  lld-19                        # linker
  llvm-19                       # llvm-symbolizer: names in crash reports
  ninja-build
  nlohmann-json3-dev
  ocl-icd-libopencl1            # OpenCL loader, opened at run time by fusion/opencl
  opencl-headers
  pocl-opencl-icd               # an OpenCL device on the CPU
  python3                       # tests/tidy
)

say() { printf 'set-up: %s\n' "$*"; }
fail() {
  printf 'set-up: error: %s\n' "$1" >&2
  shift
  if [ $# -gt 0 ]; then printf '        %s\n' "$@" >&2; fi
  exit 5
}

# Prints the packages of the list that are not installed, one a line.
missing_packages() {
  { dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true; } |
    awk -v wanted="${packages[*]}" '
      $1 == "installed" { have[$2] = 1 }
      END { n = split(wanted, name, " ")
            for (i = 1; i <= n; i++) if (!(name[i] in have)) print name[i] }'
}

# Runs a command as root, asking for a password only where somebody can type one.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif [ -t 0 ] && [ -z "${CI:-}" ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Runs apt-get quietly; what it printed is shown only when it failed.
apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300 "$@" \
    </dev/null >"$log" 2>&1
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  # Another distribution: the tools may be there all the same, and CMake names missing libraries.
  for tool in clang++-19 ld.lld-19 cmake ninja ccache python3; do
    command -v "$tool" >/dev/null || fail "this system has no apt-get, and $tool is missing" \
      "Install the equivalents of these Debian packages yourself:" "${packages[*]}"
  done
  exit 0
fi

mapfile -t missing < <(missing_packages)
[ ${#missing[@]} -gt 0 ] || exit 0

command_line="apt-get install --no-install-recommends ${missing[*]}"
say "${#missing[@]} of ${#packages[@]} packages are missing: ${missing[*]}"
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || fail "you are not root and there is no sudo" \
    "Let an administrator run: $command_line"
  say "installing needs root: using sudo"
fi

start=$SECONDS
say "refreshing the package lists"
if ! apt -o APT::Update::Error-Mode=any update; then
  tail -n 8 "$log" >&2
  say "the lists could not be refreshed; trying with the old ones"
fi

unknown=()
for package in "${missing[@]}"; do
  apt-cache show "$package" >/dev/null 2>&1 || unknown+=("$package")
done
if [ ${#unknown[@]} -gt 0 ]; then
  release=$(. /etc/os-release 2>/dev/null && printf '%s' "${PRETTY_NAME:-unknown}")
  fail "this system ($release) offers no package called: ${unknown[*]}" \
    "Faultline needs Debian 12 or newer with its main archive enabled, and a network to reach it."
fi

say "installing (about a minute and 1 GB of disk from nothing)"
if ! apt install --no-install-recommends "${missing[@]}"; then
  # A package manager that was interrupted before has to be put in order first.
  as_root dpkg --configure -a </dev/null >>"$log" 2>&1 || true
  if ! apt install --no-install-recommends "${missing[@]}"; then
    tail -n 15 "$log" >&2
    fail "apt-get could not install the packages (its last lines are above)" \
      "To see all of it, run as root: $command_line"
  fi
fi

mapfile -t missing < <(missing_packages)
[ ${#missing[@]} -eq 0 ] || fail "still missing after installing: ${missing[*]}"
say "done in $((SECONDS - start)) s"
