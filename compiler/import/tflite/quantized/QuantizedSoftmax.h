// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SOFTMAX and LOG_SOFTMAX with integer arithmetic only, as the reference kernels compute them.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDSOFTMAX_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDSOFTMAX_H

#include "compiler/import/tflite/quantized/Rescaling.h"

namespace nacre::importer::tflite_format {

/// Imports a softmax along the last axis, of 8 or 16 bits. An input of 8 bits can have a result of 16.
void importQuantizedSoftmax(TfliteNode &node, float beta);

/// Imports a log-softmax of 8 bits.
void importQuantizedLogSoftmax(TfliteNode &node);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDSOFTMAX_H
