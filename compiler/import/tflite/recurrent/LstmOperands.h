// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an LSTM layer has its operands, and what shapes they have.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_RECURRENT_LSTMOPERANDS_H
#define NACRE_COMPILER_IMPORT_TFLITE_RECURRENT_LSTMOPERANDS_H

#include "compiler/import/tflite/recurrent/Steps.h"

namespace nacre::importer::tflite_format {

/// Where the operands of a direction begin. Gates are input, forget, cell, output; peepholes have no cell.
struct LstmPlaces {
  size_t weights, recurrence, peepholes, biases, projection, state;
  std::optional<size_t> norms;
};

/// The order of the format's gates in LstmGate's.
constexpr size_t placeOfGate[kNumLstmGates] = {0, 3, 1, 2};

/// Those of a layer of one direction.
constexpr LstmPlaces onlyDirection{1, 5, 9, 12, 16, 18, 20};

struct LstmSizes {
  int64_t batch, inputs, cells, outputs;
  bool isCoupled; ///< the input gate has no weights
};

/// The sizes of a direction over `x`, [T, B, I]; fails after an error where its operands do not go together.
mlir::FailureOr<LstmSizes> readLstmSizes(TfliteNode &node, const LstmPlaces &places, mlir::Value x);

/// LSTM in integers alone, of one direction.
void importIntegerLstm(TfliteNode &node, Steps steps);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_RECURRENT_LSTMOPERANDS_H
