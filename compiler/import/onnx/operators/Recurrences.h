// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM, GRU and RNN, of which ONNX and ONNX Runtime have different variants.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERATORS_RECURRENCES_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERATORS_RECURRENCES_H

#include "compiler/import/compositions/recurrent/Cells.h"
#include "compiler/import/onnx/operators/CellFunctions.h"

namespace nacre::importer::onnx_format {

/// Properties in which the operators differ.
struct CellOperator {
  nn::CellKind kind;
  int64_t gates;
  llvm::SmallVector<llvm::StringRef> functions; ///< functions of one direction if the node names none
  bool hasRowsOfGates = true; ///< true if weights are [directions, G * H, inputs]; otherwise, they are [directions,
                              ///< inputs, G * H]
};

/// One direction of a node.
struct Direction {
  int64_t index;
  NnBuilder::Recurrence layer; ///< layer without functions; its weights are [inputs, G * H]
  llvm::ArrayRef<CellFunction> functions;
};

/// Returns `layer` as a CellLayer, which becomes a loop. The functions are `activate`, and products are operators of
/// `nn`. `activate` must live as long as the result.
CellLayer describeCells(NnBuilder &nn, nn::CellKind kind, const NnBuilder::Recurrence &layer,
                        llvm::function_ref<mlir::Value(int64_t, mlir::Value)> activate);

/// Imports a node with operands X, W, R, B, sequence_lens and initial_h, and initial_c and P for an LSTM. `build`
/// builds the operators of one direction.
void importCells(OperandBinder &node, const CellOperator &cell,
                 llvm::function_ref<RecurrentResults(const Direction &direction)> build);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERATORS_RECURRENCES_H
