# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How every target of ours is compiled: the warnings, the sanitizers and the include root, said once.

add_library(nacre-flags INTERFACE)
target_include_directories(nacre-flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(nacre-flags INTERFACE -Wall -Wextra -Werror
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -fno-exceptions>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ 12 notes that it gives up on this warning in large headers, and -Werror then fails the build.
  target_compile_options(nacre-flags INTERFACE -Wno-misleading-indentation)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # libstdc++ 12's stable_sort calls a function that it has itself deprecated.
  target_compile_options(nacre-flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()
if(NACRE_SANITIZE)
  target_compile_options(nacre-flags INTERFACE -fsanitize=${NACRE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(nacre-flags INTERFACE -fsanitize=${NACRE_SANITIZE})
  if(NACRE_SANITIZE MATCHES undefined)
    # LLVM's libraries carry no RTTI for this check.
    target_compile_options(nacre-flags INTERFACE -fno-sanitize=vptr)
  endif()
  if(NACRE_SANITIZE MATCHES address AND NACRE_BUILD_COMPILER)
    set(is_program $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
    target_sources(nacre-flags INTERFACE $<${is_program}:${CMAKE_CURRENT_LIST_DIR}/sanitizer/Options.cpp>)
    target_include_directories(nacre-flags BEFORE INTERFACE ${CMAKE_CURRENT_LIST_DIR}/sanitizer)
    target_compile_definitions(nacre-flags INTERFACE _GLIBCXX_ASSERTIONS)
  endif()
endif()

# A write past an array on the stack ends a program: nacre-run and nacre-tune, which run on devices, and the own sources
# of all others. Libraries over MLIR share precompiled headers without the guard; models carry a runtime without it, for
# its size.
set(NACRE_STACK_GUARD -fstack-protector-strong)
function(nacre_guard_stack name links)
  if(NOT "nacre-mlir" IN_LIST links)
    target_compile_options(${name} PRIVATE ${NACRE_STACK_GUARD})
  endif()
endfunction()

# nacre_precompile(name HEADERS <a.h> ... LINK lib ... [DEPENDS target ...] [PROGRAMS]): headers that libraries of ours,
# or programs, do not parse again for each of their files: nacre_add_library(... PRECOMPILED name).
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cpp CONTENT "// Holds the precompiled headers.\n")
function(nacre_precompile name)
  cmake_parse_arguments(ARG "PROGRAMS" "" "HEADERS;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(${name} PUBLIC nacre-flags ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(ARG_PROGRAMS) # whose code is for another place than a library's
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE})
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # A time in the file would make it a new one for ccache whenever it is built.
    target_compile_options(${name} PRIVATE -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# nacre_add_library(name SOURCES a.cpp ... LINK lib ... [PRECOMPILED target]): a static library of ours. Over
# nacre-mlir, its files have the headers that `target` has precompiled, nacre-precompiled by default.
function(nacre_add_library name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC nacre-flags ${ARG_LINK})
  nacre_guard_stack(${name} "${ARG_LINK}")
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if("nacre-mlir" IN_LIST ARG_LINK)
    if(NOT ARG_PRECOMPILED)
      set(ARG_PRECOMPILED nacre-precompiled)
    endif()
    target_precompile_headers(${name} REUSE_FROM ${ARG_PRECOMPILED})
  endif()
endfunction()

# What older systems lack, so that the programs of a wheel and of the SDK start there (tools/distribution/floor.py
# checks).
set(NACRE_STANDINS ConditionVariable FindObject Random)
list(TRANSFORM NACRE_STANDINS REPLACE "(.+)" "${CMAKE_CURRENT_LIST_DIR}/standins/\\1.cpp")
add_library(nacre-standins OBJECT ${NACRE_STANDINS})
target_link_libraries(nacre-standins PRIVATE nacre-flags)

# nacre_add_tool(name SOURCES a.cpp ... LINK lib ...): a program in bin/, which knows its NACRE_VERSION.
function(nacre_add_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} $<TARGET_OBJECTS:nacre-standins>)
  target_link_libraries(${name} PRIVATE nacre-flags ${ARG_LINK})
  nacre_guard_stack(${name} "${ARG_LINK}")
  target_compile_definitions(${name} PRIVATE NACRE_VERSION="${PROJECT_VERSION}")
endfunction()

# nacre_add_test_program(name SOURCES a.cpp ... LINK lib ...): a GoogleTest program; it needs a main of its own or
# GTest::gtest_main.
function(nacre_add_test_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  set(precompiled nacre-precompiled-test)
  if("nacre-mlir" IN_LIST ARG_LINK)
    set(precompiled nacre-precompiled-mlir-test)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE nacre-flags ${ARG_LINK} GTest::gtest)
  target_precompile_headers(${name} REUSE_FROM ${precompiled})
endfunction()

# nacre_add_unit_test(name SOURCES a.cpp ... LINK lib ...): a GoogleTest program with GoogleTest's main.
function(nacre_add_unit_test name)
  nacre_add_test_program(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
endfunction()

# nacre_find_python(variable "numpy, wheel"): the first Python that has these modules; the first of all where none has.
# Debian's packages are Debian's Python's, which may not be the first.
function(nacre_find_python variable modules)
  foreach(python ${Python3_EXECUTABLE} /usr/bin/python3)
    # Not from the current folder: a build folder has one called wheel.
    execute_process(COMMAND ${python} -c "import sys; del sys.path[0]; import ${modules}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(${variable} ${python} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${variable} ${Python3_EXECUTABLE} PARENT_SCOPE)
endfunction()
