// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantized operators that both ONNX and ONNX Runtime define.

#ifndef NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERATORS_H
#define NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERATORS_H

#include "compiler/import/binding/ImportRegistry.h"
#include "compiler/import/onnx/operands/WindowAttributes.h"

namespace nacre::importer::onnx_format {

/// Import QLinearConv. Its operands are x and w with their scales and zero points, the scale and zero point of y, and a
/// bias of 32 bits. `channels` is the position of the channels of x and y.
Signature getQLinearConvSignature();
void importQLinearConv(OperandBinder &node, Channels channels);

/// Adds the quantized operators of the standard to the registry.
void registerQuantizedOperators(ImportRegistry &registry);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERATORS_H
