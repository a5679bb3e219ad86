// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices and shapes of the operands of an LSTM layer.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_RECURRENT_LSTMOPERANDS_H
#define NACRE_COMPILER_IMPORT_TFLITE_RECURRENT_LSTMOPERANDS_H

#include "compiler/import/tflite/recurrent/Steps.h"

namespace nacre::importer::tflite_format {

/// Index of the first operand of each kind in a direction. The operands of a kind are in the order of the gates: input,
/// forget, cell, output. There is no peephole for the cell.
struct LstmPlaces {
  size_t weights, recurrence, peepholes, biases, projection, state;
  std::optional<size_t> norms;
};

/// Index in the format of each gate, in the order of LstmGate.
constexpr size_t placeOfGate[kNumLstmGates] = {0, 3, 1, 2};

/// Indices of the operands of a layer with one direction.
constexpr LstmPlaces onlyDirection{1, 5, 9, 12, 16, 18, 20};

struct LstmSizes {
  int64_t batch, inputs, cells, outputs;
  bool isCoupled; ///< true if the input gate has no weights, but is 1 minus the forget gate
};

/// Returns the sizes of a direction that reads `x`, [T, B, I]. Reports an error and fails if its operands are
/// inconsistent.
mlir::FailureOr<LstmSizes> readLstmSizes(TfliteNode &node, const LstmPlaces &places, mlir::Value x);

/// Imports an LSTM of one direction with integer arithmetic only.
void importIntegerLstm(TfliteNode &node, Steps steps);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_RECURRENT_LSTMOPERANDS_H
