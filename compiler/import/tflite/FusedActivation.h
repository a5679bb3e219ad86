// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The activation that many operators have as an option, `fused_activation_function`.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_FUSEDACTIVATION_H
#define NACRE_COMPILER_IMPORT_TFLITE_FUSEDACTIVATION_H

#include "compiler/import/tflite/TfliteNode.h"

namespace nacre::importer::tflite_format {

/// Activations, with the values that the file uses.
enum class Activation : int64_t { None, Relu, ReluN1To1, Relu6, Tanh };

/// Reads the node's activation. Reports an error if it is unknown, and returns None.
Activation readActivation(TfliteNode &node);

/// Applies an activation to values that are not quantized.
mlir::Value activate(NnBuilder &nn, Activation activation, mlir::Value x);

/// Range of the quantized integers of a result.
struct IntegerRange {
  int64_t low, high;
};
/// Returns the range of the integers of a result after the activation. Fails after an error.
mlir::FailureOr<IntegerRange> getRange(TfliteNode &node, Activation activation, size_t result = 0);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_FUSEDACTIVATION_H
