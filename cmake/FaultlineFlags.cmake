# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
#
# Every compiler flag of the project, as INTERFACE targets. The presets only choose among the
# options below; nothing else in the tree sets a flag.

option(FAULTLINE_FAULTS "Compile the seeded faults of fusion/faults.def in" OFF)
option(FAULTLINE_COVERAGE "Count functions of the COVERED libraries for libFuzzer" OFF)
set(FAULTLINE_PRESET "plain" CACHE STRING "The preset's name, with which its tests begin")
set(FAULTLINE_SANITIZE "" CACHE STRING "Sanitizers: empty, address, undefined or thread")
set_property(CACHE FAULTLINE_SANITIZE PROPERTY STRINGS "" address undefined thread)

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR
    "Faultline is built with clang 19 or newer, but the compiler is ${CMAKE_CXX_COMPILER_ID} "
    "${CMAKE_CXX_COMPILER_VERSION}. Run cmake/setup.sh and use a preset: cmake --preset dev")
endif()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# Objects do not depend on where the tree lies: names of files are relative, in messages and debug
# information as well, and so ccache shares objects among clones and worktrees.
file(RELATIVE_PATH to_root ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${to_root}=)
find_program(FAULTLINE_CCACHE ccache)
mark_as_advanced(FAULTLINE_CCACHE)
if(FAULTLINE_CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${FAULTLINE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# Floating point is pinned: contraction would make results depend on the optimiser. errno is of no
# interest and costs vectorised sqrt. Never -ffast-math, never -march=native: a binary built on one
# machine is run on another.
add_compile_options(-ffp-contract=off -fno-math-errno -fno-omit-frame-pointer -fdiagnostics-color)

add_library(faultline_warnings INTERFACE)
target_compile_options(faultline_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wsign-conversion -Wswitch
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast -Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Wmissing-declarations>
  # What a designated initializer leaves out is meant to be left out.
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-designated-field-initializers>)

# Whether the seeded faults exist must be the same in every unit, so it is not a matter of one
# library.
if(FAULTLINE_FAULTS)
  add_compile_definitions(FAULTLINE_FAULTS=1)
endif()

# The runtime of the sanitizer, without its instrumentation of arithmetic: what Catch2's own main
# gets, which takes 40 s to compile under UndefinedBehaviorSanitizer and gains nothing from it.
add_library(faultline_sanitizer_runtime INTERFACE)
add_library(faultline_sanitizers INTERFACE)
if(FAULTLINE_SANITIZE STREQUAL "address")
  # function, pointer-overflow, null and alignment make array loops 3 to 8 times slower; preset
  # ubsan has them and replays the corpus.
  set(flags -fsanitize=address,undefined
    -fno-sanitize=function,pointer-overflow,null,alignment -fno-sanitize-recover=undefined)
  target_compile_options(faultline_sanitizer_runtime INTERFACE -fsanitize=address)
elseif(FAULTLINE_SANITIZE STREQUAL "undefined")
  set(flags -fsanitize=undefined -fno-sanitize-recover=undefined)
elseif(FAULTLINE_SANITIZE STREQUAL "thread")
  set(flags -fsanitize=thread)
  target_compile_options(faultline_sanitizer_runtime INTERFACE ${flags})
elseif(FAULTLINE_SANITIZE STREQUAL "")
  set(flags)
else()
  message(FATAL_ERROR "FAULTLINE_SANITIZE is '${FAULTLINE_SANITIZE}', which is none of: empty, "
    "address, undefined, thread")
endif()
target_compile_options(faultline_sanitizers INTERFACE ${flags})
target_link_options(faultline_sanitizers INTERFACE ${flags})

# A report of a sanitizer without names of functions is of little use; the symbolizer is not looked
# for under its versioned name.
set(FAULTLINE_TEST_ENVIRONMENT)
if(FAULTLINE_SANITIZE)
  find_program(FAULTLINE_SYMBOLIZER llvm-symbolizer-19 llvm-symbolizer)
  mark_as_advanced(FAULTLINE_SYMBOLIZER)
  foreach(sanitizer ASAN TSAN UBSAN)
    list(APPEND FAULTLINE_TEST_ENVIRONMENT
      ${sanitizer}_OPTIONS=print_stacktrace=1:external_symbolizer_path=${FAULTLINE_SYMBOLIZER})
  endforeach()
endif()

# Feedback for libFuzzer. Only libraries marked COVERED pay for it (a tile loop would be 3.2 times
# slower), and what they decide is what the campaign has to explore. Functions, not edges: libFuzzer
# spends as much on 2,000 edges a program as the planner does, and they find nothing that our own
# features do not: over 31 faults and three seeds each, from nothing, both needed 106 programs
# (geometric mean) and found all.
add_library(faultline_coverage INTERFACE)
if(FAULTLINE_COVERAGE)
  target_compile_options(faultline_coverage INTERFACE
    -fsanitize-coverage=func,inline-8bit-counters,pc-table)
endif()
