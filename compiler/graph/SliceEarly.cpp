// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes only the rows of a transformer's result that are read, as far up as rows are independent. A classifier reads
// one token of its last layer. Except for keys and values, this layer then computes only one row.
//
// 1. Boxes: the parts of its operands that an operator needs for a part of its result.
// 2. A region grows upwards from a slice, over operators whose results have no other readers.
// 3. If the region contains a product or a normalization, it is rebuilt on the parts. Slices of its inputs are views.

#include "compiler/graph/Passes.h"
#include "dialects/TensorTypes.h"

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <queue>

namespace nacre::graph {
#define GEN_PASS_DEF_SLICEEARLYPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

//===----------------------------------------------------------------------===//
// 1. Boxes
//===----------------------------------------------------------------------===//

/// Part of a tensor: along each axis i, `sizes[i]` elements that begin at `starts[i]`.
struct Box {
  SmallVector<int64_t> starts, sizes;

  static Box whole(ArrayRef<int64_t> shape) {
    return {SmallVector<int64_t>(shape.size(), 0), SmallVector<int64_t>(shape)};
  }
  bool isWhole(ArrayRef<int64_t> shape) const { return ArrayRef(sizes) == shape; }
  bool operator==(const Box &other) const { return starts == other.starts && sizes == other.sizes; }
  /// Copies the range of axis `from` of the box `other` to `axis`.
  void setAxis(size_t axis, const Box &other, size_t from) {
    starts[axis] = other.starts[from];
    sizes[axis] = other.sizes[from];
  }
};

/// Boxes of all operands, in order.
using OperandBoxes = SmallVector<Box>;

/// Moves the positions of queries by `rows`, the number of rows before the part `op`.
void moveQueries(IRRewriter &rewriter, nn::AttentionOp op, int64_t rows) {
  if (!op.isBounded() || rows == 0)
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  auto type = RankedTensorType::get({}, rewriter.getI32Type());
  Value offset = nn::ConstantOp::create(rewriter, op.getLoc(), DenseElementsAttr::get(type, int32_t(rows)));
  if (op.getOffset())
    offset = nn::BinaryOp::create(rewriter, op.getLoc(), nn::BinaryKind::Add, op.getOffset(), offset);
  op.getOffsetMutable().assign(offset);
}

/// True if fewer results of `op` cost less. A slice before it must not need a launch of its own.
bool computesLess(Operation *op) {
  auto stated = dyn_cast<nn::OperatorInterface>(op);
  if (!stated || op->getNumResults() != 1)
    return false;
  switch (stated.getWorkKind()) {
  case nn::WorkKind::Contraction:
  case nn::WorkKind::Attention:
  case nn::WorkKind::Row:
  case nn::WorkKind::Permute:
  case nn::WorkKind::Elementwise:
    return true;
  default:
    break;
  }
  auto reduce = dyn_cast<nn::ReduceOp>(op);
  return isa<nn::ReshapeOp>(op) || (reduce && reduce.getKeepDims());
}

/// True for an operand that the kernel reads completely for each row of its result: weights, keys and values.
bool isShared(Operation *op, unsigned operand) {
  const nn::WorkKind kind = cast<nn::OperatorInterface>(op).getWorkKind();
  return (kind == nn::WorkKind::Contraction && operand > 0) ||
         (kind == nn::WorkKind::Attention && (operand == 1 || operand == 2));
}

/// True if results for a part of `axis` need only this part of the operands. moveQueries() keeps the positions of
/// queries.
bool isSliceable(Operation *op, const nn::Axis &axis) {
  auto attention = dyn_cast<nn::AttentionOp>(op);
  return axis.isParallel() || (attention && axis.results[0] == attention.getType().getRank() - 2);
}

/// Returns the boxes of the operands that `op` needs for `box` of its result. Returns `nullopt` if its operands have no
/// such boxes.
std::optional<OperandBoxes> boxesOf(Operation *op, const Box &box) {
  const nn::Axes axes = nn::getIterationAxes(op);
  if (axes.empty() || !computesLess(op))
    return std::nullopt;
  OperandBoxes boxes;
  for (Value operand : op->getOperands())
    boxes.push_back(Box::whole(shapeOf(operand)));
  for (auto [own, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
    if (box.sizes[own] == size)
      continue;
    const nn::Axis &axis = *nn::findAxisOfResult(axes, 0, int64_t(own));
    if (!isSliceable(op, axis))
      return std::nullopt;
    for (auto [index, from] : llvm::enumerate(axis.operands)) {
      if (from == nn::Axis::absent || shapeOf(op->getOperand(index))[from] != size)
        continue;
      if (isShared(op, unsigned(index)))
        return std::nullopt;
      boxes[index].setAxis(from, box, own);
    }
  }
  return boxes;
}

//===----------------------------------------------------------------------===//
// 2. The region
//===----------------------------------------------------------------------===//

class SlicedRegion {
public:
  explicit SlicedRegion(nn::SliceOp root) : root(root) {}

  bool grow() {
    demand(root.getOperand(), boxOf(root));
    while (!pending.empty()) {
      Operation *op = pending.top();
      pending.pop();
      Value result = op->getResult(0);
      const bool isRead = wholly.contains(result) || !llvm::all_of(result.getUsers(), [&](Operation *user) {
                            return members.contains(user) || isSameSlice(user, boxes.find(result)->second);
                          });
      std::optional<OperandBoxes> needed = isRead ? std::nullopt : boxesOf(op, boxes.find(result)->second);
      if (!needed) {
        // If `op` shares a kernel with elementwise operators that follow, a slice after `op` would separate them.
        if (!isRead && isFusedBelow(op))
          return false;
        continue;
      }
      members.insert(op);
      for (auto [operand, box] : llvm::zip_equal(op->getOperands(), *needed))
        if (!demand(operand, box))
          return false;
    }
    return llvm::any_of(members, llvm::IsaPred<nn::MatMulOp, nn::AttentionOp, nn::NormalizeOp, nn::SoftmaxOp>);
  }

  //===--------------------------------------------------------------------===//
  // 3. Parts
  //===--------------------------------------------------------------------===//

  /// Rebuilds the region on the parts. Adds the slices that are replaced to `gone`.
  void rebuild(IRRewriter &rewriter, llvm::DenseSet<Operation *> &gone) {
    SmallVector<Operation *> rebuilt;
    for (Operation *op : llvm::reverse(members)) {
      rewriter.setInsertionPoint(op);
      std::optional<OperandBoxes> needed = boxesOf(op, boxes.find(op->getResult(0))->second);
      SmallVector<Value> taken;
      for (auto [operand, box] : llvm::zip_equal(op->getOperands(), *needed))
        taken.push_back(take(rewriter, operand, box));
      Operation *part = rewriter.clone(*op);
      part->setOperands(taken);
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      const Box &box = boxes.find(op->getResult(0))->second;
      part->getResult(0).setType(type.clone(box.sizes));
      if (auto attention = dyn_cast<nn::AttentionOp>(part))
        moveQueries(rewriter, attention, box.starts[box.starts.size() - 2]);
      parts[op->getResult(0)] = part->getResult(0);
      rebuilt.push_back(op);
    }
    for (Operation *op : llvm::reverse(rebuilt)) {
      for (Operation *slice : llvm::make_early_inc_range(op->getUsers())) { // Members that follow are already erased.
        gone.insert(slice);
        rewriter.replaceOp(slice, parts.lookup(op->getResult(0)));
      }
      rewriter.eraseOp(op);
    }
  }

private:
  static Box boxOf(nn::SliceOp slice) {
    return {SmallVector<int64_t>(slice.getStarts()), SmallVector<int64_t>(slice.getSizes())};
  }

  bool isSameSlice(Operation *user, const Box &box) const {
    auto slice = dyn_cast<nn::SliceOp>(user);
    return slice && slice->getBlock() == root->getBlock() && boxOf(slice) == box &&
           llvm::all_of(slice.getSteps(), [](int64_t step) { return step == 1; });
  }

  static bool isFusedBelow(Operation *op) {
    auto work = dyn_cast<nn::OperatorInterface>(op);
    return work && work.getWorkKind() != nn::WorkKind::Boundary &&
           llvm::any_of(op->getUsers(), llvm::IsaPred<nn::UnaryOp, nn::BinaryOp, nn::SelectOp, nn::CastOp>);
  }

  /// Records that `box` of `value` is needed. Returns false if another part of `value` is also needed.
  bool demand(Value value, const Box &box) {
    if (box.isWhole(shapeOf(value))) {
      wholly.insert(value);
      return true;
    }
    auto [known, isNew] = boxes.insert({value, box});
    Operation *op = value.getDefiningOp();
    if (isNew && op && op->getBlock() == root->getBlock() && op->getNumResults() == 1)
      pending.push(op);
    return known->second == box;
  }

  Value take(IRRewriter &rewriter, Value value, const Box &box) {
    if (box.isWhole(shapeOf(value)))
      return value;
    Value &part = parts[value];
    if (!part) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointAfterValue(value);
      part = nn::SliceOp::create(rewriter, root.getLoc(), value, box.starts, box.sizes,
                                 SmallVector<int64_t>(box.sizes.size(), 1));
    }
    return part;
  }

  struct StandsEarlier {
    bool operator()(Operation *a, Operation *b) const { return a->isBeforeInBlock(b); }
  };

  nn::SliceOp root;
  llvm::MapVector<Value, Box> boxes; ///< Needed boxes of values that are not needed completely.
  llvm::DenseSet<Value> wholly;      ///< Values that a member reads completely.
  llvm::SetVector<Operation *> members;
  /// Operators to visit, from last to first, so that all readers of a result are visited before its operator.
  std::priority_queue<Operation *, std::vector<Operation *>, StandsEarlier> pending;
  DenseMap<Value, Value> parts;
};

/// True for a slice of adjacent elements that takes at most half of all elements.
bool isWorthwhile(nn::SliceOp slice) {
  return llvm::all_of(slice.getSteps(), [](int64_t step) { return step == 1; }) &&
         slice.getType().getNumElements() * 2 <= slice.getOperand().getType().getNumElements() &&
         slice.getType().getNumElements() > 0;
}

struct SliceEarly : impl::SliceEarlyPassBase<SliceEarly> {
  void runOnOperation() override {
    SmallVector<nn::SliceOp> slices;
    getOperation().walk([&](nn::SliceOp slice) {
      if (isWorthwhile(slice))
        slices.push_back(slice);
    });
    IRRewriter rewriter(&getContext());
    llvm::DenseSet<Operation *> gone;
    for (nn::SliceOp slice : slices) {
      if (gone.contains(slice))
        continue;
      SlicedRegion region(slice);
      if (!region.grow())
        continue;
      region.rebuild(rewriter, gone);
      ++numSliced;
    }
  }
};

} // namespace

} // namespace nacre::graph
