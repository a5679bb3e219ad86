// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets a product whose heads are read in equal parts write each part to a separate tensor. Queries, keys and values are
// one product (nacre-join-products), but need not share a storage. The result of attention can then reuse the memory of
// the queries. The memory of keys and values is free afterwards.
//
// The parts become parts of the product's columns, which one kernel computes (ProductParts.h). Each part has its own
// bias.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/fusion/ProductParts.h"
#include "dialects/TensorTypes.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_PARTHEADSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

/// A matrix product, the sum with its bias, a reshape of this sum to [.., heads, size], and slices along the heads.
struct Heads {
  nn::MatMulOp product;
  nn::BinaryOp sum;
  Value bias;
  nn::ReshapeOp all;
  SmallVector<nn::SliceOp> parts;
};

size_t headAxis(nn::SliceOp part) { return part.getType().getRank() - 2; }

/// Returns the first column of the product that `part` reads, and the number of columns. Returns `nullopt` if `part`
/// does not read all elements of some heads. It may have fewer rows than the product.
std::optional<std::pair<int64_t, int64_t>> columnsOf(nn::SliceOp part) {
  ArrayRef<int64_t> shape = part.getType().getShape();
  const bool isDense = llvm::all_of(part.getSteps(), [](int64_t step) { return step == 1; });
  if (!isDense || shape.back() != typeOf(part.getOperand()).getShape().back())
    return std::nullopt;
  const size_t axis = headAxis(part);
  return std::pair(part.getStarts()[axis] * shape.back(), shape[axis] * shape.back());
}

/// Returns the rows of `value` that `part` selects. `value` has all rows of the part's heads.
Value takeRows(IRRewriter &rewriter, Value value, nn::SliceOp part) {
  SmallVector<int64_t> starts(part.getStarts()), shape(typeOf(part.getOperand()).getShape());
  const size_t axis = headAxis(part);
  starts[axis] = 0;
  shape[axis] = part.getSizes()[axis];
  Value all = nn::ReshapeOp::create(rewriter, part.getLoc(), part.getType().clone(shape), value);
  return rewriter.createOrFold<nn::SliceOp>(part.getLoc(), all, starts, part.getSizes(), part.getSteps());
}

std::optional<Heads> findHeads(nn::MatMulOp product) {
  Heads heads;
  heads.product = product;
  RankedTensorType left = typeOf(product.getLhs()), type = typeOf(product.getResult());
  if (!product->hasOneUse() || !product.getRhs().getDefiningOp<nn::ConstantOp>() ||
      typeOf(product.getRhs()).getRank() != 2 || left.getRank() != type.getRank() || !type.getElementType().isF32())
    return std::nullopt;
  heads.sum = dyn_cast<nn::BinaryOp>(*product->user_begin());
  if (!heads.sum || !plan::haveSameEngine(heads.sum, product) || heads.sum.getKind() != nn::BinaryKind::Add ||
      heads.sum.getType() != type || !heads.sum->hasOneUse())
    return std::nullopt;
  heads.bias = heads.sum.getLhs() == product.getResult() ? heads.sum.getRhs() : heads.sum.getLhs();
  heads.all = dyn_cast<nn::ReshapeOp>(*heads.sum->user_begin());
  const int64_t columns = type.getShape().back();
  if (!heads.bias.getDefiningOp<nn::ConstantOp>() || typeOf(heads.bias).getShape() != ArrayRef<int64_t>{columns} ||
      !heads.all || heads.all->use_empty())
    return std::nullopt;
  ArrayRef<int64_t> shape = typeOf(heads.all.getResult()).getShape();
  if (shape.size() < 3 || shape[shape.size() - 2] * shape.back() != columns)
    return std::nullopt;
  for (Operation *user : heads.all->getUsers()) {
    auto part = dyn_cast<nn::SliceOp>(user);
    auto range = part ? columnsOf(part) : std::nullopt;
    if (!range || part->getBlock() != product->getBlock() ||
        !kernels::isPartOfColumns(columns, range->first, range->second))
      return std::nullopt;
    heads.parts.push_back(part);
  }
  llvm::sort(heads.parts, [](nn::SliceOp a, nn::SliceOp b) { return columnsOf(a)->first < columnsOf(b)->first; });
  for (auto [part, next] : llvm::zip(heads.parts, llvm::drop_begin(heads.parts)))
    if (columnsOf(part)->second != columnsOf(next)->second || columnsOf(part)->first == columnsOf(next)->first)
      return std::nullopt;
  return heads;
}

void divide(IRRewriter &rewriter, Heads heads) {
  Location loc = heads.product.getLoc();
  rewriter.setInsertionPointAfter(heads.sum);
  RankedTensorType left = typeOf(heads.product.getLhs());
  const int64_t depth = left.getShape().back(), rows = llvm::product_of(left.getShape().drop_back());
  Value matrix = heads.product.getLhs();
  if (left.getRank() != 2)
    matrix = nn::ReshapeOp::create(rewriter, loc, left.clone({rows, depth}), matrix);
  auto flat = nn::MatMulOp::create(rewriter, loc, matrix, heads.product.getRhs());
  plan::copyEngine(heads.product, flat);
  SmallVector<Value> sums; // All sums must come before their first reader, so that one kernel can write them.
  for (nn::SliceOp part : heads.parts) {
    auto [first, columns] = *columnsOf(part);
    const int64_t starts[] = {0, first}, sizes[] = {rows, columns}, steps[] = {1, 1};
    Value slice = nn::SliceOp::create(rewriter, loc, flat, starts, sizes, steps);
    Value bias = nn::SliceOp::create(rewriter, loc, heads.bias, ArrayRef(starts).drop_front(),
                                     ArrayRef(sizes).drop_front(), ArrayRef(steps).drop_front());
    auto sum = nn::BinaryOp::create(rewriter, heads.sum.getLoc(), nn::BinaryKind::Add, slice, bias);
    plan::copyEngine(heads.sum, sum);
    sums.push_back(sum);
  }
  for (auto [part, sum] : llvm::zip_equal(heads.parts, sums)) {
    rewriter.setInsertionPoint(part);
    rewriter.replaceOp(part, takeRows(rewriter, sum, part));
  }
  for (Operation *op : std::initializer_list<Operation *>{heads.all, heads.sum, heads.product})
    rewriter.eraseOp(op);
}

struct PartHeads : kernels::impl::PartHeadsPassBase<PartHeads> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (nn::MatMulOp product : listGiven<nn::MatMulOp>())
      if (std::optional<Heads> heads = findHeads(product))
        divide(rewriter, *heads);
  }
};

} // namespace
