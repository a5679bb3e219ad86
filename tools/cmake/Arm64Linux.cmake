# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What:  the toolchain of the preset arm64: nacre-compile and its friends for arm64 Linux, built on x86-64.
# Why:   a wheel for arm64 must not need a machine of that kind.
# How:   clang, with the libraries of Debian's packages for arm64 in build/arm64-sysroot (tools/dev/arm64_sysroot).
#        Generators (protoc, flatc, mlir-tblgen) are this machine's; a program of ours that the build calls runs under
#        qemu.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
cmake_path(SET CMAKE_SYSROOT NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../build/arm64-sysroot)
if(NOT EXISTS ${CMAKE_SYSROOT}/usr/include)
  message(FATAL_ERROR "${CMAKE_SYSROOT} must have Debian's packages for arm64; run tools/dev/arm64_sysroot")
endif()

foreach(language ASM C CXX)
  set(CMAKE_${language}_COMPILER_TARGET aarch64-linux-gnu)
endforeach()
set(CMAKE_C_COMPILER clang-22)
set(CMAKE_CXX_COMPILER clang++-22)
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -fuse-ld=lld)
endforeach()
set(CMAKE_STRIP /usr/bin/aarch64-linux-gnu-strip)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${CMAKE_SYSROOT})

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH) # scripts of report pages are this machine's
