# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
#
# The three shapes a target has here, so that a folder's CMakeLists.txt is a sorted list of sources
# and a link list, and nothing else.

# faultline_library(NAME ir SOURCES shape.cc ... [DEPS faultline::x fmt::fmt ...]
#                   [PRIVATE_DEPS sleef::sleef ...] [COVERED])
#
# One static library a folder: target faultline_<name>, alias faultline::<name>, includes written
# from the root of the tree. A library of headers only leaves SOURCES out. COVERED libraries carry
# libFuzzer's counters in presets fuzz and asan.
function(faultline_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "COVERED" "NAME" "SOURCES;DEPS;PRIVATE_DEPS")
  faultline_check_arguments("${arg_NAME}" "${arg_UNPARSED_ARGUMENTS}")
  set(target faultline_${arg_NAME})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target}
      PUBLIC ${arg_DEPS}
      PRIVATE ${arg_PRIVATE_DEPS} faultline_warnings faultline_sanitizers)
    if(arg_COVERED)
      target_link_libraries(${target} PRIVATE faultline_coverage)
      if(FAULTLINE_COVERAGE)
        # Counters register with libFuzzer, so whatever links them links it too.
        target_link_libraries(${target} INTERFACE faultline_libfuzzer)
      endif()
    endif()
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} INTERFACE ${arg_DEPS})
  endif()
  add_library(faultline::${arg_NAME} ALIAS ${target})
endfunction()

# faultline_executable(NAME faultline SOURCES main.cc ... [DEPS ...]): bin/faultline of the build.
function(faultline_executable)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;DEPS")
  faultline_check_arguments("${arg_NAME}" "${arg_UNPARSED_ARGUMENTS}")
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${arg_NAME} PRIVATE
    ${arg_DEPS} faultline_warnings faultline_sanitizers)
endfunction()

# faultline_test(NAME ir SOURCES shape_test.cc ... [DEPS ...] [LABELS unit fast ...]
#                [TIMEOUT seconds])
#
# One Catch2 executable bin/<name>_test and one ctest entry <preset>.<name>_test; a test case that
# checked nothing fails. Tests run from the root of the tree, so that "corpus/..." names the corpus.
function(faultline_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "SOURCES;DEPS;LABELS")
  faultline_check_arguments("${arg_NAME}" "${arg_UNPARSED_ARGUMENTS}")
  set(target ${arg_NAME}_test)
  faultline_executable(NAME ${target} SOURCES ${arg_SOURCES}
    DEPS ${arg_DEPS} faultline_catch_main Catch2::Catch2)
  faultline_command_test(NAME ${target} COMMAND ${target} --warn NoAssertions
    LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
endfunction()

# faultline_command_test(NAME corpus_replay COMMAND faultline replay corpus [LABELS ...]
#                        [TIMEOUT seconds])
#
# A ctest entry that runs a command (a target's name, or a program) from the root of the tree. Its
# name carries the preset, asan.corpus_replay, because ./test runs several presets in one go. A
# command that ends with 77 has said why it was skipped.
function(faultline_command_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "COMMAND;LABELS")
  faultline_check_arguments("${arg_NAME}" "${arg_UNPARSED_ARGUMENTS}")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(test ${FAULTLINE_PRESET}.${arg_NAME})
  add_test(NAME ${test} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${test} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
    SKIP_RETURN_CODE 77 ENVIRONMENT "${FAULTLINE_TEST_ENVIRONMENT}")
endfunction()

function(faultline_check_arguments name rest)
  if(NOT name)
    message(FATAL_ERROR "${CMAKE_CURRENT_FUNCTION}: NAME is missing")
  endif()
  if(rest)
    message(FATAL_ERROR "target ${name}: unknown arguments: ${rest}")
  endif()
endfunction()
