// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of floats and of quantized integers.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_REALS_H
#define NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_REALS_H

#include "compiler/import/tflite/TfliteNode.h"

namespace nacre::importer::tflite_format {

/// True if operand 0, which must not be quantized, has floats. Otherwise, reports an error.
inline bool checkReals(TfliteNode &node) {
  mlir::Value x = node.getOperand(0);
  if (isFloat(x))
    return true;
  node.error() << node->nameOf(0) << " must hold floats or quantized integers, but is " << describe(x);
  return false;
}

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_OPERATORS_REALS_H
