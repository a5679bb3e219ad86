// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes the layout of values, if that makes transposes cheaper or removes them. This is possible in regions of
// operators that work in any layout. `nn` has channels last, so the import of a network with channels first adds two
// transposes around each convolution.
//
// 1. Grow a region from either side of a transpose: all values that operators which can follow the layout connect.
// 2. Compare the prices of the transposes at its border, in bytes moved, before and after the change.
// 3. If the change is cheaper, rebuild the region on values in the new layout.
// Prices only decrease, so the sweeps end. A layout that was rejected for a region is not tried again from other values
// of this region. So each sweep takes linear time.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"

#include "dialects/StoredBytes.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/Layouts.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-propagate-layouts"

namespace nacre::graph {
#define GEN_PASS_DEF_PROPAGATELAYOUTSPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;
using namespace nacre::nn;

namespace nacre::graph {

namespace {

/// Largest number of sweeps. Real models need two. More sweeps would save too little.
constexpr int maxSweeps = 4;

int64_t bytesOf(Value value) { return storedBytes(cast<RankedTensorType>(value.getType())); }

/// Returns `shape` extended to `rank` by leading axes of size 1.
Permutation extendShape(Dims shape, size_t rank) {
  Permutation extended(rank - shape.size(), 1);
  extended.append(shape.begin(), shape.end());
  return extended;
}

//===----------------------------------------------------------------------===//
// 1. Regions
//===----------------------------------------------------------------------===//

struct Region {
  /// Stored layouts of values. Values that no operator of the region computes enter the region through a transpose.
  llvm::MapVector<Value, Permutation> layouts;
  llvm::MapVector<Operation *, OpLayouts> ops;

  bool defines(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && ops.contains(op);
  }
};

/// Adds `op` if it can follow the layout of `value`, and no other value of `op` has a different layout already.
void tryToAdd(Region &region, Operation *op, Value value, SmallVectorImpl<Value> &worklist) {
  std::optional<OpLayouts> layouts = transferLayout(op, value, region.layouts.find(value)->second);
  if (!layouts)
    return;
  // Each use of a constant may have its own layout.
  SmallVector<std::pair<Value, Permutation>> wanted = {{op->getResult(0), layouts->result}};
  for (auto [operand, layout] : llvm::zip(op->getOperands(), layouts->operands))
    if (layout && !isConstant(operand))
      wanted.push_back({operand, *layout});
  for (auto &[other, layout] : wanted)
    if (auto known = region.layouts.find(other); known != region.layouts.end() && known->second != layout)
      return;
  region.ops.insert({op, std::move(*layouts)});
  for (auto &[other, layout] : wanted)
    if (region.layouts.insert({other, layout}).second && !isIdentity(layout))
      worklist.push_back(other);
}

Region growRegion(Value seed, Dims layout, const llvm::DenseMap<Operation *, unsigned> &orderOf) {
  Region region;
  region.layouts.insert({seed, Permutation(layout)});
  SmallVector<Value> worklist = {seed};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    SmallVector<Operation *> neighbours(value.getUsers());
    if (Operation *op = value.getDefiningOp())
      neighbours.push_back(op);
    for (Operation *op : neighbours)
      if (orderOf.contains(op) && !region.ops.contains(op))
        tryToAdd(region, op, value, worklist);
  }
  return region;
}

//===----------------------------------------------------------------------===//
// 2. Prices
//===----------------------------------------------------------------------===//

/// True if a transpose by `permutation` costs nothing before `user`. Products and attention read their operands with
/// any strides. If a transposed axis is flattened and then multiplied by constant weights, the weights are reordered
/// instead (nacre-permute-weights).
bool absorbsTranspose(Operation *user, Dims transposed, Dims permutation) {
  if (isa<nn::MatMulOp, nn::AttentionOp>(user))
    return true;
  auto reshape = dyn_cast<nn::ReshapeOp>(user);
  if (!reshape || !reshape->hasOneUse() || !findFlattenedTail(transposed, reshape.getType().getShape(), permutation))
    return false;
  Operation *flat = reshape;
  while (isCodingOfAll(*flat->user_begin()) && flat->user_begin()->hasOneUse())
    flat = *flat->user_begin();
  auto product = dyn_cast<nn::MatMulOp>(*flat->user_begin());
  return product && product.getLhs() == flat->getResult(0) && isConstant(product.getRhs());
}

/// Returns the price of a transpose of a tensor of `bytes` bytes and of shape `shape`. `users` are the readers of its
/// result.
int64_t priceOf(int64_t bytes, Dims shape, Dims permutation, ArrayRef<Operation *> users) {
  if (movesOnlyUnits(shape, permutation))
    return 0;
  SmallVector<int64_t> transposed = permute(shape, permutation);
  if (llvm::all_of(users, [&](Operation *user) { return absorbsTranspose(user, transposed, permutation); }))
    return 0;
  return bytes;
}

int64_t priceOf(nn::TransposeOp op) {
  SmallVector<Operation *> users(op->getUsers());
  return priceOf(bytesOf(op), shapeOf(op.getOperand()), op.getPermutation(), users);
}

/// Returns how the price changes if `value`, computed outside of the region, enters the region in `layout`.
int64_t priceOfEntry(const Region &region, Value value, Dims layout) {
  if (isIdentity(layout))
    return 0;
  auto isInside = [&](Operation *user) { return region.ops.contains(user); };
  SmallVector<Operation *> inside;
  llvm::copy_if(value.getUsers(), std::back_inserter(inside), isInside);
  auto transpose = value.getDefiningOp<nn::TransposeOp>();
  if (!transpose)
    return priceOf(bytesOf(value), shapeOf(value), layout, inside);
  int64_t price =
      priceOf(bytesOf(value), shapeOf(transpose.getOperand()), compose(transpose.getPermutation(), layout), inside);
  bool disappears = llvm::all_of(value.getUsers(), isInside);
  return disappears ? price - priceOf(transpose) : price;
}

/// Returns how the price changes if `value`, computed in the region, is stored in `layout` and used outside.
int64_t priceOfExit(const Region &region, Value value, Dims layout) {
  int64_t price = 0;
  Permutation back = inverse(layout);
  SmallVector<int64_t> stored = permute(shapeOf(value), layout);
  SmallVector<Permutation> paid;
  SmallVector<Operation *> plainUsers;
  for (Operation *user : value.getUsers()) {
    if (region.ops.contains(user))
      continue;
    auto transpose = dyn_cast<nn::TransposeOp>(user);
    if (!transpose) {
      plainUsers.push_back(user);
      continue;
    }
    price -= priceOf(transpose);
    Permutation rest = compose(back, transpose.getPermutation());
    if (llvm::is_contained(paid, rest))
      continue;
    SmallVector<Operation *> next(transpose->getUsers());
    price += priceOf(bytesOf(value), stored, rest, next);
    paid.push_back(std::move(rest));
  }
  if (!plainUsers.empty() && !llvm::is_contained(paid, back))
    price += priceOf(bytesOf(value), stored, back, plainUsers);
  return price;
}

/// Returns how the price of all transposes changes if the region is stored in its new layouts.
int64_t priceOf(const Region &region) {
  int64_t price = 0;
  for (auto &[value, layout] : region.layouts)
    price += region.defines(value) ? priceOfExit(region, value, layout) : priceOfEntry(region, value, layout);
  for (auto &[op, layouts] : region.ops)
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      if (isAlignedOperand(op, index, layouts) && !isConstant(operand))
        price += priceOf(bytesOf(operand), extendShape(shapeOf(operand), layouts.result.size()), layouts.result, op);
  return price;
}

//===----------------------------------------------------------------------===//
// 3. Rebuilding
//===----------------------------------------------------------------------===//

/// Returns `value` transposed. If `value` is a transpose, the result is one transpose, or the original value if they
/// cancel.
Value makeTransposed(OpBuilder &builder, Location loc, Value value, Dims permutation) {
  if (isIdentity(permutation))
    return value;
  Permutation all(permutation);
  if (auto inner = value.getDefiningOp<nn::TransposeOp>()) {
    all = compose(inner.getPermutation(), permutation);
    value = inner.getOperand();
  }
  if (isIdentity(all))
    return value;
  return builder.createOrFold<nn::TransposeOp>(loc, value, all);
}

class Rebuilder {
public:
  Rebuilder(const Region &region, const llvm::DenseMap<Operation *, unsigned> &orderOf, OpBuilder &builder,
            Block &block)
      : region(region), builder(builder), block(block) {
    for (auto &[op, layouts] : region.ops)
      ordered.push_back({op, &layouts});
    llvm::sort(ordered, [&](const auto &a, const auto &b) { return orderOf.at(a.first) < orderOf.at(b.first); });
  }

  /// Rebuilds the region. Adds its old operators, and the transposes that it replaces, to `dead`, without operands or
  /// uses.
  void run(SmallVectorImpl<Operation *> &dead) {
    for (auto &[value, layout] : region.layouts)
      if (!region.defines(value)) {
        placeEntry(value);
        stored[value] = makeTransposed(builder, value.getLoc(), value, layout);
      }
    for (auto &[op, layouts] : ordered) {
      builder.setInsertionPoint(op);
      SmallVector<Value> operands;
      for (unsigned index = 0; index < op->getNumOperands(); ++index)
        operands.push_back(getStoredOperand(op, index, *layouts));
      stored[op->getResult(0)] = rebuildInLayout(builder, op, operands, *layouts)->getResult(0);
    }
    for (auto &[op, layouts] : ordered)
      leaveRegion(op->getResult(0), layouts->result, dead);
    for (auto &[op, layouts] : ordered) {
      op->dropAllReferences();
      dead.push_back(op);
    }
  }

private:
  /// Sets the insertion point after the definition of `value`, outside of all loops around the block. But the point is
  /// not before a branch that may not be taken.
  void placeEntry(Value value) {
    Block *place = &block;
    builder.setInsertionPointToStart(place);
    while (place != value.getParentBlock() && !isa<nn::IfOp>(place->getParentOp())) {
      builder.setInsertionPoint(place->getParentOp());
      place = place->getParentOp()->getBlock();
    }
    if (place == value.getParentBlock())
      builder.setInsertionPointAfterValue(value);
  }

  Value getStoredOperand(Operation *op, unsigned index, const OpLayouts &layouts) {
    Value operand = op->getOperand(index);
    if (layouts.operands[index])
      return isConstant(operand) ? makeTransposed(builder, op->getLoc(), operand, *layouts.operands[index])
                                 : stored.lookup(operand);
    operand = getOriginal(operand);
    if (!isAlignedOperand(op, index, layouts))
      return operand;
    auto type = cast<RankedTensorType>(operand.getType());
    Type extended = type.clone(extendShape(type.getShape(), layouts.result.size()));
    Value reshaped = builder.createOrFold<nn::ReshapeOp>(op->getLoc(), extended, operand);
    return makeTransposed(builder, op->getLoc(), reshaped, layouts.result);
  }

  /// Returns `value` in its original layout, for a user that cannot follow the new one.
  Value getOriginal(Value value) {
    if (!region.defines(value))
      return value;
    Value &original = restored[value];
    if (!original) {
      OpBuilder::InsertionGuard guard(builder);
      Value storedValue = stored.lookup(value);
      builder.setInsertionPointAfterValue(storedValue);
      original = makeTransposed(builder, value.getLoc(), storedValue, inverse(region.layouts.find(value)->second));
    }
    return original;
  }

  void leaveRegion(Value value, Dims layout, SmallVectorImpl<Operation *> &dead) {
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      Operation *user = use.getOwner();
      if (region.ops.contains(user))
        continue;
      if (auto transpose = dyn_cast<nn::TransposeOp>(user)) {
        builder.setInsertionPoint(transpose);
        transpose.getResult().replaceAllUsesWith(makeTransposed(builder, transpose.getLoc(), stored.lookup(value),
                                                                compose(inverse(layout), transpose.getPermutation())));
        transpose->dropAllReferences();
        dead.push_back(transpose);
        continue;
      }
      use.set(getOriginal(value));
    }
  }

  const Region &region;
  OpBuilder &builder;
  Block &block;
  SmallVector<std::pair<Operation *, const OpLayouts *>> ordered;
  llvm::DenseMap<Value, Value> stored, restored;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct PropagateLayouts : impl::PropagateLayoutsPassBase<PropagateLayouts> {
  using PropagateLayoutsPassBase::PropagateLayoutsPassBase;

  void runOnOperation() override {
    // Values that enter or leave a branch or loop keep their layout. Each block is treated like a separate graph.
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PreOrder>([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      for (int sweep = 0; sweep < maxSweeps; ++sweep)
        if (!runSweep(*block))
          break;
  }

  /// Tries to grow a region from both sides of every transpose of `block` once. Returns true if a region changed.
  bool runSweep(Block &block) {
    llvm::DenseMap<Operation *, unsigned> orderOf;
    SmallVector<nn::TransposeOp> transposes;
    for (auto [order, op] : llvm::enumerate(block)) {
      orderOf[&op] = order;
      if (auto transpose = dyn_cast<nn::TransposeOp>(op))
        transposes.push_back(transpose);
    }
    refused.clear();

    // Operators are erased only at the end. Otherwise, a new operator could have the address of an erased one that maps
    // still contain.
    SmallVector<Operation *> dead;
    for (nn::TransposeOp transpose : transposes) {
      Value operand = transpose->getOperand(0);
      if (!operand || transpose->use_empty())
        continue;
      Permutation permutation(transpose.getPermutation());
      if (!tryRegion(operand, permutation, block, orderOf, dead))
        tryRegion(transpose.getResult(), inverse(permutation), block, orderOf, dead);
    }
    for (Operation *op : dead)
      op->erase();
    return !dead.empty();
  }

  /// Tries to store the region around `seed` in `layout`. Returns true if the region changed.
  bool tryRegion(Value seed, const Permutation &layout, Block &block, llvm::DenseMap<Operation *, unsigned> &orderOf,
                 SmallVectorImpl<Operation *> &dead) {
    if (isConstant(seed) || llvm::is_contained(refused[seed], layout))
      return false;
    Region region = growRegion(seed, layout, orderOf);
    int64_t price = region.ops.empty() ? 0 : priceOf(region);
    LDBG() << "region of " << region.ops.size() << " ops from " << seed << " changes bytes moved by " << price;
    if (price >= 0) {
      for (auto &[value, valueLayout] : region.layouts)
        refused[value].push_back(valueLayout);
      return false;
    }
    OpBuilder builder(&getContext());
    Rebuilder(region, orderOf, builder, block).run(dead);
    for (auto &[op, layouts] : region.ops)
      orderOf.erase(op);
    ++numRegions;
    numBytesSaved += -price;
    return true;
  }

  llvm::DenseMap<Value, SmallVector<Permutation, 1>> refused;
};

} // namespace

} // namespace nacre::graph
