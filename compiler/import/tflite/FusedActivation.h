// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The activation that many operators have as an option, `fused_activation_function`.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_FUSEDACTIVATION_H
#define NACRE_COMPILER_IMPORT_TFLITE_FUSEDACTIVATION_H

#include "compiler/import/tflite/TfliteNode.h"

namespace nacre::importer::tflite_format {

/// As the file numbers them.
enum class Activation : int64_t { None, Relu, ReluN1To1, Relu6, Tanh };

/// The node's; an error was reported where it has another, and None is returned.
Activation readActivation(TfliteNode &node);

/// That of numbers which stand for themselves.
mlir::Value activate(NnBuilder &nn, Activation activation, mlir::Value x);

/// The integers that a result may have, which stand for reals.
struct IntegerRange {
  int64_t low, high;
};
/// Those of the type of a result behind the activation; fails after an error.
mlir::FailureOr<IntegerRange> getRange(TfliteNode &node, Activation activation, size_t result = 0);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_FUSEDACTIVATION_H
