# Copyright The Faultline Authors
# SPDX-License-Identifier: Apache-2.0
#
# Everything that comes from the system, found once. OpenBLAS and the OpenCL loader are missing on
# purpose: fusion/cpu and fusion/opencl open them at run time.

# Finds one library with its header and wraps both in an imported target, because these packages
# ship no CMake configuration of their own. Fails with the name of the script that installs them.
function(faultline_system_library target library header)
  find_library(FAULTLINE_${library}_LIBRARY ${library})
  find_path(FAULTLINE_${library}_INCLUDE ${header})
  mark_as_advanced(FAULTLINE_${library}_LIBRARY FAULTLINE_${library}_INCLUDE)
  if(NOT FAULTLINE_${library}_LIBRARY OR NOT FAULTLINE_${library}_INCLUDE)
    message(FATAL_ERROR "lib${library} or <${header}> was not found. Run cmake/setup.sh first.")
  endif()
  add_library(${target} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION ${FAULTLINE_${library}_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${FAULTLINE_${library}_INCLUDE})
endfunction()

faultline_system_library(gmp::gmp gmp gmp.h)
faultline_system_library(mpfr::mpfr mpfr mpfr.h)
faultline_system_library(sleef::sleef sleef sleef.h)
target_link_libraries(mpfr::mpfr INTERFACE gmp::gmp)

# The headers alone: fusion/opencl opens the loader at run time.
find_path(FAULTLINE_OPENCL_INCLUDE CL/cl.h)
mark_as_advanced(FAULTLINE_OPENCL_INCLUDE)
if(NOT FAULTLINE_OPENCL_INCLUDE)
  message(FATAL_ERROR "<CL/cl.h> was not found. Run cmake/setup.sh first.")
endif()

find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)                                      # fmt::fmt
find_package(nlohmann_json 3.11 REQUIRED)                         # nlohmann_json::nlohmann_json
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)      # Boost::program_options
find_package(Catch2 2.13 REQUIRED)                                # Catch2::Catch2
find_package(benchmark 1.7 REQUIRED)                              # benchmark::benchmark
find_package(mimalloc 2.0 REQUIRED)                               # mimalloc

# libFuzzer as a library: the program keeps its own main and calls LLVMFuzzerRunDriver. It comes
# with the compiler, and works without instrumented code as well.
execute_process(
  COMMAND ${CMAKE_CXX_COMPILER} -print-resource-dir
  OUTPUT_VARIABLE resource_dir OUTPUT_STRIP_TRAILING_WHITESPACE)
find_library(FAULTLINE_LIBFUZZER
  NAMES libclang_rt.fuzzer_no_main-${CMAKE_SYSTEM_PROCESSOR}.a libclang_rt.fuzzer_no_main.a
  PATHS ${resource_dir}/lib/linux ${resource_dir}/lib/${CMAKE_LIBRARY_ARCHITECTURE}
        ${resource_dir}/lib/${CMAKE_SYSTEM_PROCESSOR}-unknown-linux-gnu
  NO_DEFAULT_PATH)
mark_as_advanced(FAULTLINE_LIBFUZZER)
if(NOT FAULTLINE_LIBFUZZER)
  message(FATAL_ERROR "libFuzzer (libclang_rt.fuzzer_no_main) was not found under "
    "${resource_dir}. Run cmake/setup.sh, which installs libclang-rt-19-dev.")
endif()
add_library(faultline_libfuzzer INTERFACE)
target_link_libraries(faultline_libfuzzer INTERFACE
  ${FAULTLINE_LIBFUZZER} Threads::Threads ${CMAKE_DL_LIBS} m)
