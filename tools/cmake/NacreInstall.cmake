# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What:  cmake --install: the programs, the runtime's headers, and what finds them: find_package(Nacre) and pkg-config.
# How:   each component is a package too (NacrePackages.cmake): programs, development, documentation. The runtime's
#        archives travel inside nacre-compile.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(NACRE_PROGRAMS nacre-compile nacre-package nacre-report nacre-opt nacre-translate nacre-kernel nacre-lsp-server nacre-run nacre-tune
                   nacre-eval nacre-diff)
set(run_path "$ORIGIN/../lib/nacre")
if(CMAKE_CROSSCOMPILING) # CMake adds no folder of a root that is not this machine's
  list(APPEND run_path ${NACRE_LLVM_PREFIX}/lib)
endif()
foreach(program ${NACRE_PROGRAMS})
  if(TARGET ${program})
    if(NOT program MATCHES "-(run|tune)$")
      # The SDK and wheels bring them along, and what they link: an RPATH, as a RUNPATH is not handed on to libraries of
      # libraries. Not for those that load drivers, which would get these libraries, too, and link none.
      set_target_properties(${program} PROPERTIES INSTALL_RPATH "${run_path}")
      target_link_options(${program} PRIVATE LINKER:--disable-new-dtags)
    endif()
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
  endif()
endforeach()
# A script that somebody ran in the tree leaves bytecode beside it. install() would bring it, or, where a pattern
# chooses files, its empty folder.
set(no_bytecode PATTERN __pycache__ EXCLUDE PATTERN "*.pyc" EXCLUDE)
# What nacre-compile --device=<name> means, to begin from: nacre-tune --base=<file>.
install(DIRECTORY compiler/place/profiles/ DESTINATION ${CMAKE_INSTALL_DATADIR}/nacre/devices COMPONENT programs
        FILES_MATCHING PATTERN "*.json" ${no_bytecode})
install(DIRECTORY runtime/include/nacre DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" ${no_bytecode})
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(DIRECTORY samples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation ${no_bytecode})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation FILES_MATCHING REGEX "\\.(md|png|svg|json)$"
        PATTERN man EXCLUDE PATTERN site EXCLUDE ${no_bytecode})

# None of this depends on the architecture.
set(package ${CMAKE_INSTALL_DATADIR}/cmake/Nacre)
configure_package_config_file(tools/cmake/NacreConfig.cmake.in ${CMAKE_BINARY_DIR}/NacreConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/NacreConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_BINARY_DIR}/NacreConfig.cmake ${CMAKE_BINARY_DIR}/NacreConfigVersion.cmake
              tools/cmake/NacreAddModel.cmake DESTINATION ${package} COMPONENT development)
configure_file(tools/distribution/nacre.pc.in ${CMAKE_BINARY_DIR}/nacre.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/nacre.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig COMPONENT development)

include(NacreFirstSteps)
include(NacrePackages)
if(NACRE_BUILD_COMPILER AND Python3_FOUND AND NOT NACRE_SANITIZE)
  include(NacreSdk)
endif()
