# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What:  packages for Debian 12: cpack --config build/release/CPackConfig.cmake, or the target `package`.
# Why:   a compiler that must be built first is not tried.
# How:   a component of cmake --install is a package; what Debian wants of each beside that (copyright, changelog) is in
#        tools/distribution. The version is project()'s, what changed is CHANGELOG.md's.

find_package(Python3 3.9 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "no packages: their changelog is made by Python 3")
  return()
endif()

# nacre_package(component package SECTION s SUMMARY line TEXT "..." [DEPENDS "..."] [ALL] [WITH "a, b"])
# WITH recommends; ALL: for all architectures. Sets what CPack reads.
macro(nacre_package component package)
  cmake_parse_arguments(ARG "ALL" "SECTION;SUMMARY;TEXT;DEPENDS;WITH" "" ${ARGN})
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${ARG_SECTION})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${ARG_SUMMARY}\n${ARG_TEXT}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${ARG_DEPENDS}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${ARG_WITH}")
  if(ARG_ALL)
    set(CPACK_DEBIAN_${upper}_PACKAGE_ARCHITECTURE all)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS OFF)
  else()
    set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS ON)
  endif()

  set(folder ${CMAKE_INSTALL_DATADIR}/doc/${package})
  install(FILES tools/distribution/copyright ${changelog} DESTINATION ${folder} COMPONENT ${component} EXCLUDE_FROM_ALL)
  if(EXISTS ${PROJECT_SOURCE_DIR}/tools/distribution/${package}.lintian)
    install(FILES tools/distribution/${package}.lintian DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${package}
            COMPONENT ${component} EXCLUDE_FROM_ALL)
  endif()
endmacro()

# Who answers for a package; whoever gives packages to others says so by -DNACRE_MAINTAINER="Name <address>".
set(NACRE_MAINTAINER "The Nacre developers <nacre@packages.example>" CACHE STRING "Maintainer of the packages")
set(NACRE_HOME_PAGE "" CACHE STRING "URL of the project's page, in the metadata of packages and wheel")
set(changelog ${CMAKE_BINARY_DIR}/packages/changelog.gz)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS CHANGELOG.md tools/distribution/debian_changelog.py)
execute_process(COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/distribution/debian_changelog.py
                        ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${NACRE_MAINTAINER} ${PROJECT_VERSION} ${changelog}
                COMMAND_ERROR_IS_FATAL ANY)

nacre_package(programs nacre SECTION devel WITH "libnacre-dev (= ${PROJECT_VERSION}), nacre-doc (= ${PROJECT_VERSION})"
  SUMMARY "Ahead-of-time compiler of trained networks for phones"
  TEXT "Nacre compiles a network (ONNX, TensorFlow, TensorFlow Lite, Caffe, CNNdroid) into one
shared library with a C header, for Android and Linux on ARM and x86: object
code and GPU kernels, weights packed, memory planned, and a runtime of a few
tens of KiB, all in one file.
.
This package has nacre-compile, nacre-run, which runs, compares and measures
what was compiled, nacre-tune, and the tools of those who change Nacre; with a
small network to try them on.")
nacre_package(development libnacre-dev ALL SECTION libdevel DEPENDS "nacre (>= ${PROJECT_VERSION})"
  SUMMARY "Headers by which apps run networks compiled by Nacre"
  TEXT "The C and C++ headers of the runtime that each compiled network has in it, and
what finds them: a pkg-config file, and a CMake package that compiles a network
in the app's own build. Also nacre-run for arm64 boards and nacre-try for
phones, to be copied there.")
nacre_package(documentation nacre-doc ALL SECTION doc
  SUMMARY "Documents and samples of Nacre, the compiler of networks"
  TEXT "How to compile a network, run it in an app and train it on a device; how Nacre
works inside; the lists of its operators and passes; and samples to build.")
nacre_package(python python3-nacre ALL SECTION python DEPENDS "nacre (>= ${PROJECT_VERSION}), python3 (>= 3.9), python3-numpy"
  SUMMARY "Compile and run trained networks from Python"
  TEXT "The package `nacre` for Python 3: compiles a network, runs it on arrays of NumPy,
trains, measures and profiles it, and is a backend of ONNX.")
if(TARGET nacre-java)
  nacre_package(java libnacre-java SECTION java WITH "nacre (>= ${PROJECT_VERSION}), default-jre-headless"
    SUMMARY "Run networks compiled by Nacre in Java, on Android and here"
    TEXT "The classes and their native library for Java on this machine, and the Android
library nacre-runtime.aar, which apps add beside those that nacre-package makes
of compiled networks.")
endif()

set(CPACK_PACKAGE_NAME nacre)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_VENDOR "The Nacre developers")
set(CPACK_PACKAGE_CONTACT ${NACRE_MAINTAINER})
if(NACRE_HOME_PAGE)
  set(CPACK_PACKAGE_HOMEPAGE_URL ${NACRE_HOME_PAGE})
endif()
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_GENERATOR DEB)
set(CPACK_THREADS 0)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/distribution/compress_pages.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE nacre)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
