# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fails if the runtime's archive has grown beyond its budget. usage: cmake -DSIZE=llvm-size -DARCHIVE=... -DBUDGET=bytes -P
# The whole .so of a one-operator model has 64 KiB (test/e2e/library_test.py); the rest is for kernels and tables. Here
# what several objects have of one inline function is counted each time.
execute_process(COMMAND ${SIZE} -t ${ARCHIVE} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
if(NOT table MATCHES "([0-9]+)[ \t]+[0-9a-f]+[ \t]+\\(TOTALS\\)")
  message(FATAL_ERROR "no totals in:\n${table}")
endif()
message(STATUS "${ARCHIVE}: ${CMAKE_MATCH_1} bytes of ${BUDGET}")
if(CMAKE_MATCH_1 GREATER BUDGET)
  message(FATAL_ERROR "the runtime must be at most ${BUDGET} bytes, but is ${CMAKE_MATCH_1}")
endif()
