// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sliding window that convolutions and poolings share: ONNX's attributes to the numbers of `nn`.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERANDS_WINDOWATTRIBUTES_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERANDS_WINDOWATTRIBUTES_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/builder/Geometry.h"

namespace nacre::importer::onnx_format {

/// Where operand 0 has its channels: ONNX's own operators first, `[N, C, spatial...]`, some of ONNX Runtime's last.
enum class Channels { First, Last };

/// The axis of the channels, and that of the first spatial one, of `rank`.
inline int64_t channelAxis(Channels channels, int64_t rank) { return channels == Channels::First ? 1 : rank - 1; }
inline int64_t firstSpatialAxis(Channels channels) { return channels == Channels::First ? 2 : 1; }

/// Reads `strides`, `pads` or `auto_pad`, `dilations` and `ceil_mode` of a node whose window covers `kernel` cells of
/// the spatial axes of operand 0 and whose result has `outputChannels`. Fails after reporting an error.
mlir::FailureOr<Window> readWindow(OperandBinder &node, Ints kernel, int64_t outputChannels,
                                   Channels channels = Channels::First);

/// The same of a pooling, with its `kernel_shape`.
mlir::FailureOr<Window> readPoolWindow(OperandBinder &node, Channels channels = Channels::First);

/// The same of a transposed convolution, which has `output_padding` and `output_shape` besides.
mlir::FailureOr<Window> readTransposedWindow(OperandBinder &node, Ints kernel, int64_t channels);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERANDS_WINDOWATTRIBUTES_H
