// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes about the scales and zero points of integer tensors, for formats in which operators state them instead of the
// file.
//
// ONNX has scales as operands of operators, and folding may remove these operators. So an operator that reads codes
// notes their scale on the inputs from which the codes come. An operator that makes codes notes their scale on its
// result. The note is the attribute nn.quantization. It is on arguments of the function and, until the entry is
// complete, on operators (compiler/import/entry/BorderQuantization.h).

#ifndef NACRE_COMPILER_IMPORT_BUILDER_CODENOTES_H
#define NACRE_COMPILER_IMPORT_BUILDER_CODENOTES_H

#include "compiler/import/builder/NnBuilder.h"
#include "dialects/nn/codes/Quantization.h"

namespace nacre::importer {

/// Notes that an operator reads the integers `codes` as (code - zero) * scale. The note goes to the inputs from which
/// the codes were moved. `scale` and `zero` have one element, or one per index of the axis; `zero` may be null. Does
/// nothing if they are not such constants.
void noteReadCodes(mlir::Value codes, mlir::Value scale, mlir::Value zero, Granularity granularity = {});

/// Notes the scale of `codes` on the operator that made them, in the form of noteReadCodes(). All arguments may be null
/// after an error.
void noteMadeCodes(mlir::Value codes, mlir::Value scale, mlir::Value zero, Granularity granularity = {});

/// Returns the note of the operator or argument from which the integers of `value` were moved. Returns null if there is
/// no note, or if there are several different ones.
mlir::DictionaryAttr findCodeNote(mlir::Value value);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_CODENOTES_H
