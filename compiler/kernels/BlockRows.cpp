// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: lets two products in a row, of which the first is much wider than what goes in and comes out, run by blocks of rows.
// Why:  the feed-forward block of a transformer is four times as wide inside as outside, and what it is inside bounds the
//       memory of the whole model. Rows do not meet: what a block of them is inside may lie where the block before was.
// How:  1. chains: a product, elementwise operators, a product, and the elementwise operators that share the latter's kernel;
//       2. how many blocks (RowBlocks.h);
//       3. the chain is cloned for each: its rows of everything are views, and the results are written side by side.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/RowBlocks.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_BLOCKROWSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
int64_t countRows(RankedTensorType type) { return llvm::product_of(type.getShape().drop_back()); }
Value lastOf(Operation *product, ArrayRef<Operation *> following) {
  return following.empty() ? product->getResult(0) : following.back()->getResult(0);
}

//===----------------------------------------------------------------------===//
// 1. Chains
//===----------------------------------------------------------------------===//

struct Chain {
  nn::MatMulOp first, second;
  SmallVector<Operation *> between, behind;

  Value result() const { return lastOf(second, behind); }
};

/// Rows of floats by one constant matrix, on the CPU.
bool multipliesRows(nn::MatMulOp product) {
  RankedTensorType left = typeOf(product.getLhs()), type = typeOf(product.getResult());
  return plan::isOnCpu(product) && product.getRhs().getDefiningOp<nn::ConstantOp>() &&
         typeOf(product.getRhs()).getRank() == 2 && left.getRank() == type.getRank() && type.getRank() >= 2 &&
         isa<FloatType>(type.getElementType());
}

/// Whether the rows of `operand` are those of a value of `rows` rows, or one for all of them.
bool hasRows(Value operand, int64_t rows) {
  RankedTensorType type = typeOf(operand);
  return type.getRank() < 2 || countRows(type) == 1 || countRows(type) == rows;
}

bool isElementwise(Operation *op, Operation *first) {
  auto work = dyn_cast<nn::OperatorInterface>(op);
  RankedTensorType type = typeOf(first->getResult(0));
  return work && work.getWorkKind() == nn::WorkKind::Elementwise && !isa<nn::BroadcastOp>(op) && plan::isOnCpu(op) &&
         op->getBlock() == first->getBlock() && typeOf(op->getResult(0)).getShape() == type.getShape() &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return hasRows(operand, countRows(type)); });
}

/// The smallest set of elementwise operators behind `last` that holds all its uses and lets one value out: what would share
/// the kernel of the product `first` (FusionPolicy.h).
SmallVector<Operation *> findRegion(Value last, Operation *first) {
  constexpr size_t mostOperators = 24;
  SmallVector<Operation *> region;
  llvm::SetVector<Operation *> pending(last.user_begin(), last.user_end());
  auto isBefore = [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); };
  while (!pending.empty()) {
    if (region.size() == mostOperators ||
        !llvm::all_of(pending, [&](Operation *op) { return isElementwise(op, first); }))
      return {};
    Operation *next = *std::min_element(pending.begin(), pending.end(), isBefore);
    pending.remove(next);
    region.push_back(next);
    if (!pending.empty())
      pending.insert(next->user_begin(), next->user_end());
  }
  return region;
}

/// Those behind `product`, as far as they reach.
SmallVector<Operation *> findFollowing(nn::MatMulOp product) {
  SmallVector<Operation *> following;
  Value last = product.getResult();
  for (SmallVector<Operation *> region = findRegion(last, product); !region.empty();
       region = findRegion(last, product)) {
    llvm::append_range(following, region);
    last = region.back()->getResult(0);
  }
  return following;
}

std::optional<Chain> findChain(nn::MatMulOp first) {
  if (!multipliesRows(first))
    return std::nullopt;
  Chain chain;
  chain.first = first;
  chain.between = findFollowing(first);
  Value inside = lastOf(first, chain.between);
  chain.second = inside.hasOneUse() ? dyn_cast<nn::MatMulOp>(*inside.user_begin()) : nn::MatMulOp();
  if (!chain.second || chain.second.getLhs() != inside || chain.second->getBlock() != first->getBlock() ||
      !multipliesRows(chain.second))
    return std::nullopt;
  chain.behind = findFollowing(chain.second);
  return chain;
}

//===----------------------------------------------------------------------===//
// 3. Blocks
//===----------------------------------------------------------------------===//

class ChainBlocks {
public:
  ChainBlocks(IRRewriter &rewriter, const Chain &chain, int64_t rows)
      : rewriter(rewriter), chain(chain), rows(rows), loc(chain.result().getLoc()) {}

  Value emit(ArrayRef<kernels::RowBlock> blocks) {
    SmallVector<Value> results;
    for (const kernels::RowBlock &block : blocks)
      results.push_back(emitBlock(block));
    Value all = nn::ConcatOp::create(rewriter, loc, results, /*axis=*/0);
    return seenAs(all, typeOf(chain.result()));
  }

private:
  Value seenAs(Value value, RankedTensorType type) {
    return typeOf(value) == type ? value : rewriter.createOrFold<nn::ReshapeOp>(loc, type, value);
  }

  Value takeRows(Value value, const kernels::RowBlock &block) {
    RankedTensorType type = typeOf(value);
    if (type.getRank() < 2)
      return value;
    const int64_t count = countRows(type), columns = type.getShape().back();
    Value matrix = seenAs(value, type.clone({count, columns}));
    if (count != rows)
      return matrix;
    return rewriter.createOrFold<nn::SliceOp>(loc, matrix, ArrayRef<int64_t>{block.first, 0},
                                              ArrayRef<int64_t>{block.count, columns}, ArrayRef<int64_t>{1, 1});
  }

  void clone(ArrayRef<Operation *> operators, IRMapping &map, const kernels::RowBlock &block) {
    for (Operation *op : operators) {
      IRMapping operands = map;
      for (Value operand : op->getOperands())
        if (!map.contains(operand))
          operands.map(operand, takeRows(operand, block));
      Operation *cloned = rewriter.clone(*op, operands);
      RankedTensorType type = typeOf(op->getResult(0));
      cloned->getResult(0).setType(type.clone({block.count, type.getShape().back()}));
      map.map(op->getResult(0), cloned->getResult(0));
    }
  }

  Value emitBlock(const kernels::RowBlock &block) {
    IRMapping map;
    auto multiply = [&](nn::MatMulOp product, Value left) {
      auto rows = nn::MatMulOp::create(rewriter, product.getLoc(), left, product.getRhs());
      plan::copyEngine(product, rows);
      map.map(product.getResult(), rows.getResult());
    };
    multiply(chain.first, takeRows(nn::MatMulOp(chain.first).getLhs(), block));
    clone(chain.between, map, block);
    multiply(chain.second, map.lookup(nn::MatMulOp(chain.second).getLhs()));
    clone(chain.behind, map, block);
    return map.lookup(chain.result());
  }

  IRRewriter &rewriter;
  const Chain &chain;
  const int64_t rows;
  Location loc;
};

void erase(IRRewriter &rewriter, const Chain &chain) {
  for (Operation *op : llvm::reverse(chain.behind))
    rewriter.eraseOp(op);
  rewriter.eraseOp(chain.second);
  for (Operation *op : llvm::reverse(chain.between))
    rewriter.eraseOp(op);
  rewriter.eraseOp(chain.first);
}

struct BlockRows : kernels::impl::BlockRowsPassBase<BlockRows> {
  void runOnOperation() override {
    SmallVector<nn::MatMulOp> products;
    getOperation().walk([&](nn::MatMulOp product) { products.push_back(product); });
    // From the last one: a product that ends one chain may begin another, whose wider part decides.
    llvm::SmallPtrSet<Operation *, 8> taken;
    IRRewriter rewriter(&getContext());
    for (nn::MatMulOp product : llvm::reverse(products)) {
      std::optional<Chain> chain = taken.contains(product) ? std::nullopt : findChain(product);
      if (!chain || taken.contains(chain->second))
        continue;
      const int64_t rows = countRows(typeOf(product.getResult()));
      SmallVector<kernels::RowBlock> blocks = kernels::divideRows({rows, nacre::storedBytes(typeOf(product.getLhs())),
                                                                   nacre::storedBytes(typeOf(chain->second.getLhs())),
                                                                   nacre::storedBytes(typeOf(chain->result()))});
      if (blocks.size() < 2)
        continue;
      taken.insert({chain->first, chain->second});
      rewriter.setInsertionPointAfterValue(chain->result());
      Value blocked = ChainBlocks(rewriter, *chain, rows).emit(blocks);
      rewriter.replaceAllUsesWith(chain->result(), blocked);
      erase(rewriter, *chain);
      ++numChains;
    }
  }
};

} // namespace
