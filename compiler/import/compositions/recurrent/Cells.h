// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of the cells that nn.recurrent has (LSTM, GRU, RNN), with functions and products of the caller's.
//
// Why:  nn.recurrent names its functions and multiplies floats. Functions with parameters and products of quantized numbers are
//       operators of a loop's body instead, in the order in which a recurrent layer is expanded
//       (compiler/graph/control/ExpandRecurrence.cpp), so that passes and kernels find the same step.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_CELLS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_CELLS_H

#include "compiler/import/compositions/recurrent/Lstm.h"

namespace nacre::importer {

/// One direction of a layer over [T, B, I]; H hidden states, and G gates side by side in the order of nn.recurrent.
struct CellLayer {
  nn::CellKind kind;
  mlir::Value input;
  mlir::Value weights, recurrence;        ///< [I, G * H] and [H, G * H]
  mlir::Value bias;                       ///< [G * H]; may be null
  mlir::Value recurrenceBias;             ///< [G * H], of a GRU that resets its products; may be null
  mlir::Value lengths;                    ///< [B]: rows of the batch end there; may be null
  mlir::Value peepholes;                  ///< [3, H], of an LSTM; may be null
  mlir::Value initialHidden, initialCell; ///< [B, H]; null: zeros
  bool reverse = false;
  bool resetsProducts = false; ///< a GRU's reset gate is multiplied by the product with the state, not by the state
  bool inputForget = false;    ///< an LSTM's forget gate is 1 less the input gate
  double clip = 0;             ///< of what functions are computed of, except that of the cell; 0: none
  /// Function `index` of the cell, in the order of nn.recurrent.
  llvm::function_ref<mlir::Value(int64_t index, mlir::Value x)> activate;
  /// The product of rows by `weights`, and of states by `recurrence`, of an LSTM or an RNN; null: nn.matmul. States of rows
  /// that have ended are zeros there.
  llvm::function_ref<mlir::Value(mlir::Value)> multiplyInput = nullptr, multiplyState = nullptr;
};

/// Returns the results of a layer. A GRU and an RNN have no cells, so their last cell is the last hidden state.
RecurrentResults buildCells(NnBuilder &nn, const CellLayer &layer);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_CELLS_H
