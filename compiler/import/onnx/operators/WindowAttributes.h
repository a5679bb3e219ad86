// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sliding window that convolutions and poolings share: ONNX's attributes to the numbers of `nn`.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERATORS_WINDOWATTRIBUTES_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERATORS_WINDOWATTRIBUTES_H

#include "compiler/import/Geometry.h"
#include "compiler/import/OperandBinder.h"

namespace nacre::importer::onnx_format {

/// Reads `strides`, `pads` or `auto_pad`, `dilations` and `ceil_mode` of a node whose window covers `kernel` cells of
/// the spatial axes of operand 0, `[N, C, spatial...]`, and whose result has `channels`. Fails after reporting an error.
mlir::FailureOr<Window> readWindow(OperandBinder &node, Ints kernel, int64_t channels);

/// The same of a transposed convolution, which has `output_padding` and `output_shape` besides.
mlir::FailureOr<Window> readTransposedWindow(OperandBinder &node, Ints kernel, int64_t channels);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERATORS_WINDOWATTRIBUTES_H
