// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The convolution, which operators of other domains extend.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERATORS_CONVOLUTIONS_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERATORS_CONVOLUTIONS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format {

/// Imports a convolution of operand 0 with weights, operand 1, and an optional bias, operand 2.
void importConv(OperandBinder &node);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERATORS_CONVOLUTIONS_H
