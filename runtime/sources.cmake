# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What:  NACRE_RUNTIME_SOURCES: the sources of the runtime's archive, which are the members of all features.

file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/features.def NACRE_RUNTIME_SOURCES REGEX "^NACRE_MEMBER\\(")
list(TRANSFORM NACRE_RUNTIME_SOURCES REPLACE "^NACRE_MEMBER\\((.+)\\)$" "\\1")
