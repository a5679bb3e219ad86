// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the row-major data of a constant tensor. ConstantView reads it, ConstantBuilder creates it.
// Why:   a weight may be a splat, a small `dense` attribute, or a `dense_resource` view of the mapped model at an
//        unaligned address. Code that computes with constants should not have to distinguish these.
// How:   an element has `elementBytes` bytes (a boolean has one), which are moved by memcpy, so that no address needs
//        to be aligned. A splat has one element. Large results become `dense_resource` blobs, which are never copied or
//        hashed. In a blob, elements of less than a byte are packed, as in the model's file (NarrowTypes.h). In a view,
//        each element has a byte.

#ifndef NACRE_DIALECTS_NN_CONSTANTDATA_H
#define NACRE_DIALECTS_NN_CONSTANTDATA_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::nn {

/// Reads a constant. Construction is cheap, except that small dense booleans and packed elements are unpacked. The
/// attribute must outlive the view.
class ConstantView {
public:
  /// Fails if the attribute has no supported data. Sparse attributes, strings, and resources without their blob are not
  /// supported.
  static mlir::FailureOr<ConstantView> get(mlir::ElementsAttr attribute);

  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  bool isSplat() const { return splat; }
  /// Returns the data of the element with index `index` in row-major order. All indices of a splat give the same
  /// element.
  const char *at(int64_t index) const { return data() + (splat ? 0 : index * int64_t(elementBytes)); }

  /// Converts `count` elements, of which the first has index `index` and neighbors are `stride` elements apart.
  /// Conversions between integers and doubles are those of C++, but saturate.
  void read(int64_t index, int64_t stride, int64_t count, double *out) const;
  void read(int64_t index, int64_t stride, int64_t count, int64_t *out) const;

  /// Returns all elements of a small integer tensor, such as a shape or axes.
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

/// Creates a constant. Callers write every element, then take the attribute.
class ConstantBuilder {
public:
  /// The constant has only one element if `splat` is true. This element then stands for all elements.
  explicit ConstantBuilder(mlir::RankedTensorType type, bool splat = false);

  char *at(int64_t index) { return bytes.data() + index * int64_t(elementBytes); }
  unsigned getElementBytes() const { return elementBytes; }

  /// Stores `values` from element `index` on, rounded to the element type. Integers wrap.
  void write(int64_t index, llvm::ArrayRef<double> values);
  void write(int64_t index, llvm::ArrayRef<int64_t> values);
  /// Stores codes. Elements must have one byte.
  void write(int64_t index, llvm::ArrayRef<uint8_t> codes);

  /// Returns the attribute. The builder must not be used afterwards.
  mlir::ElementsAttr take() &&;

private:
  mlir::RankedTensorType type;
  unsigned elementBytes;
  mlir::AsmResourceBlob blob;
  llvm::MutableArrayRef<char> bytes;
};

/// Returns the constant with the same data and another shape. Never copies a blob.
mlir::FailureOr<mlir::ElementsAttr> reshapeConstant(mlir::ElementsAttr attribute, mlir::RankedTensorType type);

/// True if both constants have the same type and data. Large constants are read in full, unless they are the same blob.
bool haveSameData(mlir::ElementsAttr a, mlir::ElementsAttr b);

/// True if the data of `whole` begins with all data of `part`, with elements of the same type. False for splats, and
/// for constants of less than 4 KiB.
bool beginsWith(mlir::ElementsAttr whole, mlir::ElementsAttr part);

/// Returns a hash of at most the first 4 KiB, so that large constants are not read in full. It is equal for constants
/// with the same data, and if beginsWith() is true.
uint64_t hashBeginning(mlir::ElementsAttr attribute);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_CONSTANTDATA_H
