# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fails if the runtime's archive has grown beyond its budgets. usage:
#   cmake -DSIZE=llvm-size -DARCHIVE=... -DBUDGET=bytes -DSTATE_BUDGET=bytes -P
# The whole .so of a one-operator model has 64 KiB (test/e2e/library_test.py); the rest is for kernels and tables. What
# only models with state link has a budget of its own. Here what several objects have of one inline function is counted
# each time.
set(of_state "^(file_header|json|load|platform_files|save|state|stateful_functions|stored)\\.o$")
execute_process(COMMAND ${SIZE} ${ARCHIVE} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[0-9]+[ \t]+[0-9a-f]+[ \t]+[a-z_0-9]+\\.o" rows "${table}")
set(bytes 0)
set(state_bytes 0)
foreach(row IN LISTS rows)
  string(REGEX MATCH "^([0-9]+)[ \t]+[0-9a-f]+[ \t]+(.*)$" row "${row}")
  set(which bytes)
  if(CMAKE_MATCH_2 MATCHES "${of_state}")
    set(which state_bytes)
  endif()
  string(REGEX MATCH "^([0-9]+)" size "${row}")
  math(EXPR ${which} "${${which}} + ${size}")
endforeach()
message(STATUS "${ARCHIVE}: ${bytes} bytes of ${BUDGET}, of states ${state_bytes} of ${STATE_BUDGET}")
if(bytes EQUAL 0 OR state_bytes EQUAL 0)
  message(FATAL_ERROR "no objects in:\n${table}")
endif()
if(bytes GREATER BUDGET OR state_bytes GREATER STATE_BUDGET)
  message(FATAL_ERROR "the runtime must be at most ${BUDGET} bytes, and of states ${STATE_BUDGET}")
endif()
