// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM layers with features that nn.recurrent lacks: clipped cells, projections, normalized gates, coupled gates.
//
// Such a layer becomes a loop over its steps. The body has the operators and the order of an expanded recurrent layer
// (compiler/graph/control/ExpandRecurrence.cpp), so that passes and kernels recognize the step.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_LSTM_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_LSTM_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Gates of a step, in the order of their columns in a layer.
enum LstmGate { InputGate, OutputGate, ForgetGate, CellGate, kNumLstmGates };

/// One direction of a layer with T steps, B rows, I inputs, H cells and R hidden states. The input is [T, B, I].
/// Without a projection, R = H.
struct LstmLayer {
  mlir::Value input;
  mlir::Value weights, recurrence; ///< [I, G * H] and [R, G * H]
  mlir::Value bias;                ///< [G * H], added after the normalization if there is one; may be null
  /// Vectors [H] of each gate. Peepholes and norms may be null; the cell's gate has no peephole.
  mlir::Value peepholes[kNumLstmGates] = {}, norms[kNumLstmGates] = {};
  mlir::Value projection, projectionBias; ///< [H, R] and [R]; the bias, or both, may be null
  mlir::Value initialHidden, initialCell; ///< [B, R] and [B, H]
  bool isCoupled = false;                 ///< true if the input gate is 1 - forget gate, and has no columns
  bool reverse = false;
  double cellClip = 0, projectionClip = 0; ///< limits of absolute values; 0 for no limit
  /// Activation of the cell's gate and of the cell.
  llvm::function_ref<mlir::Value(mlir::Value)> activation;
};

struct RecurrentResults {
  mlir::Value all, lastHidden, lastCell; ///< [T, B, R], [B, R], [B, H]; null after an error
};

RecurrentResults buildLstm(NnBuilder &nn, const LstmLayer &layer);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_LSTM_H
