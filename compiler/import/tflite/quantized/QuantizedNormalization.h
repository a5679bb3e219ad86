// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// L2_NORMALIZATION with integer arithmetic only.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDNORMALIZATION_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDNORMALIZATION_H

#include "compiler/import/tflite/TfliteNode.h"

namespace nacre::importer::tflite_format {

/// Imports a normalization of 8-bit integers along the last axis.
void importQuantizedL2Normalization(TfliteNode &node);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDNORMALIZATION_H
