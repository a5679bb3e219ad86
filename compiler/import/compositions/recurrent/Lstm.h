// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM layers with what nn.recurrent has not: clipped cells, projections, normalized gates, coupled gates.
//
// Why:  these are written as loops over their steps at once, in the operators and the order in which a recurrent layer is expanded
//       (compiler/graph/control/ExpandRecurrence.cpp), so that passes and kernels find the same step whoever wrote it.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_LSTM_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_LSTM_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// The gates of a step: those of a layer lie side by side in this order.
enum LstmGate { InputGate, OutputGate, ForgetGate, CellGate, kNumLstmGates };

/// One direction of a layer over [T, B, I]; H cells, and R hidden states: as many as cells unless they are projected.
struct LstmLayer {
  mlir::Value input;
  mlir::Value weights, recurrence; ///< [I, G * H] and [R, G * H]
  mlir::Value bias;                ///< [G * H], added to what is normalized; may be null
  /// Of each gate [H], or all null. Peepholes are of the gates but the cell's.
  mlir::Value peepholes[kNumLstmGates] = {}, norms[kNumLstmGates] = {};
  mlir::Value projection, projectionBias; ///< [H, R] and [R]; may be null, the latter where the first is not
  mlir::Value initialHidden, initialCell; ///< [B, R] and [B, H]
  bool isCoupled = false;                 ///< the input gate is 1 less the forget gate, and has no columns
  bool reverse = false;
  double cellClip = 0, projectionClip = 0; ///< 0: none
  /// Of the cell's gate, and of the cell.
  llvm::function_ref<mlir::Value(mlir::Value)> activation;
};

struct RecurrentResults {
  mlir::Value all, lastHidden, lastCell; ///< [T, B, R], [B, R], [B, H]; null after an error
};

RecurrentResults buildLstm(NnBuilder &nn, const LstmLayer &layer);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_RECURRENT_LSTM_H
