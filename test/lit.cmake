# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What:  lit under ctest and as the target check-lit.
# Why:   ctest must count each file; daily work wants one lit process for all of them.
# How:   discover.cmake is read when ctest starts and lists the files there are, so a new file needs no configuring.

find_program(NACRE_LIT NAMES lit llvm-lit PATHS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH REQUIRED)
set(NACRE_LIT_BUILD ${CMAKE_CURRENT_BINARY_DIR})
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/lit.site.cfg.py.in ${NACRE_LIT_BUILD}/lit.site.cfg.py @ONLY)
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/discover.cmake.in ${NACRE_LIT_BUILD}/discover.cmake @ONLY)
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${NACRE_LIT_BUILD}/discover.cmake)
add_custom_target(check-lit COMMAND ${NACRE_LIT} -sv ${NACRE_LIT_BUILD} COMMENT "lit, one process" USES_TERMINAL VERBATIM)
foreach(tool nacre-opt nacre-kernel nacre-lsp-server nacre-translate nacre-compile nacre-run)
  if(TARGET ${tool})
    add_dependencies(check-lit ${tool})
  endif()
endforeach()
