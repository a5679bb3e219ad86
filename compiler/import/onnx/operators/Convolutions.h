// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The convolution of ONNX, which operators of other domains extend.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERATORS_CONVOLUTIONS_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERATORS_CONVOLUTIONS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format {

/// Imports a convolution of operand 0 with the weights in operand 1 and an optional bias in operand 2.
void importConv(OperandBinder &node);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERATORS_CONVOLUTIONS_H
