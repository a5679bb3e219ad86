# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What:  what is installed beside the programs for whoever begins: a network and a picture for it in share/nacre,
#        nacre-run for a board in lib/nacre/linux-arm64.
# Why:   a first try must need neither a model of one's own nor a cross compiler (docs/start).
# How:   made in the build folder at the places that they have once installed, relative to the programs.

find_package(Python3 3.9 COMPONENTS Interpreter)
if(NACRE_BUILD_COMPILER AND Python3_FOUND)
  set(folder ${CMAKE_BINARY_DIR}/share/nacre)
  set(sample ${folder}/convnet.onnx ${folder}/convnet.input.npy)
  set(maker ${PROJECT_SOURCE_DIR}/samples/models/make_convnet.py)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${sample} DEPENDS ${maker} ${PROJECT_SOURCE_DIR}/samples/models/onnx_writer.py VERBATIM
                     COMMAND Python3::Interpreter -B ${maker} ${folder})
  add_custom_target(nacre-sample-model ALL DEPENDS ${sample})
  install(FILES ${sample} DESTINATION ${CMAKE_INSTALL_DATADIR}/nacre COMPONENT programs)
endif()

if(TARGET nacre-run-arm64 AND NACRE_LLVM_PREFIX)
  set(program ${CMAKE_BINARY_DIR}/lib/nacre/linux-arm64/nacre-run)
  cmake_path(GET program PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${program} DEPENDS nacre-run-arm64 ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/nacre-run-arm64 VERBATIM
                     COMMAND ${NACRE_LLVM_PREFIX}/bin/llvm-strip -o ${program} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/nacre-run-arm64)
  add_custom_target(nacre-run-of-boards ALL DEPENDS ${program})
  # In a package for all machines, because what builds packages would look for this program's C library on this one.
  install(PROGRAMS ${program} DESTINATION lib/nacre/linux-arm64 COMPONENT development)
endif()
