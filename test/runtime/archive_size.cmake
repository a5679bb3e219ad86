# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fails if the runtime has grown beyond its budgets. usage:
#   cmake -DSIZE=llvm-size -DLINKER=ld.lld -DARCHIVE=... -DBUDGET=bytes -DSTATE_BUDGET=bytes -P
# What models without state may link is counted object by object, so what several of them have of one inline function is
# counted each time: the whole .so of a one-operator model has 64 KiB (test/e2e/library_test.py); the rest is for kernels
# and tables. Of states it is what a model with some is larger than one without: both are linked here, of nothing else.
set(of_state "^(json|labels|load|platform_files|save|state|stateful_functions|stored)\\.o$")
execute_process(COMMAND ${SIZE} ${ARCHIVE} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[0-9]+[ \t]+[0-9a-f]+[ \t]+[a-z_0-9]+\\.o" rows "${table}")
set(bytes 0)
foreach(row IN LISTS rows)
  string(REGEX REPLACE "^([0-9]+).*[ \t]([a-z_0-9.]+)$" "\\1;\\2" row "${row}")
  list(GET row 0 size)
  list(GET row 1 object)
  if(NOT object MATCHES "${of_state}")
    math(EXPR bytes "${bytes} + ${size}")
  endif()
endforeach()
if(bytes EQUAL 0)
  message(FATAL_ERROR "no objects in:\n${table}")
endif()

# linked_size(result symbol): text and data of all that is reached from there.
function(linked_size result symbol)
  get_filename_component(folder ${ARCHIVE} DIRECTORY)
  set(library ${folder}/size-of-${symbol}.so)
  execute_process(COMMAND ${LINKER} -shared --gc-sections --hash-style=gnu -z now -u ${symbol} ${ARCHIVE} -o ${library}
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${SIZE} ${library} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE ${library})
  string(REGEX MATCH "\n *([0-9]+)[ \t]+([0-9]+)" row "${table}")
  math(EXPR sum "${CMAKE_MATCH_1} + ${CMAKE_MATCH_2}")
  set(${result} ${sum} PARENT_SCOPE)
endfunction()
linked_size(without nacre_runtime_functions)
linked_size(with nacre_runtime_stateful_functions)
math(EXPR state_bytes "${with} - ${without}")

message(STATUS "${ARCHIVE}: ${bytes} bytes of ${BUDGET}; linked ${without}, with states ${state_bytes} of ${STATE_BUDGET} more")
if(bytes GREATER BUDGET OR without LESS 8192 OR state_bytes LESS 1024 OR state_bytes GREATER STATE_BUDGET)
  message(FATAL_ERROR "the runtime must be at most ${BUDGET} bytes, and states at most ${STATE_BUDGET} more")
endif()
