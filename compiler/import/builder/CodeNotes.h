// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes of scales and zero points of integers, for models whose operators state them instead of the file.
//
// An operator that reads codes notes their scale on the inputs that they come from. One that makes codes notes it on
// its result. ONNX has scales as operands of operators, and folding may remove these operators. The note is
// nn.quantization, on arguments of the function and, until the entry is complete, on operators
// (compiler/import/entry/BorderQuantization.h).

#ifndef NACRE_COMPILER_IMPORT_BUILDER_CODENOTES_H
#define NACRE_COMPILER_IMPORT_BUILDER_CODENOTES_H

#include "compiler/import/builder/NnBuilder.h"
#include "dialects/nn/codes/Quantization.h"

namespace nacre::importer {

/// Notes that an operator reads the integers `codes` as (code - zero) * scale, on the inputs that they were moved from.
/// `scale` and `zero` have one element, or one per index of the axis; `zero` may be null. Notes nothing if they are not
/// such constants.
void noteReadCodes(mlir::Value codes, mlir::Value scale, mlir::Value zero, Granularity granularity = {});

/// Notes the same on the operator that made `codes`. All may be null, after an error.
void noteMadeCodes(mlir::Value codes, mlir::Value scale, mlir::Value zero, Granularity granularity = {});

/// Returns the note of the operator or argument that the integers of `value` were moved from. Null if there is no note,
/// or if several differ.
mlir::DictionaryAttr findCodeNote(mlir::Value value);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_CODENOTES_H
