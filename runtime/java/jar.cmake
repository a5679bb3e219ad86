# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DJAR=jar -DFOLDER=classes -DOUTPUT=nacre.jar -P jar.cmake: all files of a folder in one archive, by name and of
# one date: whenever and wherever it is built, it has the same bytes.

file(GLOB_RECURSE files RELATIVE ${CMAKE_CURRENT_BINARY_DIR}/${FOLDER} ${CMAKE_CURRENT_BINARY_DIR}/${FOLDER}/*)
list(SORT files)
execute_process(COMMAND ${JAR} --create --no-manifest --no-compress --date=1980-01-01T00:00:02Z --file=${OUTPUT} ${files}
                WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
