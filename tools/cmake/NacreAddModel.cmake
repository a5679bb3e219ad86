# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# nacre_add_model(target model.onnx [NAME name] [TARGET linux-arm64] [OPTIONS --cpu=... ...])
#
# Compiles the model in the app's build and links it: #include "<name>.h", use nacre_model_<name>. The name is the
# file's stem unless given. The machine is the one the app is built for, also when cross-compiling; OPTIONS go to
# nacre-compile.

function(nacre_add_model target model)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "NAME;TARGET" "OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "nacre_add_model: unknown arguments ${ARG_UNPARSED_ARGUMENTS}; write OPTIONS before nacre-compile's options")
  endif()
  cmake_path(ABSOLUTE_PATH model)
  cmake_path(GET model STEM LAST_ONLY stem)
  if(ARG_NAME)
    set(stem ${ARG_NAME})
  endif()
  string(MAKE_C_IDENTIFIER ${stem} name)
  if(NOT ARG_TARGET)
    _nacre_machine(ARG_TARGET)
  endif()

  # A folder for each user of the model: two targets may compile it with different options.
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.nacre)
  set(library ${folder}/lib${name}.so)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${library} ${folder}/${name}.h
    COMMAND ${NACRE_COMPILE} ${model} -o ${library} --target=${ARG_TARGET} ${ARG_OPTIONS}
    DEPENDS ${model} ${NACRE_COMPILE} COMMENT "Compiling ${stem} for ${ARG_TARGET}" VERBATIM)
  target_sources(${target} PRIVATE ${folder}/${name}.h)
  target_include_directories(${target} PRIVATE ${folder} ${NACRE_INCLUDE_DIR})
  target_link_libraries(${target} PRIVATE ${library})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${library})
endfunction()

# The nacre-compile target of the machine that CMake builds for.
function(_nacre_machine result)
  if(CMAKE_SYSTEM_NAME STREQUAL "Android" AND CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(machine android-arm64)
  elseif(CMAKE_SYSTEM_NAME STREQUAL "Android" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64")
    set(machine android-x86_64)
  elseif(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(machine linux-arm64)
  elseif(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(machine linux-x86_64)
  else()
    message(FATAL_ERROR "nacre_add_model: no target for ${CMAKE_SYSTEM_NAME} on ${CMAKE_SYSTEM_PROCESSOR}; give TARGET")
  endif()
  set(${result} ${machine} PARENT_SCOPE)
endfunction()
