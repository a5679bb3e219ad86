// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of the operands of convolutions of any element type.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERANDS_CONVOLUTIONOPERANDS_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERANDS_CONVOLUTIONOPERANDS_H

#include "compiler/import/onnx/operands/WindowAttributes.h"

#include <optional>

namespace nacre::importer::onnx_format {

/// Indices of the operands of a convolution. Operand 0 is the input.
struct ConvolutionOperands {
  size_t weights = 1; ///< index of the weights, [OC, IC / groups, spatial...]
  std::optional<size_t> bias;
  Channels channels = Channels::First; ///< position of the channels of the input
};

/// True if the shapes of the operands of a convolution match. Otherwise, reports an error.
bool checkConvolution(OperandBinder &node, const ConvolutionOperands &operands, int64_t groups);

/// Transposes [OC, IC / groups, spatial...] to [spatial..., IC / groups, OC].
mlir::Value toFilter(NnBuilder &nn, mlir::Value weights);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERANDS_CONVOLUTIONOPERANDS_H
