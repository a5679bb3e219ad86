// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  creates the rows of tensors that entries share with the app and with kernels.
// Why:   inputs, outputs and variables have the same description.
// How:   the type of a storage becomes a row. Shapes and lists are appended to the model's dimensions.

#ifndef NACRE_CODEGEN_PACKAGE_TENSORROWS_H
#define NACRE_CODEGEN_PACKAGE_TENSORROWS_H

#include "codegen/package/TableRows.h"
#include "dialects/plan/PlanDialect.h"

namespace nacre::package {

/// Returns the constant of the model format for a type that checkElementTypes() has accepted.
uint32_t elementType(mlir::Type type);

/// Fails unless the model format has the types of all storages that an entry passes to kernels or to the app.
llvm::Error checkElementTypes(mlir::ModuleOp module);

/// Creates rows, and appends their texts and integers to the texts and integers of the model.
class TensorRows {
public:
  TensorRows(Strings &strings, llvm::SmallVector<int64_t> &dims) : strings(strings), dims(dims) {}

  nacre_tensor describe(plan::StorageOp storage);
  /// Returns the row of an input, with its labels and its quantization.
  nacre_tensor describeInput(plan::StorageOp storage);
  /// Returns the row of an output, with its quantization. `firstCount` is the index of the first output that holds a
  /// count, the size of an axis that is only known after a run.
  nacre_tensor describeOutput(plan::StorageOp storage, int64_t firstCount);
  /// Returns the row of a hidden output, with the limit of its value (dialects/nn/Limits.h).
  nacre_tensor describeCount(plan::StorageOp storage);

private:
  /// Adds the quantization of `storage` to `row`: one scale and zero point, or a list of them after the index of their
  /// axis (nacre_tensor).
  void noteQuantization(plan::StorageOp storage, nacre_tensor &row);

  Strings &strings;
  llvm::SmallVector<int64_t> &dims;
};

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_TENSORROWS_H
