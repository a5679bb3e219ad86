// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the row-major bytes of a constant tensor: ConstantView reads them, ConstantBuilder creates them.
// Why:   a weight may be a splat, a small `dense` attribute, or a `dense_resource` view of the mapped model at an
//        unaligned address. Code that computes with constants should not need to distinguish these.
// How:   elements are `elementBytes` wide (booleans one byte) and moved by memcpy, so no address needs to be aligned. A
//        splat has one element. Large results become `dense_resource` blobs that are never copied or hashed. In a blob,
//        elements of less than a byte are packed, as in the model's file (NarrowTypes.h); in a view, each has a byte.

#ifndef NACRE_DIALECTS_NN_CONSTANTDATA_H
#define NACRE_DIALECTS_NN_CONSTANTDATA_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::nn {

/// Reads a constant. Construction is cheap, except that small dense booleans, and packed elements, are unpacked. Must
/// not outlive the attribute.
class ConstantView {
public:
  /// Fails if the attribute has no supported bytes (sparse, strings, a resource without its blob).
  static mlir::FailureOr<ConstantView> get(mlir::ElementsAttr attribute);

  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  bool isSplat() const { return splat; }
  /// Returns the bytes of element `index` in row-major order. All indices of a splat give the same element.
  const char *at(int64_t index) const { return data() + (splat ? 0 : index * int64_t(elementBytes)); }

  /// Converts `count` elements from `index` on, `stride` elements apart. Conversions between integers and doubles are
  /// those of C++, but saturate.
  void read(int64_t index, int64_t stride, int64_t count, double *out) const;
  void read(int64_t index, int64_t stride, int64_t count, int64_t *out) const;

  /// Returns all elements, for small integer tensors such as shapes and axes.
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

/// Creates a constant: write every element, then take the attribute.
class ConstantBuilder {
public:
  /// `splat` requests one element, which stands for all.
  explicit ConstantBuilder(mlir::RankedTensorType type, bool splat = false);

  char *at(int64_t index) { return bytes.data() + index * int64_t(elementBytes); }
  unsigned getElementBytes() const { return elementBytes; }

  /// Stores `values` from element `index` on, rounded to the element type (integers wrap).
  void write(int64_t index, llvm::ArrayRef<double> values);
  void write(int64_t index, llvm::ArrayRef<int64_t> values);
  /// Stores codes; only for elements of one byte.
  void write(int64_t index, llvm::ArrayRef<uint8_t> codes);

  /// Returns the attribute, and leaves the builder without its bytes.
  mlir::ElementsAttr take() &&;

private:
  mlir::RankedTensorType type;
  unsigned elementBytes;
  mlir::AsmResourceBlob blob;
  llvm::MutableArrayRef<char> bytes;
};

/// Returns the constant with the same bytes and another shape. Never copies a blob.
mlir::FailureOr<mlir::ElementsAttr> reshapeConstant(mlir::ElementsAttr attribute, mlir::RankedTensorType type);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_CONSTANTDATA_H
