// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RESIZE_BILINEAR of quantized integers.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDRESIZE_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDRESIZE_H

#include "compiler/import/compositions/ResampleTables.h"
#include "compiler/import/tflite/TfliteNode.h"

namespace nacre::importer::tflite_format {

/// Resizes to `sizes` rows and columns. Positions and weights are multiples of 1/1024. For unsigned 8-bit integers,
/// they are floats of single precision.
void importQuantizedResize(TfliteNode &node, Ints sizes, CornerRule rule);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDRESIZE_H
