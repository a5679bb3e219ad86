// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales and zero points: operands that say what the integers of another operand stand for.

#ifndef NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERANDS_H
#define NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERANDS_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/compositions/IntegerArithmetic.h"

namespace nacre::importer::onnx_format {

/// Operand `index` as a scalar: null where it is left out, and, after an error, where it has not one element.
mlir::Value readScalar(OperandBinder &node, size_t index);

/// Operand `index`, which has one element (then a scalar) or one for each of `count` (then a vector of them): null where
/// it is left out, and, after an error, where it has another shape. `each` says of what there are so many.
mlir::Value readScalarOrVector(OperandBinder &node, size_t index, int64_t count, llvm::StringRef each);

/// Operand `index`, which has one element, or one for each row (`axis` 0) or column (1) of the matrices that are
/// operand `matrices`, so that it broadcasts to their products. Null as above.
mlir::Value readOfMatrices(OperandBinder &node, size_t index, size_t matrices, int64_t axis);

/// A scale as it is computed with, in f32; null where it is null.
mlir::Value asReal(NnBuilder &nn, mlir::Value scale);

/// Operands `first`, `first` + 1 and `first` + 2: integers, their one scale and their zero point, which may be left out.
Quantized readQuantized(OperandBinder &node, size_t first);

/// Notes what operand `matrices` stands for (compiler/import/builder/CodeNotes.h), whose scale and zero point are operands `scale` and
/// `zero`, one or as for readOfMatrices.
void noteMatrices(OperandBinder &node, size_t matrices, size_t scale, size_t zero, int64_t axis);

/// What the result of a quantized operator is: integers of `type` by `scale` and `zero`, which may be null.
struct QuantizedType {
  mlir::Value scale, zero;
  mlir::Type type;
};

/// Operands `scale` and `scale` + 1, one scale and its zero point. Where that is left out, it is 0 of `type`.
QuantizedType readQuantizedType(OperandBinder &node, size_t scale, mlir::Type type);

/// The integers that are nearest to `steps`, multiples of the scale, and the zero point.
mlir::Value roundTo(NnBuilder &nn, mlir::Value steps, const QuantizedType &type);
/// The integers that are nearest to `real`.
mlir::Value quantize(NnBuilder &nn, mlir::Value real, const QuantizedType &type);
/// The same of sums * (scale / type.scale), where `scale` is that of the integers `sums`.
mlir::Value requantize(NnBuilder &nn, mlir::Value sums, mlir::Value scale, const QuantizedType &type);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERANDS_H
