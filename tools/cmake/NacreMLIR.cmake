# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# LLVM, MLIR and LLD 22, and how our dialects and passes are generated from their .td files.

set(NACRE_LLVM_PREFIX /usr/lib/llvm-22 CACHE PATH "Prefix of LLVM 22")
find_package(ZLIB REQUIRED)
find_package(MLIR 22.1 REQUIRED CONFIG HINTS ${NACRE_LLVM_PREFIX}/lib/cmake/mlir)
find_package(LLD 22.1 REQUIRED CONFIG HINTS ${NACRE_LLVM_PREFIX}/lib/cmake/lld)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
if(CMAKE_CROSSCOMPILING) # the packages name those of the other machine
  find_program(NACRE_MLIR_TABLEGEN mlir-tblgen PATHS ${NACRE_LLVM_PREFIX}/bin NO_DEFAULT_PATH REQUIRED)
  set(MLIR_TABLEGEN_EXE ${NACRE_MLIR_TABLEGEN})
  set(MLIR_TABLEGEN_TARGET ${NACRE_MLIR_TABLEGEN})
endif()
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# mlir_tablegen reads the directory property, so this cannot be a target property.
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${CMAKE_SOURCE_DIR})

# Only the two shared libraries: a component target would bring a second, static copy of every TypeID.
add_library(nacre-mlir INTERFACE)
separate_arguments(NACRE_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_definitions(nacre-mlir INTERFACE ${NACRE_LLVM_DEFINITIONS})
target_include_directories(nacre-mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${CMAKE_BINARY_DIR})
target_link_libraries(nacre-mlir INTERFACE nacre-flags MLIR LLVM)

# These headers cost more than our code. A header of ours is among them where more than half of the files need it: a
# change of it compiles all of them again.
set(NACRE_PRECOMPILED_MLIR
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/MemRef/IR/MemRef.h> <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Tensor/IR/Tensor.h> <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/IR/AsmState.h> <mlir/IR/Builders.h>
  <mlir/IR/BuiltinOps.h> <mlir/IR/Diagnostics.h> <mlir/IR/PatternMatch.h> <mlir/Pass/Pass.h>
  <llvm/ADT/StringSet.h> <llvm/ADT/TypeSwitch.h> <llvm/Support/Error.h> <functional> <map> <optional> <set> <string> <variant> <vector>)
nacre_precompile(nacre-precompiled LINK nacre-mlir DEPENDS NacrePlanIncGen
  HEADERS ${NACRE_PRECOMPILED_MLIR} <mlir/Dialect/GPU/IR/GPUDialect.h> <dialects/plan/PlanDialect.h>)
nacre_precompile(nacre-precompiled-nn LINK nacre-mlir DEPENDS NacreNnIncGen HEADERS ${NACRE_PRECOMPILED_MLIR} <dialects/nn/NnDialect.h>)

# nacre_add_dialect(target dialect-name BaseName): dialects/<n>/<Base>{Dialect,Interfaces,Ops}.td to .inc files beside
# it in the build tree.
function(nacre_add_dialect target name base)
  set(LLVM_TARGET_DEFINITIONS ${base}Ops.td)
  mlir_tablegen(${base}Dialect.h.inc -gen-dialect-decls -dialect=${name})
  mlir_tablegen(${base}Dialect.cpp.inc -gen-dialect-defs -dialect=${name})
  mlir_tablegen(${base}Enums.h.inc -gen-enum-decls)
  mlir_tablegen(${base}Enums.cpp.inc -gen-enum-defs)
  mlir_tablegen(${base}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${name})
  mlir_tablegen(${base}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${name})
  mlir_tablegen(${base}Ops.h.inc -gen-op-decls -dialect=${name})
  mlir_tablegen(${base}Ops.cpp.inc -gen-op-defs -dialect=${name})
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${base}Interfaces.td)
    set(LLVM_TARGET_DEFINITIONS ${base}Interfaces.td)
    mlir_tablegen(${base}Interfaces.h.inc -gen-op-interface-decls)
    mlir_tablegen(${base}Interfaces.cpp.inc -gen-op-interface-defs)
  endif()
  add_public_tablegen_target(${target})
endfunction()

# nacre_add_passes(target Group): Passes.td of this folder to Passes.h.inc.
function(nacre_add_passes target group)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name=${group})
  add_public_tablegen_target(${target})
endfunction()
