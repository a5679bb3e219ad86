// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales and zero points: operands that give the real values of another operand's integers.

#ifndef NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERANDS_H
#define NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERANDS_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/compositions/IntegerArithmetic.h"

namespace nacre::importer::onnx_format {

/// Returns operand `index` as a scalar. Null if it is missing, or after an error if it does not have one element.
mlir::Value readScalar(OperandBinder &node, size_t index);

/// Returns operand `index` as a scalar if it has one element, or as a vector of `count` elements. Null if it is
/// missing, or after an error if it has another shape. Errors call the elements' owners `each`.
mlir::Value readScalarOrVector(OperandBinder &node, size_t index, int64_t count, llvm::StringRef each);

/// Returns operand `index`, which has one element, or one for each row (`axis` 0) or column (`axis` 1) of operand
/// `matrices`. The result broadcasts to products of the matrices. Null as above.
mlir::Value readOfMatrices(OperandBinder &node, size_t index, size_t matrices, int64_t axis);

/// Returns a scale as f32, the type of computations. Null for null.
mlir::Value asReal(NnBuilder &nn, mlir::Value scale);

/// Reads operands `first`, `first` + 1 and `first` + 2: integers, one scale, and an optional zero point.
Quantized readQuantized(OperandBinder &node, size_t first);

/// Notes the scale and the zero point of operand `matrices` (compiler/import/builder/CodeNotes.h). They are operands
/// `scale` and `zero`, in the shapes of readOfMatrices.
void noteMatrices(OperandBinder &node, size_t matrices, size_t scale, size_t zero, int64_t axis);

/// Type of a quantized result: integers of `type` with `scale` and `zero`, which may be null.
struct QuantizedType {
  mlir::Value scale, zero;
  mlir::Type type;
};

/// Reads operands `scale` and `scale` + 1: one scale and its zero point. A missing zero point is 0 of `type`.
QuantizedType readQuantizedType(OperandBinder &node, size_t scale, mlir::Type type);

/// Rounds `steps`, multiples of the scale, to the nearest integers, and adds the zero point.
mlir::Value roundTo(NnBuilder &nn, mlir::Value steps, const QuantizedType &type);
/// Quantizes `real` to the nearest integers.
mlir::Value quantize(NnBuilder &nn, mlir::Value real, const QuantizedType &type);
/// Quantizes sums * (scale / type.scale), where `scale` is the scale of the integers `sums`.
mlir::Value requantize(NnBuilder &nn, mlir::Value sums, mlir::Value scale, const QuantizedType &type);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERANDS_H
