// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  computes operators of constants, weights included.
// Why:   layout and scale passes write what they want of a weight as operators; here that becomes bytes, once.
// How:   1. decide: constant operands, a known operator, a result of reasonable size,
//        2. walk each block once, in order, so that a result is a constant when its users are met,
//        3. count the uses of every blob, and free one with its last use.

#include "compiler/graph/ConstantFolding.h"
#include "compiler/graph/Passes.h"

#include "dialects/StoredBytes.h"
#include "dialects/nn/evaluate/Evaluate.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace nacre::graph {
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

//===----------------------------------------------------------------------===//
// 1. What to compute
//===----------------------------------------------------------------------===//

/// A result up to this size is always worth storing.
constexpr int64_t smallBytes = int64_t(1) << 20;
/// A larger one only if it is at most this many times its operands: a cast from i8 to f64 is 8.
constexpr int64_t maxGrowth = 8;
/// All results together may take so many times the bytes of the model's constants, and the largest constant beyond.
/// Real models stay far below; without it a file of a few bytes for each operator could fill any memory.
constexpr int64_t maxTotalGrowth = 16;

/// A splat takes none.
int64_t bytesOf(ElementsAttr value) { return value.isSplat() ? 0 : storedBytes(value.getShapedType()); }

} // namespace

std::optional<SmallVector<ElementsAttr>> findFoldableOperands(Operation *op, int64_t maxConstantBytes) {
  if (op->getNumOperands() == 0 || !nn::canEvaluate(op) || nn::keepsCodes(op))
    return std::nullopt;
  SmallVector<ElementsAttr> operands;
  int64_t operandBytes = 0;
  bool splats = true;
  for (Value value : op->getOperands()) {
    auto constant = value.getDefiningOp<nn::ConstantOp>();
    if (!constant)
      return std::nullopt;
    operands.push_back(constant.getValue());
    bool splat = constant.getValue().isSplat();
    splats &= splat;
    operandBytes += splat ? 0 : storedBytes(constant.getType());
  }
  int64_t resultBytes = storedBytes(cast<ShapedType>(op->getResult(0).getType()));
  if (splats && nn::keepsSplats(op))
    return operands;
  if (resultBytes > maxConstantBytes || (resultBytes > smallBytes && resultBytes / maxGrowth > operandBytes))
    return std::nullopt;
  return operands;
}

namespace {

//===----------------------------------------------------------------------===//
// 3. Blobs
//===----------------------------------------------------------------------===//

/// Knows how many constants show each blob.
class BlobUses {
public:
  void add(ElementsAttr value) {
    if (auto *entry = entryOf(value))
      ++uses[entry];
  }

  /// Frees the blob if this was its last constant. A view of the mapped model loses nothing but the view.
  void remove(ElementsAttr value) {
    if (auto *entry = entryOf(value); entry && --uses[entry] == 0)
      entry->setBlob(AsmResourceBlob());
  }

private:
  static DialectResourceBlobManager::BlobEntry *entryOf(ElementsAttr value) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(value);
    return resource ? resource.getRawHandle().getResource() : nullptr;
  }

  llvm::DenseMap<DialectResourceBlobManager::BlobEntry *, int64_t> uses;
};

//===----------------------------------------------------------------------===//
// 2. The walk
//===----------------------------------------------------------------------===//

struct FoldConstants : impl::FoldConstantsPassBase<FoldConstants> {
  using FoldConstantsPassBase::FoldConstantsPassBase;

  void runOnOperation() override {
    BlobUses blobs;
    budget = maxConstantBytes;
    getOperation()->walk([&](nn::ConstantOp constant) {
      blobs.add(constant.getValue());
      budget += maxTotalGrowth * bytesOf(constant.getValue());
    });
    WalkResult walk = getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      std::optional<SmallVector<ElementsAttr>> operands = findFoldableOperands(op, maxConstantBytes);
      if (!operands)
        return WalkResult::advance();
      if (failed(fold(op, *operands, blobs)))
        return WalkResult::interrupt();
      return WalkResult::skip();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult fold(Operation *op, ArrayRef<ElementsAttr> operands, BlobUses &blobs) {
    FailureOr<ElementsAttr> value = nn::evaluate(op, operands);
    if (failed(value))
      return op->emitOpError("must have operands with readable bytes, but one has no bytes");
    if (!isa<nn::ReshapeOp>(op)) // which makes no bytes
      budget -= bytesOf(*value) + nn::countReducedElements(op) * int64_t(sizeof(double));
    if (budget < 0)
      return op->emitOpError("makes the folded constants exceed --max-constant; raise the limit to fold them all");
    OpBuilder builder(op);
    auto constant = nn::ConstantOp::create(builder, op->getLoc(), *value);
    blobs.add(*value);
    op->getResult(0).replaceAllUsesWith(constant);
    SmallVector<Value> used(op->getOperands());
    op->erase();
    for (Value operand : llvm::SetVector<Value>(used.begin(), used.end())) {
      if (!operand.use_empty())
        continue;
      auto dead = operand.getDefiningOp<nn::ConstantOp>();
      blobs.remove(dead.getValue());
      dead.erase();
    }
    ++numFolded;
    return success();
  }

  int64_t budget = 0; ///< Bytes that results may still take. What reads more than it makes is charged for that.
};

} // namespace

} // namespace nacre::graph
