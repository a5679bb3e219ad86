// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  writes the constant tables of a compiled model (runtime/include/nacre/model_format.h) to an object file.
// How:   TableRows.h fills in the rows, as C structs, from the plan module. 1. Create an LLVM module with constants for
//        them and relocations for pointers. 2. Let LLVM write the object.

#ifndef NACRE_CODEGEN_PACKAGE_TABLEOBJECT_H
#define NACRE_CODEGEN_PACKAGE_TABLEOBJECT_H

#include "codegen/Backend.h"
#include "dialects/plan/PlanDialect.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace nacre::package {

/// A kernel and its code: for each target, the most demanding first, and for GPUs if it has any.
struct CompiledKernel {
  plan::KernelOp kernel;
  std::vector<codegen::KernelCode> variants;
  codegen::GpuKernel gpu;
};

/// A weight and its position in the packed bytes.
struct PlacedWeight {
  plan::WeightOp weight;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  bool repeats = false; ///< True if an earlier weight has the same bytes and position
};

struct TableInputs {
  mlir::ModuleOp module;
  llvm::ArrayRef<CompiledKernel> kernels;
  llvm::ArrayRef<PlacedWeight> weights;
  uint64_t weightsBytes = 0;
  std::string modelName;
  std::string symbol;   ///< `nacre_model_<name>`
  std::string compiler; ///< Name and version
  /// True if the weights are in a file: the table does not point to them, but has their layout.
  bool weightsApart = false;
  /// True if the linked library will have a checksum (LibrarySum.h); the object has room for it.
  bool isSummed = false;
};

/// Hidden symbols of a model; they carry its name, so that an app may link the objects of several models.
std::string variantSymbol(llvm::StringRef modelName, llvm::StringRef kernel, unsigned variant);
std::string weightsSymbol(llvm::StringRef modelName);

struct TableObject {
  llvm::SmallVector<char, 0> object; ///< Defines the symbol of the inputs
  uint64_t packedGpuBytes = 0;       ///< The size of its packed SPIR-V
  uint64_t weightsLayout = 0;        ///< The layout of a weights file that fits; 0 if the weights are in the library
};

llvm::Expected<TableObject> buildTableObject(const TableInputs &inputs, const codegen::Target &target);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_TABLEOBJECT_H
