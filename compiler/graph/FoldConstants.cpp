// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes operators on constants, such as weights. Passes on layouts and scales express changes of weights by
// operators. This pass computes the new weights once.
//
// 1. Decide if to fold: constant operands, a known operator, a result of reasonable size.
// 2. Walk each block once, in order, so that a result is constant before its users are visited.
// 3. Count the uses of each blob, and free it with its last use.

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
// 1. Decision
//===----------------------------------------------------------------------===//

/// Size in bytes up to which a result is always stored.
constexpr int64_t smallBytes = int64_t(1) << 20;
/// Limit for larger results: size of the result divided by the size of the operands. A cast from i8 to f64 has factor
/// 8.
constexpr int64_t maxGrowth = 8;
/// Limit of the size of all results together, in addition to maxConstantBytes, as a multiple of the size of the model's
/// constants. Real models stay far below it. Without it, a file with a few bytes per operator could fill any memory.
constexpr int64_t maxTotalGrowth = 16;

/// Returns the size of a constant in bytes. Splats count as 0.
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

/// Counts the constants that use each blob.
class BlobUses {
public:
  void add(ElementsAttr value) {
    if (auto *entry = entryOf(value))
      ++uses[entry];
  }

  /// Frees the blob of `value` if no other constant uses it. If the blob is a view of the mapped model file, only the
  /// view is removed.
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
    if (!isa<nn::ReshapeOp>(op)) // A reshape shares the data of its operand.
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

  /// Number of bytes that results may still take. A reduction also takes 8 bytes for each element that it reads.
  int64_t budget = 0;
};

} // namespace

} // namespace nacre::graph
