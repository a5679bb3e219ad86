// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves products of a loop's rows with invariant matrices to one product before the loop. The loop scans the rows of
// this product. An iteration then multiplies only carried values. One product of many rows uses the whole machine,
// unlike many products of one row. In a recurrent layer, at most half of the work remains in an iteration. Products
// stay in the loop if all their results would exceed a cache (HoistedProduct.h).
//
// 1. A product of joined parts, some of which are rows, becomes a sum of products.
// 2. A product of a row moves out of the loop.
// 3. Invariant addends are reassociated to be added to such a product first, so that they also move out.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/Regions.h"
#include "compiler/graph/control/HoistedProduct.h"
#include "dialects/StoredBytes.h"
#include "dialects/TensorTypes.h"

namespace nacre::graph {
#define GEN_PASS_DEF_HOISTPRODUCTSPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

/// True if a sum may be added in another order. With f16 or bf16, each partial sum would be rounded.
bool maySplit(RankedTensorType type) { return !type.getElementType().isF16() && !type.getElementType().isBF16(); }

class ProductsOfLoop {
public:
  ProductsOfLoop(IRRewriter &rewriter, nn::ForOp loop) : rewriter(rewriter), loop(loop) {}

  /// Moves products out of the loop. Returns the number of moved products.
  int64_t run() {
    int64_t moved = 0;
    for (Operation &op : llvm::make_early_inc_range(loop.getBody().front()))
      if (auto product = dyn_cast<nn::MatMulOp>(op); product && isMatrixOutside(product.getRhs()))
        split(product);
    for (Operation &op : llvm::make_early_inc_range(loop.getBody().front())) {
      auto product = dyn_cast<nn::MatMulOp>(op);
      if (product && isMatrixOutside(product.getRhs()) && findRows(product.getLhs()) &&
          isWorthIt(product.getLhs(), product.getRhs())) {
        moveProduct(product);
        ++moved;
      } else if (auto sum = dyn_cast<nn::BinaryOp>(op); sum && sum.getKind() == nn::BinaryKind::Add) {
        moveAddend(sum);
      }
    }
    return moved;
  }

private:
  bool isMatrixOutside(Value value) const { return isOutside(value, loop) && typeOf(value).getRank() == 2; }

  /// Returns the scanned value of which `value` is the row of an iteration, perhaps reshaped, or null.
  Value findRows(Value value) {
    while (auto reshape = value.getDefiningOp<nn::ReshapeOp>())
      value = reshape.getOperand();
    for (auto [scanned, argument] : llvm::zip_equal(loop.getScanned(), loop.getScannedArguments()))
      if (argument == value)
        return scanned;
    return {};
  }

  /// True if moving the products of `row` with `matrix` out of the loop saves time.
  bool isWorthIt(Value row, Value matrix) {
    HoistedProduct product;
    product.iterations = loop.getTripCount();
    product.depth = typeOf(row).getShape().back();
    product.rows = typeOf(row).getNumElements() / std::max<int64_t>(product.depth, 1);
    product.columns = typeOf(matrix).getDimSize(1);
    product.elementBytes = bytesOfElement(typeOf(row).getElementType());
    return pays(product);
  }

  //===--------------------------------------------------------------------===//
  // 1. Splitting
  //===--------------------------------------------------------------------===//

  void split(nn::MatMulOp product) {
    auto joined = product.getLhs().getDefiningOp<nn::ConcatOp>();
    if (!joined || int64_t(joined.getAxis()) != joined.getType().getRank() - 1 || !joined->hasOneUse() ||
        joined->getBlock() != product->getBlock() || !maySplit(product.getType()))
      return;
    const auto numRows = llvm::count_if(
        joined.getOperands(), [&](Value part) { return findRows(part) && isWorthIt(part, product.getRhs()); });
    if (numRows == 0 || numRows == int64_t(joined.getOperands().size()))
      return;
    Value sum;
    int64_t start = 0;
    for (Value part : joined.getOperands()) {
      const int64_t width = typeOf(part).getShape().back(), columns = typeOf(product.getRhs()).getDimSize(1);
      rewriter.setInsertionPoint(loop);
      Value weights = nn::SliceOp::create(rewriter, product.getLoc(), product.getRhs(), ArrayRef<int64_t>{start, 0},
                                          ArrayRef<int64_t>{width, columns}, ArrayRef<int64_t>{1, 1});
      rewriter.setInsertionPoint(product);
      Value partial = nn::MatMulOp::create(rewriter, product.getLoc(), part, weights);
      sum = sum ? Value(nn::BinaryOp::create(rewriter, product.getLoc(), nn::BinaryKind::Add, sum, partial)) : partial;
      start += width;
    }
    rewriter.replaceOp(product, sum);
    rewriter.eraseOp(joined);
  }

  //===--------------------------------------------------------------------===//
  // 2. Moving
  //===--------------------------------------------------------------------===//

  /// Adds `rows` (rows of products) to the scanned values. Returns the row of the current iteration, with type `type`.
  Value scanToo(Value rows, Type type, Location loc) {
    rewriter.modifyOpInPlace(loop, [&] {
      loop.getScannedMutable().append(rows);
      loop.getBody().addArgument(type, loc);
    });
    moved.insert(loop.getBody().getArguments().back());
    return loop.getBody().getArguments().back();
  }

  /// Scans `rows` instead of computing `op`. The row of each iteration replaces the result of `op`.
  void scanInstead(Operation *op, Value rows) {
    rewriter.replaceOp(op, scanToo(rows, op->getResult(0).getType(), op->getLoc()));
  }

  /// Returns the type of a stack whose rows have the type of `value`.
  RankedTensorType stackOf(Value value) {
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape.insert(shape.begin(), loop.getTripCount());
    return typeOf(value).clone(shape);
  }

  void moveProduct(nn::MatMulOp product) {
    Location loc = product.getLoc();
    RankedTensorType left = typeOf(product.getLhs());
    const int64_t depth = left.getShape().back();
    rewriter.setInsertionPoint(loop);
    Value rows = nn::ReshapeOp::create(
        rewriter, loc, left.clone({loop.getTripCount() * (left.getNumElements() / std::max<int64_t>(depth, 1)), depth}),
        findRows(product.getLhs()));
    Value all = nn::MatMulOp::create(rewriter, loc, rows, product.getRhs());
    scanInstead(product, nn::ReshapeOp::create(rewriter, loc, stackOf(product), all));
  }

  //===--------------------------------------------------------------------===//
  // 3. Addends
  //===--------------------------------------------------------------------===//

  /// True if `value` is a row of a product that moved out, so that addends can be added before the loop.
  bool isMoved(Value value) const { return moved.contains(value); }

  /// True if `value` can be added to a row of type `row` for all iterations together.
  bool isAddend(Value value, RankedTensorType row) const {
    return isOutside(value, loop) && typeOf(value).getRank() <= row.getRank();
  }

  void moveAddend(nn::BinaryOp sum) {
    for (auto [a, b] : {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())}) {
      if (typeOf(a) != sum.getType())
        continue;
      if (isMoved(a) && isAddend(b, sum.getType()))
        return scanInstead(sum, addToAll(sum.getLoc(), a, b));
      // (row + carried) + addend = (row + addend) + carried
      auto inner = a.getDefiningOp<nn::BinaryOp>();
      if (!inner || inner.getKind() != nn::BinaryKind::Add || !inner->hasOneUse() || !isAddend(b, sum.getType()) ||
          inner->getBlock() != sum->getBlock() || !maySplit(sum.getType()))
        continue;
      for (auto [row, other] : {std::pair(inner.getLhs(), inner.getRhs()), std::pair(inner.getRhs(), inner.getLhs())}) {
        if (!isMoved(row) || typeOf(row) != sum.getType() || !row.hasOneUse())
          continue;
        Value joined = scanToo(addToAll(sum.getLoc(), row, b), sum.getType(), sum.getLoc());
        rewriter.setInsertionPoint(sum);
        rewriter.replaceOpWithNewOp<nn::BinaryOp>(sum, nn::BinaryKind::Add, joined, other);
        rewriter.eraseOp(inner);
        return;
      }
    }
  }

  /// Returns the scanned value of `row` with `addend` added to all its rows. If the addend has one row, it is added
  /// right after the product, so that the product's epilogue contains the addition.
  Value addToAll(Location loc, Value row, Value addend) {
    rewriter.setInsertionPoint(loop);
    Value rows = findRows(row);
    auto reshape = rows.getDefiningOp<nn::ReshapeOp>();
    if (!reshape || typeOf(addend).getNumElements() != typeOf(reshape.getOperand()).getShape().back() ||
        typeOf(addend).getRank() == 0 || typeOf(addend).getShape().back() != typeOf(rows).getShape().back())
      return nn::BinaryOp::create(rewriter, loc, nn::BinaryKind::Add, rows, addend);
    RankedTensorType flat = typeOf(addend).clone({typeOf(addend).getNumElements()});
    if (typeOf(addend) != flat)
      addend = nn::ReshapeOp::create(rewriter, loc, flat, addend);
    Value sum = nn::BinaryOp::create(rewriter, loc, nn::BinaryKind::Add, reshape.getOperand(), addend);
    return nn::ReshapeOp::create(rewriter, loc, reshape.getType(), sum);
  }

  IRRewriter &rewriter;
  nn::ForOp loop;
  llvm::DenseSet<Value> moved; ///< Rows of products that moved out.
};

struct HoistProducts : impl::HoistProductsPassBase<HoistProducts> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (Operation *op : findControl(getOperation()))
      if (auto loop = dyn_cast<nn::ForOp>(op))
        numMoved += ProductsOfLoop(rewriter, loop).run();
  }
};

} // namespace

} // namespace nacre::graph
