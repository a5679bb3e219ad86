// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers with the cells of nn.recurrent (LSTM, GRU, RNN) whose functions and products the caller supplies.
//
// nn.recurrent supports only a list of functions without parameters, and products of floats. Layers with other
// functions, or with products of quantized values, become operators in the body of a loop. The operators have the order
// of an expanded recurrent layer (compiler/graph/control/ExpandRecurrence.cpp), so that passes and kernels recognize
// the step.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_CELLS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_CELLS_H

#include "compiler/import/compositions/recurrent/Lstm.h"

namespace nacre::importer {

/// One direction of a layer with T steps, B rows, I inputs and H hidden states. The input is [T, B, I]. The columns of
/// the G gates are adjacent, in the order of nn.recurrent.
struct CellLayer {
  nn::CellKind kind;
  mlir::Value input;
  mlir::Value weights, recurrence;        ///< [I, G * H] and [H, G * H]
  mlir::Value bias;                       ///< [G * H]; may be null
  mlir::Value recurrenceBias;             ///< [G * H], only for a GRU with `resetsProducts`; may be null
  mlir::Value lengths;                    ///< [B], the length of each row; may be null
  mlir::Value peepholes;                  ///< [3, H], only for an LSTM; may be null
  mlir::Value initialHidden, initialCell; ///< [B, H]; null for zeros
  bool reverse = false;
  bool resetsProducts = false; ///< true if a GRU multiplies the reset gate by the product with the state, not by the
                               ///< state
  bool inputForget = false;    ///< true if an LSTM's forget gate is 1 - input gate
  double clip = 0;             ///< limit of the absolute value of operands of functions, except of the cell's function;
                               ///< 0 for none
  /// Applies function `index` of the cell, in the order of nn.recurrent.
  llvm::function_ref<mlir::Value(int64_t index, mlir::Value x)> activate;
  /// Multiply rows by `weights`, and states of an LSTM or an RNN by `recurrence`. Null means nn.matmul. The states of
  /// rows that have ended are zeros.
  llvm::function_ref<mlir::Value(mlir::Value)> multiplyInput = nullptr, multiplyState = nullptr;
};

/// Returns the results of a layer. The last cell of a GRU or an RNN, which have no cells, is the last hidden state.
RecurrentResults buildCells(NnBuilder &nn, const CellLayer &layer);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_CELLS_H
