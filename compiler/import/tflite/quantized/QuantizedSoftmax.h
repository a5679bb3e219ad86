// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SOFTMAX of integers of 8 bits in integers alone.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDSOFTMAX_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDSOFTMAX_H

#include "compiler/import/tflite/quantized/Rescaling.h"

namespace nacre::importer::tflite_format {

/// Along the last axis; the result is of 8 or 16 bits.
void importQuantizedSoftmax(TfliteNode &node, float beta);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDSOFTMAX_H
