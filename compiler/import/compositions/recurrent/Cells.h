// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of the cells of nn.recurrent (LSTM, GRU, RNN) whose functions and products the caller supplies.
//
// nn.recurrent names its functions and multiplies floats. Functions with parameters and products of quantized numbers
// become operators in the body of a loop instead. They have the order of an expanded recurrent layer
// (compiler/graph/control/ExpandRecurrence.cpp), so that passes and kernels find the same step.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_CELLS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_CELLS_H

#include "compiler/import/compositions/recurrent/Lstm.h"

namespace nacre::importer {

/// One direction of a layer over [T, B, I], with H hidden states. The G gates are adjacent in the order of
/// nn.recurrent.
struct CellLayer {
  nn::CellKind kind;
  mlir::Value input;
  mlir::Value weights, recurrence;        ///< [I, G * H] and [H, G * H]
  mlir::Value bias;                       ///< [G * H]; may be null
  mlir::Value recurrenceBias;             ///< [G * H], only for a GRU with `resetsProducts`; may be null
  mlir::Value lengths;                    ///< [B]: length of each row; may be null
  mlir::Value peepholes;                  ///< [3, H], only for an LSTM; may be null
  mlir::Value initialHidden, initialCell; ///< [B, H]; null: zeros
  bool reverse = false;
  bool resetsProducts = false; ///< a GRU multiplies the reset gate by the product with the state, not by the state
  bool inputForget = false;    ///< an LSTM's forget gate is 1 - input gate
  double clip = 0;             ///< limit of operands of functions, except the cell's; 0: not clipped
  /// Applies function `index` of the cell, in the order of nn.recurrent.
  llvm::function_ref<mlir::Value(int64_t index, mlir::Value x)> activate;
  /// Multiply rows by `weights`, and states of an LSTM or an RNN by `recurrence`; null: nn.matmul. States of rows that
  /// have ended are zeros there.
  llvm::function_ref<mlir::Value(mlir::Value)> multiplyInput = nullptr, multiplyState = nullptr;
};

/// Returns the results of a layer. A GRU and an RNN have no cells, so their last cell is the last hidden state.
RecurrentResults buildCells(NnBuilder &nn, const CellLayer &layer);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_CELLS_H
