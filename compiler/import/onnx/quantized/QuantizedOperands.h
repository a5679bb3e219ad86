// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales and zero points: operands that define the real values of the integers in another operand.

#ifndef NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERANDS_H
#define NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERANDS_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/compositions/IntegerArithmetic.h"

namespace nacre::importer::onnx_format {

/// Returns operand `index` as a scalar, or null if it is missing. Reports an error and returns null if it does not have
/// one element.
mlir::Value readScalar(OperandBinder &node, size_t index);

/// Returns operand `index`, as a scalar if it has one element, or as a vector of `count` elements. Returns null if it
/// is missing. Reports an error and returns null if it has another shape. The error says that there must be one element
/// per `each`.
mlir::Value readScalarOrVector(OperandBinder &node, size_t index, int64_t count, llvm::StringRef each);

/// Returns operand `index`, which has one element, or one for each row (`axis` 0) or column (`axis` 1) of operand
/// `matrices`. The result broadcasts to products of the matrices. Null like readScalarOrVector().
mlir::Value readOfMatrices(OperandBinder &node, size_t index, size_t matrices, int64_t axis);

/// Returns a scale as f32, the type of computations. Returns null if `scale` is null.
mlir::Value asReal(NnBuilder &nn, mlir::Value scale);

/// Reads operands `first`, `first` + 1 and `first` + 2: integers, one scale, and an optional zero point.
Quantized readQuantized(OperandBinder &node, size_t first);

/// Notes the scale and the zero point of operand `matrices` (compiler/import/builder/CodeNotes.h). `scale` and `zero`
/// are indices of operands with the shapes that readOfMatrices() accepts.
void noteMatrices(OperandBinder &node, size_t matrices, size_t scale, size_t zero, int64_t axis);

/// Type of a quantized result: integers of `type` with `scale` and `zero`. `zero` may be null.
struct QuantizedType {
  mlir::Value scale, zero;
  mlir::Type type;
};

/// Reads one scale from operand `scale`, and its zero point from the next operand. A missing zero point is 0 of `type`.
QuantizedType readQuantizedType(OperandBinder &node, size_t scale, mlir::Type type);

/// Rounds `steps`, which are real values divided by the scale, to the nearest integers, and adds the zero point.
mlir::Value roundTo(NnBuilder &nn, mlir::Value steps, const QuantizedType &type);
/// Quantizes `real` to the nearest integers.
mlir::Value quantize(NnBuilder &nn, mlir::Value real, const QuantizedType &type);
/// Quantizes sums * (scale / type.scale). `scale` is the scale of the integers `sums`.
mlir::Value requantize(NnBuilder &nn, mlir::Value sums, mlir::Value scale, const QuantizedType &type);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZEDOPERANDS_H
