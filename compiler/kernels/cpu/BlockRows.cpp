// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs two consecutive products by blocks of rows if the tensor between them is much wider than both ends. The inner
// tensor in the feed-forward block of a transformer is four times as wide as its ends, so it determines the memory of
// the model. Rows are independent, so each block can reuse the memory of the previous one. In quantized models, both
// ends are bytes, and the f32 rows before a normalization are four times as large.
//
// 1. Chains: a product, elementwise operators, another product, and the elementwise operators in its kernel. For bytes:
//    one or two products, and a normalization with a result in bytes.
// 2. The number of blocks (RowBlocks.h).
// 3. The chain is cloned for each block. Each clone reads views of its rows of all operands. The results are written
//    side by side.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/cpu/RowBlocks.h"
#include "dialects/StoredBytes.h"
#include "dialects/TensorTypes.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_BLOCKROWSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

int64_t countRows(RankedTensorType type) { return llvm::product_of(type.getShape().drop_back()); }

//===----------------------------------------------------------------------===//
// 1. Chains
//===----------------------------------------------------------------------===//

struct Chain {
  SmallVector<nn::MatMulOp, 2> products;
  SmallVector<Operation *> operators; ///< Operators in order, including the products.
  int64_t inside = 0;                 ///< Largest size in bytes of the tensors that are live inside.
  bool isOfBytes = false;             ///< True if the products multiply bytes.

  int64_t bytesIn() const {
    return products.empty() ? 0 : nacre::storedBytes(typeOf(nn::MatMulOp(products.front()).getLhs()));
  }
  Value result() const { return operators.back()->getResult(0); }
  void add(nn::MatMulOp product, ArrayRef<Operation *> following) {
    products.push_back(product);
    operators.push_back(product);
    llvm::append_range(operators, following);
  }
};

bool isOfBytes(Value value) { return typeOf(value).getElementType().isInteger(8); }

/// True if the product multiplies rows by one constant matrix. Elements are bytes if `ofBytes`, otherwise
/// floats.
bool multipliesRows(nn::MatMulOp product, bool ofBytes) {
  RankedTensorType left = typeOf(product.getLhs()), type = typeOf(product.getResult());
  return product.getRhs().getDefiningOp<nn::ConstantOp>() && typeOf(product.getRhs()).getRank() == 2 &&
         left.getRank() == type.getRank() && type.getRank() >= 2 &&
         (ofBytes ? isOfBytes(product.getLhs()) : isa<FloatType>(type.getElementType()));
}

/// True if `operand` has `rows` rows, or one row that is broadcast.
bool hasRows(Value operand, int64_t rows) {
  RankedTensorType type = typeOf(operand);
  return type.getRank() < 2 || countRows(type) == 1 || countRows(type) == rows;
}

bool isElementwise(Operation *op, Operation *first) {
  auto work = dyn_cast<nn::OperatorInterface>(op);
  RankedTensorType type = typeOf(first->getResult(0));
  return work && work.getWorkKind() == nn::WorkKind::Elementwise && !isa<nn::BroadcastOp>(op) &&
         plan::haveSameEngine(op, first) && op->getBlock() == first->getBlock() &&
         typeOf(op->getResult(0)).getShape() == type.getShape() &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return hasRows(operand, countRows(type)); });
}

/// Returns the smallest set of elementwise operators that contains all uses of `last` and from which only one value
/// leaves. The kernel of the product `first` would contain these operators (FusionPolicy.h).
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

/// Returns all elementwise operators after `first` that would share its kernel.
SmallVector<Operation *> findFollowing(Operation *first) {
  SmallVector<Operation *> following;
  Value last = first->getResult(0);
  for (SmallVector<Operation *> region = findRegion(last, first); !region.empty(); region = findRegion(last, first)) {
    llvm::append_range(following, region);
    last = region.back()->getResult(0);
  }
  return following;
}

/// Returns the product whose left operand is `inside`, if nothing else reads `inside`. Otherwise, returns null.
nn::MatMulOp findNext(Value inside, nn::MatMulOp first, bool ofBytes) {
  auto next = inside.hasOneUse() ? dyn_cast<nn::MatMulOp>(*inside.user_begin()) : nn::MatMulOp();
  return next && next.getLhs() == inside && next->getBlock() == first->getBlock() &&
                 plan::haveSameEngine(next, first) && multipliesRows(next, ofBytes)
             ? next
             : nn::MatMulOp();
}

std::optional<Chain> findChainOfFloats(nn::MatMulOp first) {
  Chain chain;
  chain.add(first, findFollowing(first));
  Value inside = chain.result();
  nn::MatMulOp second = findNext(inside, first, /*ofBytes=*/false);
  if (!second)
    return std::nullopt;
  chain.add(second, findFollowing(second));
  chain.inside = nacre::storedBytes(typeOf(inside));
  return chain;
}

/// Returns the normalization of rows that is the only reader of `rows`, or null.
nn::NormalizeOp findNormalization(Value rows, nn::MatMulOp first) {
  auto normalize = rows.hasOneUse() ? dyn_cast<nn::NormalizeOp>(*rows.user_begin()) : nn::NormalizeOp();
  return normalize && normalize->getBlock() == first->getBlock() && plan::haveSameEngine(normalize, first) &&
                 normalize.getAxes() == ArrayRef<int64_t>{typeOf(rows).getRank() - 1}
             ? normalize
             : nn::NormalizeOp();
}

/// Returns the operators that follow `first`, up to and including the one that computes bytes. This last one may have
/// several readers. Returns no operators if none of them computes bytes.
SmallVector<Operation *> findFollowingToBytes(Operation *first) {
  SmallVector<Operation *> following;
  for (Operation *last = first; last->hasOneUse() && isElementwise(*last->user_begin(), first);) {
    last = *last->user_begin();
    following.push_back(last);
    if (isOfBytes(last->getResult(0)))
      return following;
  }
  return {};
}

std::optional<Chain> findChainOfBytes(nn::MatMulOp first) {
  Chain chain;
  chain.isOfBytes = true;
  chain.add(first, findFollowing(first));
  if (nn::MatMulOp second = findNext(chain.result(), first, /*ofBytes=*/true)) {
    chain.inside = nacre::storedBytes(typeOf(chain.result()));
    chain.add(second, findFollowing(second));
  }
  nn::NormalizeOp normalize = findNormalization(chain.result(), first);
  SmallVector<Operation *> following = normalize ? findFollowingToBytes(normalize) : SmallVector<Operation *>();
  if (following.empty())
    return std::nullopt;
  chain.inside += nacre::storedBytes(typeOf(chain.result()));
  chain.operators.push_back(normalize);
  llvm::append_range(chain.operators, following);
  return chain;
}

/// True if `op` looks up one row of a table for each of `rows` rows.
bool looksUpRows(nn::GatherOp op, int64_t rows) {
  return op.getAxis() == 0 && typeOf(op.getOperand()).getRank() == 2 &&
         typeOf(op.getIndices()).getNumElements() == rows &&
         typeOf(op.getResult()).getRank() == typeOf(op.getIndices()).getRank() + 1;
}

/// Collects lookups and operators that only `value` needs, operands first. Returns false if it needs any others.
bool collectLookups(Value value, Operation *reader, SmallVectorImpl<Operation *> &operators) {
  Operation *op = value.getDefiningOp();
  auto gather = dyn_cast_or_null<nn::GatherOp>(op);
  const bool isLookup = gather && looksUpRows(gather, countRows(typeOf(value)));
  if (!op || !op->hasOneUse() || op->getBlock() != reader->getBlock() || !plan::haveSameEngine(op, reader) ||
      (!isLookup && !isElementwise(op, reader)))
    return false;
  for (Value operand : op->getOperands())
    if (!isLookup && !operand.getDefiningOp<nn::ConstantOp>() && !collectLookups(operand, reader, operators))
      return false;
  operators.push_back(op);
  return true;
}

/// Returns a chain of embeddings: lookups of rows, their sum, and its normalization to bytes.
std::optional<Chain> findChainOfLookups(nn::NormalizeOp normalize) {
  Chain chain;
  SmallVector<Operation *> following = findFollowingToBytes(normalize);
  if (following.empty() || normalize.getAxes() != ArrayRef<int64_t>{typeOf(normalize.getOperand()).getRank() - 1} ||
      !collectLookups(normalize.getOperand(), normalize, chain.operators))
    return std::nullopt;
  chain.inside = nacre::storedBytes(typeOf(normalize.getOperand()));
  chain.operators.push_back(normalize);
  llvm::append_range(chain.operators, following);
  return chain;
}

std::optional<Chain> findChain(nn::MatMulOp first) {
  for (bool ofBytes : {false, true})
    if (multipliesRows(first, ofBytes))
      return ofBytes ? findChainOfBytes(first) : findChainOfFloats(first);
  return std::nullopt;
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

  /// True if `op` is part of a sign flip of bytes (compiler/graph/quantized/Flips.h).
  static bool isFlip(Operation *op) {
    auto binary = dyn_cast_or_null<nn::BinaryOp>(op);
    return isa_and_nonnull<nn::BitcastOp>(op) || (binary && binary.getKind() == nn::BinaryKind::Xor);
  }

  /// Dequantizes the block's rows of `value` again, so that the kernel of the block does this while it reads the bytes.
  /// Returns null if `value` is not computed from bytes and splat constants.
  Value dequantizeRows(Value value, const kernels::RowBlock &block) {
    SmallVector<Operation *> operators;
    Value source = value;
    while (Operation *op = source.getDefiningOp()) {
      if (!isa<nn::CastOp, nn::BinaryOp, nn::BitcastOp>(op) || !plan::haveSameEngine(op, chain.operators.front()) ||
          !llvm::all_of(llvm::drop_begin(op->getOperands()),
                        [](Value number) { return number.getDefiningOp<nn::ConstantOp>() && hasRows(number, 1); }))
        return {};
      operators.push_back(op);
      source = op->getOperand(0);
      if (isOfBytes(source) && !isFlip(source.getDefiningOp()))
        break;
    }
    if (!isOfBytes(source) || typeOf(source).getShape() != typeOf(value).getShape())
      return {};
    IRMapping map;
    clone(llvm::to_vector(llvm::reverse(operators)), map, block);
    return map.lookup(value);
  }

  void clone(ArrayRef<Operation *> operators, IRMapping &map, const kernels::RowBlock &block) {
    for (Operation *op : operators) {
      if (auto product = dyn_cast<nn::MatMulOp>(op)) {
        multiply(product, map, block);
        continue;
      }
      if (auto gather = dyn_cast<nn::GatherOp>(op)) {
        lookUp(gather, map, block);
        continue;
      }
      IRMapping operands = map;
      for (Value operand : op->getOperands()) {
        if (map.contains(operand))
          continue;
        Value rows = chain.isOfBytes ? dequantizeRows(operand, block) : Value();
        operands.map(operand, rows ? rows : takeRows(operand, block));
      }
      Operation *cloned = rewriter.clone(*op, operands);
      RankedTensorType type = typeOf(op->getResult(0));
      cloned->getResult(0).setType(type.clone({block.count, type.getShape().back()}));
      if (auto normalize = dyn_cast<nn::NormalizeOp>(cloned))
        normalize.setAxes(ArrayRef<int64_t>{1});
      map.map(op->getResult(0), cloned->getResult(0));
    }
  }

  void lookUp(nn::GatherOp gather, IRMapping &map, const kernels::RowBlock &block) {
    Value all = seenAs(gather.getIndices(), typeOf(gather.getIndices()).clone({rows}));
    IRMapping operands;
    operands.map(gather.getIndices(),
                 rewriter.createOrFold<nn::SliceOp>(loc, all, ArrayRef<int64_t>{block.first},
                                                    ArrayRef<int64_t>{block.count}, ArrayRef<int64_t>{1}));
    Operation *cloned = rewriter.clone(*gather, operands);
    RankedTensorType type = typeOf(gather.getResult());
    cloned->getResult(0).setType(type.clone({block.count, type.getShape().back()}));
    map.map(gather.getResult(), cloned->getResult(0));
  }

  void multiply(nn::MatMulOp product, IRMapping &map, const kernels::RowBlock &block) {
    Value left = map.lookupOrNull(product.getLhs());
    auto rows = nn::MatMulOp::create(rewriter, product.getLoc(), left ? left : takeRows(product.getLhs(), block),
                                     product.getRhs());
    plan::copyEngine(product, rows);
    map.map(product.getResult(), rows.getResult());
  }

  Value emitBlock(const kernels::RowBlock &block) {
    IRMapping map;
    clone(chain.operators, map, block);
    return map.lookup(chain.result());
  }

  IRRewriter &rewriter;
  const Chain &chain;
  const int64_t rows;
  Location loc;
};

/// Erases the operators of the chain, and operators before it whose results only the chain used.
void erase(IRRewriter &rewriter, const Chain &chain) {
  llvm::SetVector<Operation *> before;
  for (Operation *op : llvm::reverse(chain.operators)) {
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        before.insert(maker);
    before.remove(op);
    rewriter.eraseOp(op);
  }
  while (!before.empty()) {
    Operation *op = before.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        before.insert(maker);
    rewriter.eraseOp(op);
  }
}

struct BlockRows : kernels::impl::BlockRowsPassBase<BlockRows> {
  void runOnOperation() override {
    SmallVector<nn::MatMulOp> products = listGiven<nn::MatMulOp>();
    // Goes from last to first: if a product ends one chain and begins another, the later chain is found first. Chains
    // of two products are found before chains of one product.
    llvm::SmallPtrSet<Operation *, 8> taken;
    for (size_t count : {2, 1})
      for (nn::MatMulOp product : llvm::reverse(products)) {
        std::optional<Chain> chain = taken.contains(product) ? std::nullopt : findChain(product);
        if (!chain || chain->products.size() != count ||
            llvm::any_of(chain->products, [&](Operation *op) { return taken.contains(op); }))
          continue;
        if (divide(*chain))
          taken.insert_range(chain->products);
      }
    for (nn::NormalizeOp normalize : listGiven<nn::NormalizeOp>())
      if (std::optional<Chain> chain = findChainOfLookups(normalize))
        divide(*chain);
  }

  bool divide(const Chain &chain) {
    const int64_t rows = countRows(typeOf(chain.result()));
    SmallVector<kernels::RowBlock> blocks = kernels::divideRows(
        {rows, chain.bytesIn(), chain.inside, nacre::storedBytes(typeOf(chain.result())), chain.isOfBytes});
    if (blocks.size() < 2)
      return false;
    IRRewriter rewriter(&getContext());
    rewriter.setInsertionPointAfterValue(chain.result());
    Value blocked = ChainBlocks(rewriter, chain, rows).emit(blocks);
    rewriter.replaceAllUsesWith(chain.result(), blocked);
    erase(rewriter, chain);
    ++numChains;
    return true;
  }
};

} // namespace
