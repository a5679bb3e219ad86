# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What:  nacre_add_arm64_tool(<program> SOURCES ... [OPTIONS ...] [LINK ...]): <program>-arm64, where a cross compiler
#        is installed.
# Why:   arm64 models are tested under qemu, and measured on devices, by the same programs.
# How:   the C++ library is linked statically; libc stays shared:
#        docs/decisions/2026-11-21-nacre-run-arm64-links-libc.md.

find_program(NACRE_ARM64_CXX NAMES aarch64-linux-gnu-g++)

function(nacre_add_arm64_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;OPTIONS;LINK" ${ARGN})
  if(NOT NACRE_ARM64_CXX OR NACRE_SANITIZE)
    return()
  endif()
  set(program ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name}-arm64)
  set(objects)
  foreach(source ${ARG_SOURCES} ${NACRE_STANDINS})
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE object)
    string(REPLACE "/" "-" object ${object})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/arm64-${object}.o)
    add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d VERBATIM
                       COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${NACRE_ARM64_CXX} -std=c++17 -O2 -Wall -Wextra -Werror ${NACRE_STACK_GUARD}
                               -fno-rtti -fno-exceptions -DNACRE_VERSION="${PROJECT_VERSION}" -I${PROJECT_SOURCE_DIR} ${ARG_OPTIONS}
                               -MD -MF ${object}.d -c ${source} -o ${object})
    list(APPEND objects ${object})
  endforeach()
  add_custom_command(OUTPUT ${program} DEPENDS ${objects} VERBATIM
                     COMMAND ${NACRE_ARM64_CXX} -static-libstdc++ -static-libgcc ${objects} -ldl ${ARG_LINK} -o ${program})
  add_custom_target(${name}-arm64 ALL DEPENDS ${program})
endfunction()
