// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes of what integers stand for, where operators say it and the file does not.
//
// What: an operator that reads codes notes it of the inputs that these come from, and one that makes codes of its result.
// Why:  ONNX has scales as operands of operators, whose arithmetic may be all that is left of them.
// How:  nn.quantization, on arguments of the function and, until the entry is complete, on operators
//       (compiler/import/entry/BorderQuantization.h).

#ifndef NACRE_COMPILER_IMPORT_BUILDER_CODENOTES_H
#define NACRE_COMPILER_IMPORT_BUILDER_CODENOTES_H

#include "compiler/import/builder/NnBuilder.h"
#include "dialects/nn/codes/Quantization.h"

namespace nacre::importer {

/// Notes that an operator reads the integers `codes` as (code - zero) * scale: of the inputs that they were moved from. `scale` and `zero`
/// have one element, or one for each index of the axis; `zero` may be null. Notes nothing if they are no such constants.
void noteReadCodes(mlir::Value codes, mlir::Value scale, mlir::Value zero, Granularity granularity = {});

/// Notes the same of the operator that has made `codes`. All may be null, after an error.
void noteMadeCodes(mlir::Value codes, mlir::Value scale, mlir::Value zero, Granularity granularity = {});

/// Returns what the integers of `value` stand for: by the note of the operator or argument that they were moved from; null if there is
/// none, or if several differ.
mlir::DictionaryAttr findCodeNote(mlir::Value value);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_CODENOTES_H
