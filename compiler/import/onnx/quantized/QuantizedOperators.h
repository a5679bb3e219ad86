// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantized operators of which ONNX and ONNX Runtime have a version each.

#ifndef NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERATORS_H
#define NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERATORS_H

#include "compiler/import/binding/ImportRegistry.h"
#include "compiler/import/onnx/operands/WindowAttributes.h"

namespace nacre::importer::onnx_format {

/// x, its scale and zero point; w, its; those of y; a bias of 32 bits. x and y have their channels where `channels` says.
Signature getQLinearConvSignature();
void importQLinearConv(OperandBinder &node, Channels channels);

/// Adds the standard's operators to the registry.
void registerQuantizedOperators(ImportRegistry &registry);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERATORS_H
