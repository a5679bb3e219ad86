// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model says of a tensor besides its elements: the type that it has, and what its integers stand for.
//
// Why:  the meaning of an operator depends on the scales of what it reads and computes, which are the tensors' own.
// How:  the view gives each operator the facts of its operands and results as two attributes, lists of one for each.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_TENSORFACTS_H
#define NACRE_COMPILER_IMPORT_TFLITE_TENSORFACTS_H

#include "compiler/import/tflite/Schema.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include <optional>

namespace nacre::importer::tflite_format {

/// The names of the attributes.
constexpr const char *operandFacts = "tensors of operands", *resultFacts = "tensors of results",
                     *intermediateFacts = "tensors on the way";

/// What integers stand for: scale * (integer - zero).
struct Quantization {
  llvm::ArrayRef<float> scales;  ///< one, or one for each index of `axis`; all are finite and above zero
  llvm::ArrayRef<int64_t> zeros; ///< as many; all within the type's range
  int64_t axis = 0;

  bool isPerAxis() const { return scales.size() > 1; }
  bool operator==(const Quantization &other) const {
    return scales == other.scales && zeros == other.zeros && (axis == other.axis || !isPerAxis());
  }
};

struct TensorFacts {
  mlir::TensorType type;                    ///< null where it is left out or of no type that Nacre has
  std::optional<Quantization> quantization; ///< of integers; none where they stand for themselves
};

/// The facts of a tensor, whose sizes are `shape`, as an attribute. Errors are emitted at `loc`.
mlir::FailureOr<mlir::Attribute> makeFacts(const schema::Tensor &tensor,
                                           const std::optional<llvm::SmallVector<int64_t>> &shape, mlir::Location loc);

/// The same from the attribute, which must live as long as what is returned.
TensorFacts readFacts(mlir::Attribute attribute);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_TENSORFACTS_H
