// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  writes the constant tables of a compiled model (runtime/include/nacre/model_format.h) to an object file.
// How:   TableRows.h fills in the rows, as C structs, from the plan module. Then 1. an LLVM module with constants for
//        the rows, and relocations for pointers, is created; 2. LLVM writes the object.

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

/// Kernel and its code. There is a variant for each target, the most demanding target first, and possibly GPU code.
struct CompiledKernel {
  plan::KernelOp kernel;
  std::vector<codegen::KernelCode> variants;
  codegen::GpuKernel gpu;
};

/// Weight and its position in the packed weights.
struct PlacedWeight {
  plan::WeightOp weight;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  bool repeats = false; ///< True if its contents are those of another weight at the same position, or their beginning
};

struct TableInputs {
  mlir::ModuleOp module;
  llvm::ArrayRef<CompiledKernel> kernels;
  llvm::ArrayRef<PlacedWeight> weights;
  uint64_t weightsBytes = 0;
  std::string modelName;
  std::string symbol;   ///< Exported symbol: `nacre_model_<name>`
  std::string compiler; ///< Name and version of the compiler
  /// True if the weights are in a separate file. The table then has the layout of the weights instead of a pointer to
  /// them.
  bool weightsApart = false;
  /// True if the linked library will have a checksum (LibrarySum.h). The object reserves space for it.
  bool isSummed = false;
};

/// Returns the name of a hidden symbol. It contains the name of the model, so that an app may link the objects of
/// several models.
std::string variantSymbol(llvm::StringRef modelName, llvm::StringRef kernel, unsigned variant);
std::string weightsSymbol(llvm::StringRef modelName);

struct TableObject {
  llvm::SmallVector<char, 0> object; ///< Object file, which defines the symbol of the inputs
  uint64_t packedGpuBytes = 0;       ///< Size of the packed SPIR-V in bytes
  /// Fingerprint of the layout that a weights file must have; 0 if the weights are in the library
  uint64_t weightsLayout = 0;
};

llvm::Expected<TableObject> buildTableObject(const TableInputs &inputs, const codegen::Target &target);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_TABLEOBJECT_H
