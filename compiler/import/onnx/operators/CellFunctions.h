// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of recurrent cells: attributes 'activations', 'activation_alpha' and 'activation_beta'.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERATORS_CELLFUNCTIONS_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERATORS_CELLFUNCTIONS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format {

struct CellFunctionKind;

/// A function with its parameters.
struct CellFunction {
  const CellFunctionKind *kind;
  double alpha = 0, beta = 0;

  /// Returns the kind that nn.recurrent has for it, if any.
  std::optional<nn::UnaryKind> getUnary() const;
  mlir::Value apply(NnBuilder &nn, mlir::Value x) const;
};

/// Returns the functions of all directions: `defaults` are those of one direction if the node names none. Functions take their
/// parameters in order, each as many as it has. Fails after an error.
mlir::FailureOr<llvm::SmallVector<CellFunction>>
readCellFunctions(OperandBinder &node, llvm::ArrayRef<llvm::StringRef> defaults, int64_t directions);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERATORS_CELLFUNCTIONS_H
