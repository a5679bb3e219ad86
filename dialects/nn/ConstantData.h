// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the row-major bytes of a constant tensor, to read (ConstantView) and to make (ConstantBuilder).
// Why:   a weight may be a splat, a small `dense` attribute, or a `dense_resource` view of the mapped model at an odd
//        address; whoever computes with constants should not know which.
// How:   elements are `elementBytes` wide (booleans one byte) and moved by memcpy, so no address needs to be aligned. A
//        splat keeps one element. Large results become `dense_resource` blobs that are never copied or hashed. In a blob
//        elements of less than a byte are packed, as in the model's file (NarrowTypes.h); in a view each has a byte.

#ifndef NACRE_DIALECTS_NN_CONSTANTDATA_H
#define NACRE_DIALECTS_NN_CONSTANTDATA_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::nn {

/// Reads a constant. Cheap to make, except that small dense booleans, and packed elements, are unpacked. Must not outlive the attribute.
class ConstantView {
public:
  /// Fails where the attribute holds no bytes we know (sparse, strings, a resource without its blob).
  static mlir::FailureOr<ConstantView> get(mlir::ElementsAttr attribute);

  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  bool isSplat() const { return splat; }
  /// The bytes of element `index` in row-major order; all indices of a splat are one element.
  const char *at(int64_t index) const { return data() + (splat ? 0 : index * int64_t(elementBytes)); }

  /// Converts `count` elements from `index` on, `stride` elements apart. Integers convert to double and the other way
  /// as C++ does, but saturating.
  void read(int64_t index, int64_t stride, int64_t count, double *out) const;
  void read(int64_t index, int64_t stride, int64_t count, int64_t *out) const;

  /// All elements, for small integer tensors such as shapes and axes.
  llvm::SmallVector<int64_t> readIntegers() const;

private:
  ConstantView() = default;
  const char *data() const { return unpacked.empty() ? bytes.data() : unpacked.data(); }

  mlir::RankedTensorType type;
  llvm::ArrayRef<char> bytes;
  llvm::SmallVector<char, 0> unpacked;
  unsigned elementBytes = 0;
  bool splat = false;
};

/// Makes a constant: write every element, then take the attribute.
class ConstantBuilder {
public:
  /// `splat` asks for one element that stands for all.
  explicit ConstantBuilder(mlir::RankedTensorType type, bool splat = false);

  char *at(int64_t index) { return bytes.data() + index * int64_t(elementBytes); }
  unsigned getElementBytes() const { return elementBytes; }

  /// Stores `count` elements from `index` on, rounded to the element type (integers wrap).
  void write(int64_t index, llvm::ArrayRef<double> values);
  void write(int64_t index, llvm::ArrayRef<int64_t> values);
  /// Of elements that are a byte each: their codes.
  void write(int64_t index, llvm::ArrayRef<uint8_t> codes);

  mlir::ElementsAttr take() &&;

private:
  mlir::RankedTensorType type;
  unsigned elementBytes;
  mlir::AsmResourceBlob blob;
  llvm::MutableArrayRef<char> bytes;
};

/// The constant with the same bytes and another shape, which never copies a blob.
mlir::FailureOr<mlir::ElementsAttr> reshapeConstant(mlir::ElementsAttr attribute, mlir::RankedTensorType type);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_CONSTANTDATA_H
