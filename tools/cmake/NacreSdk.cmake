# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What:  the targets sdk, build/<preset>/sdk/nacre-sdk-<version>-linux-<machine>.tar.xz, and wheel,
#        build/<preset>/wheel/nacre-*.whl.
# Why:   who has another system than Debian 12 unpacks a folder, or installs a Python package.
# How:   tools/distribution/make_sdk.py and tools/python/make_wheel.py, of what cmake --install has.

option(NACRE_WHEEL_LIBRARIES "Let the wheel carry the shared libraries that nacre-compile needs, LLVM's above all" ON)
nacre_find_python(python_of_wheels "setuptools, wheel")

# Both are made of the same files; their tests read the options, too.
set(options --build=${CMAKE_BINARY_DIR} --version=${PROJECT_VERSION} --compiler=${CMAKE_CXX_COMPILER})
if(CMAKE_CROSSCOMPILING)
  list(APPEND options --machine=${CMAKE_SYSTEM_PROCESSOR} --sysroot=${CMAKE_SYSROOT})
endif()
set(targets)
foreach(target ${NACRE_PROGRAMS} nacre-manual nacre-operator-page nacre-pass-pages nacre-sample-model nacre-tune-kernels nacre-library-check-shared nacre-java
               nacre-try nacre-run-arm64 nacre-run-of-boards)
  if(TARGET ${target})
    list(APPEND targets ${target})
  endif()
endforeach()
if(TARGET nacre-java)
  list(APPEND options --with=java)
endif()

set(wheel_options ${options})
if(NOT NACRE_WHEEL_LIBRARIES)
  list(APPEND wheel_options --no-libraries)
endif()
if(NACRE_HOME_PAGE) # tools/release says who answers for a wheel
  list(APPEND wheel_options "--maintainer=${NACRE_MAINTAINER}" --home-page=${NACRE_HOME_PAGE})
endif()
list(JOIN wheel_options "\n" wheel_options)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/wheel-options CONTENT "${wheel_options}\n")
add_custom_target(wheel
  COMMAND ${python_of_wheels} -B ${PROJECT_SOURCE_DIR}/tools/python/make_wheel.py @${CMAKE_BINARY_DIR}/wheel-options --output=${CMAKE_BINARY_DIR}/wheel
  DEPENDS ${targets} COMMENT "Wheel of the Python package" VERBATIM)

if(TARGET nacre-run-arm64)
  list(APPEND options --foreign=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/nacre-run-arm64)
endif()
list(JOIN options "\n" options)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/sdk/options CONTENT "${options}\n")
add_custom_target(sdk
  COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/tools/distribution/make_sdk.py @${CMAKE_BINARY_DIR}/sdk/options --output=${CMAKE_BINARY_DIR}/sdk
  DEPENDS ${targets} COMMENT "Archive of the SDK" VERBATIM)
