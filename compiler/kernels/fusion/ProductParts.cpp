// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/ProductParts.h"

using namespace mlir;

namespace nacre::kernels {

bool canBeReadInParts(nn::MatMulOp product) {
  RankedTensorType type = product.getType();
  return type.getRank() == 2 && type.getElementType().isF32() && product.getRhs().getDefiningOp<nn::ConstantOp>() &&
         cast<RankedTensorType>(product.getLhs().getType()).getElementType().isF32();
}

bool isPartOfColumns(int64_t whole, int64_t first, int64_t columns) {
  constexpr int64_t mostParts = 4, alignment = 4;
  if (columns == 0 || whole % columns != 0 || first % columns != 0 || columns % alignment != 0)
    return false;
  const int64_t parts = whole / columns;
  return parts >= 2 && parts <= mostParts;
}

bool isPartOfColumns(nn::SliceOp slice) {
  ArrayRef<int64_t> whole = slice.getOperand().getType().getShape(), part = slice.getType().getShape();
  return whole.size() == 2 && part[0] == whole[0] && slice.getSteps() == ArrayRef<int64_t>{1, 1} &&
         isPartOfColumns(whole[1], slice.getStarts()[1], part[1]);
}

/// True if all readers of the product are elementwise operators on parts of `columns` columns.
static bool hasOnlyParts(nn::MatMulOp product, int64_t columns) {
  return llvm::all_of(product->getUsers(), [&](Operation *user) {
    auto part = dyn_cast<nn::SliceOp>(user);
    return part && isPartOfColumns(part) && part.getType().getShape().back() == columns &&
           llvm::all_of(part->getUsers(), [&](Operation *reader) {
             auto work = dyn_cast<nn::OperatorInterface>(reader);
             return work && work.getWorkKind() == nn::WorkKind::Elementwise &&
                    reader->getResult(0).getType() == part.getType();
           });
  });
}

bool isReadInParts(nn::MatMulOp product) {
  if (!canBeReadInParts(product) || product->use_empty())
    return false;
  auto first = dyn_cast<nn::SliceOp>(*product->getUsers().begin());
  return first && llvm::all_of(product.getRhs().getUsers(), [&](Operation *user) {
           auto other = dyn_cast<nn::MatMulOp>(user);
           return other && canBeReadInParts(other) && hasOnlyParts(other, first.getType().getShape().back());
         });
}

} // namespace nacre::kernels
