// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about a tensor in addition to its elements: its type and its quantization.
//
// The result of an operator depends on the scales of its operands and results, but the file stores scales with tensors.
// So the view gives each operator these facts as two attributes: lists with one entry for each operand and each result.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_TENSORFACTS_H
#define NACRE_COMPILER_IMPORT_TFLITE_TENSORFACTS_H

#include "compiler/import/tflite/Schema.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include <optional>

namespace nacre::importer::tflite_format {

/// Names of the attributes with the facts of operands, results and intermediate values.
constexpr const char *operandFacts = "tensors of operands", *resultFacts = "tensors of results",
                     *intermediateFacts = "tensors on the way";

/// Meaning of quantized integers: scale * (integer - zero).
struct Quantization {
  llvm::ArrayRef<float> scales;  ///< one scale, or one for each index of `axis`; all are finite and positive
  llvm::ArrayRef<int64_t> zeros; ///< zero points, one for each scale; all are within the type's range
  int64_t axis = 0;

  bool isPerAxis() const { return scales.size() > 1; }
  bool operator==(const Quantization &other) const {
    return scales == other.scales && zeros == other.zeros && (axis == other.axis || !isPerAxis());
  }
};

struct TensorFacts {
  mlir::TensorType type;                    ///< null if the tensor is omitted or if Nacre does not have its type
  std::optional<Quantization> quantization; ///< nullopt if the integers are not quantized
};

/// Returns the facts of a tensor of shape `shape` as an attribute. Errors are emitted at `loc`.
mlir::FailureOr<mlir::Attribute> makeFacts(const schema::Tensor &tensor,
                                           const std::optional<llvm::SmallVector<int64_t>> &shape, mlir::Location loc);

/// Returns the facts in an attribute. The attribute must outlive the result.
TensorFacts readFacts(mlir::Attribute attribute);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_TENSORFACTS_H
