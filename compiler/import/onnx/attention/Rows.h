// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers rows of a table by index, such as embeddings of words, or angles of positions.

#ifndef NACRE_COMPILER_IMPORT_ONNX_ATTENTION_ROWS_H
#define NACRE_COMPILER_IMPORT_ONNX_ATTENTION_ROWS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format {

/// Returns the rows of operand `index` at the indices `numbers`: [shape of `numbers`..., width]. Null after an error.
mlir::Value pickRows(OperandBinder &node, size_t index, mlir::Value numbers);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_ATTENTION_ROWS_H
