// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the attributes of sliding windows, which convolutions and poolings share, from ONNX to `nn`.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERANDS_WINDOWATTRIBUTES_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERANDS_WINDOWATTRIBUTES_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/builder/Geometry.h"

namespace nacre::importer::onnx_format {

/// Position of the channels in operand 0. ONNX's operators have `[N, C, spatial...]`; some operators of ONNX Runtime
/// have the channels last.
enum class Channels { First, Last };

/// Return the axis of the channels, or the first spatial axis.
inline int64_t channelAxis(Channels channels, int64_t rank) { return channels == Channels::First ? 1 : rank - 1; }
inline int64_t firstSpatialAxis(Channels channels) { return channels == Channels::First ? 2 : 1; }

/// Reads `strides`, `pads` or `auto_pad`, `dilations` and `ceil_mode` of a node. `kernel` is the size of the window
/// along the spatial axes of operand 0. The result has `outputChannels` channels. Fails after an error.
mlir::FailureOr<Window> readWindow(OperandBinder &node, Ints kernel, int64_t outputChannels,
                                   Channels channels = Channels::First);

/// Reads the window of a pooling. Its size is the attribute `kernel_shape`.
mlir::FailureOr<Window> readPoolWindow(OperandBinder &node, Channels channels = Channels::First);

/// Reads the window of a transposed convolution, which also has `output_padding` and `output_shape`.
mlir::FailureOr<Window> readTransposedWindow(OperandBinder &node, Ints kernel, int64_t channels);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERANDS_WINDOWATTRIBUTES_H
