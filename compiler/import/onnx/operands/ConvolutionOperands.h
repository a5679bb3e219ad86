// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operands of convolutions must have in common, whatever their elements are.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERANDS_CONVOLUTIONOPERANDS_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERANDS_CONVOLUTIONOPERANDS_H

#include "compiler/import/onnx/operands/WindowAttributes.h"

#include <optional>

namespace nacre::importer::onnx_format {

/// The operands of a convolution, beside operand 0, the input, by their indices.
struct ConvolutionOperands {
  size_t weights = 1; ///< [OC, IC / groups, spatial...]
  std::optional<size_t> bias;
  Channels channels = Channels::First; ///< of the input
};

/// Checks what the shapes of a convolution's operands must have in common; reports an error if they do not.
bool checkConvolution(OperandBinder &node, const ConvolutionOperands &operands, int64_t groups);

/// [OC, IC / groups, spatial...] to [spatial..., IC / groups, OC]
mlir::Value toFilter(NnBuilder &nn, mlir::Value weights);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERANDS_CONVOLUTIONOPERANDS_H
