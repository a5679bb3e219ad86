// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM, GRU and RNN, which ONNX and ONNX Runtime have in different versions.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERATORS_RECURRENCES_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERATORS_RECURRENCES_H

#include "compiler/import/compositions/recurrent/Cells.h"
#include "compiler/import/onnx/operators/CellFunctions.h"

namespace nacre::importer::onnx_format {

/// Differences between the operators.
struct CellOperator {
  nn::CellKind kind;
  int64_t gates;
  llvm::SmallVector<llvm::StringRef> functions; ///< functions of one direction, if the node names none
  bool hasRowsOfGates = true; ///< weights are [directions, G * H, inputs], else [directions, inputs, G * H]
};

/// One direction of a node.
struct Direction {
  int64_t index;
  NnBuilder::Recurrence layer; ///< without functions; its weights are [inputs, G * H]
  llvm::ArrayRef<CellFunction> functions;
};

/// Returns the layer as a loop with these functions, and with products of `nn`. `activate` must live as long as the
/// layer.
CellLayer describeCells(NnBuilder &nn, nn::CellKind kind, const NnBuilder::Recurrence &layer,
                        llvm::function_ref<mlir::Value(int64_t, mlir::Value)> activate);

/// Imports a node with operands X, W, R, B, sequence_lens, initial_h, and for an LSTM initial_c and P. `build` computes
/// a direction.
void importCells(OperandBinder &node, const CellOperator &cell,
                 llvm::function_ref<RecurrentResults(const Direction &direction)> build);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERATORS_RECURRENCES_H
