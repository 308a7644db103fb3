# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
#
# What ./fuzz and ./test share: announce a step, time it, configure and build a preset. Sourced with
# the working directory at the root of the tree. A step that was interrupted is taken up again by
# the next run.

say() { printf '== %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$1" >&2
  exit "${2:-5}"
}

set_up() {
  cmake/setup.sh
  if [ ! -w "${HOME:-/nonexistent}" ] && [ -z "${CCACHE_DIR:-}" ]; then
    export CCACHE_DIR=$PWD/build/ccache
  fi
  mkdir -p build
}

# Off a terminal a line a unit would bury what matters, so of ninja's progress only one line in ten
# seconds is kept (its own clock stands in "[done/all 12.3s]"), and everything that is not progress.
thin_progress() {
  awk '!/^\[[0-9]+\/[0-9]+ / { print; fflush(); next }
       { split(substr($1, 2), n, "/")
         if ($2 + 0 >= shown + 10 || n[1] == n[2]) { print; fflush(); shown = $2 + 0 } }'
}

# build_preset PRESET [TARGET...]
build_preset() {
  local preset=$1 folder=build/$1 start=$SECONDS
  shift
  mkdir -p "$folder"
  exec 8>"$folder/.lock"
  if ! flock -n 8; then
    say "$preset: waiting for another run that is building it"
    flock 8
  fi
  # A tree that was moved or copied keeps the old paths in its cache.
  if [ -f "$folder/CMakeCache.txt" ] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$folder/CMakeCache.txt"; then
    say "$preset: the tree has moved, configuring anew"
    rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles" "$folder/build.ninja"
  fi
  if [ ! -f "$folder/build.ninja" ] || [ CMakePresets.json -nt "$folder/build.ninja" ]; then
    say "$preset: configuring"
    if ! cmake --preset "$preset" >"$folder/configure.log" 2>&1; then
      tail -n 30 "$folder/configure.log" >&2
      fail "configuring preset $preset failed (all of it: $folder/configure.log)"
    fi
    touch "$folder/build.ninja"
  fi
  say "$preset: building"
  if [ -t 1 ]; then
    NINJA_STATUS='[%f/%t %es] ' ninja -C "$folder" "$@"
  else
    NINJA_STATUS='[%f/%t %es] ' ninja -C "$folder" "$@" | thin_progress
  fi || fail "building preset $preset failed (the compiler's message is above)" 4
  exec 8>&-
  say "$preset: built in $((SECONDS - start)) s"
}
