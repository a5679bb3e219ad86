# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What Debian wants compressed in a package, before CPack packs it: manual pages.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/*.1)
if(pages)
  execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
