// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of recurrent cells: the attributes 'activations', 'activation_alpha' and 'activation_beta'.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERATORS_CELLFUNCTIONS_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERATORS_CELLFUNCTIONS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format {

struct CellFunctionKind;

/// Function of a cell with its parameters.
struct CellFunction {
  const CellFunctionKind *kind;
  double alpha = 0, beta = 0;

  /// Returns the kind of the function in nn.recurrent, or `nullopt` if nn.recurrent does not support it.
  std::optional<nn::UnaryKind> getUnary() const;
  mlir::Value apply(NnBuilder &nn, mlir::Value x) const;
};

/// Returns the functions of all directions. If the node names no functions, each direction has the `defaults`.
/// Functions that have parameters take them from the attributes, in order. Fails after an error.
mlir::FailureOr<llvm::SmallVector<CellFunction>>
readCellFunctions(OperandBinder &node, llvm::ArrayRef<llvm::StringRef> defaults, int64_t directions);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERATORS_CELLFUNCTIONS_H
