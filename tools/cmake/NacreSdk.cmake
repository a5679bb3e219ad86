# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What:  the target sdk: build/<preset>/sdk/nacre-sdk-<version>-linux-<machine>.tar.xz.
# Why:   who has another system than Debian 12 unpacks a folder.
# How:   tools/distribution/make_sdk.py, of what cmake --install has.

set(sdk_options --build=${CMAKE_BINARY_DIR} --version=${PROJECT_VERSION} --compiler=${CMAKE_CXX_COMPILER})
set(sdk_targets)
foreach(target ${NACRE_PROGRAMS} nacre-manual nacre-operator-page nacre-pass-pages nacre-tune-kernels nacre-java nacre-run-arm64)
  if(TARGET ${target})
    list(APPEND sdk_targets ${target})
  endif()
endforeach()
if(TARGET nacre-java)
  list(APPEND sdk_options --with=java)
endif()
if(TARGET nacre-run-arm64)
  list(APPEND sdk_options --foreign=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/nacre-run-arm64)
endif()
list(JOIN sdk_options "\n" sdk_options)
set(sdk_folder ${CMAKE_BINARY_DIR}/sdk)
file(CONFIGURE OUTPUT ${sdk_folder}/options CONTENT "${sdk_options}\n") # of its test, too
add_custom_target(sdk
  COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/tools/distribution/make_sdk.py @${sdk_folder}/options --output=${sdk_folder}
  DEPENDS ${sdk_targets} COMMENT "Archive of the SDK" VERBATIM)
