// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers rows of a table by their numbers: embeddings of words, angles of positions.

#ifndef NACRE_COMPILER_IMPORT_ONNX_ATTENTION_ROWS_H
#define NACRE_COMPILER_IMPORT_ONNX_ATTENTION_ROWS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format {

/// Returns the rows `numbers` of operand `index`, [shape of the numbers..., width]; null after an error.
mlir::Value pickRows(OperandBinder &node, size_t index, mlir::Value numbers);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_ATTENTION_ROWS_H
