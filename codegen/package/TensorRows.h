// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the rows of tensors that entries share with the app and with kernels.
// Why:   inputs, outputs and variables have the same description.
// How:   a storage's type becomes a row; shapes and lists are appended to the model's numbers.

#ifndef NACRE_CODEGEN_PACKAGE_TENSORROWS_H
#define NACRE_CODEGEN_PACKAGE_TENSORROWS_H

#include "codegen/package/TableRows.h"
#include "dialects/plan/PlanDialect.h"

namespace nacre::package {

/// Returns the model format's number of a type that checkElementTypes() has not refused.
uint32_t elementType(mlir::Type type);

/// Fails unless the model format has the types of everything that an entry passes to kernels, or to the app.
llvm::Error checkElementTypes(mlir::ModuleOp module);

/// Creates rows, and appends their texts and numbers to those of the model.
class TensorRows {
public:
  TensorRows(Strings &strings, llvm::SmallVector<int64_t> &dims) : strings(strings), dims(dims) {}

  nacre_tensor describe(plan::StorageOp storage);
  /// Adds the labels and the quantization of the input.
  nacre_tensor describeInput(plan::StorageOp storage);
  /// Adds the quantization of the output. The outputs from `firstCount` on hold the number of elements of its axes.
  nacre_tensor describeOutput(plan::StorageOp storage, int64_t firstCount);

private:
  /// Adds the quantization of `storage`: one scale and zero point, or a list of them that follows the number of their
  /// axis (nacre_tensor).
  void noteQuantization(plan::StorageOp storage, nacre_tensor &row);

  Strings &strings;
  llvm::SmallVector<int64_t> &dims;
};

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_TENSORROWS_H
