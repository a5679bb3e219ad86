// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RESIZE_BILINEAR of integers that stand for reals.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDRESIZE_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDRESIZE_H

#include "compiler/import/compositions/ResampleTables.h"
#include "compiler/import/tflite/TfliteNode.h"

namespace nacre::importer::tflite_format {

/// To `sizes` rows and columns: positions and weights are multiples of 1/1024; of integers of 8 bits without a sign they are reals in
/// single precision.
void importQuantizedResize(TfliteNode &node, Ints sizes, CornerRule rule);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDRESIZE_H
