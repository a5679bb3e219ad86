// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SOFTMAX and LOG_SOFTMAX with integer arithmetic only, bit-exact with the reference kernels.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDSOFTMAX_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDSOFTMAX_H

#include "compiler/import/tflite/quantized/Rescaling.h"

namespace nacre::importer::tflite_format {

/// Imports a softmax of 8-bit or 16-bit integers along the last axis. For an 8-bit input, the result can have 16 bits.
void importQuantizedSoftmax(TfliteNode &node, float beta);

/// Imports a log-softmax of 8-bit integers.
void importQuantizedLogSoftmax(TfliteNode &node);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDSOFTMAX_H
