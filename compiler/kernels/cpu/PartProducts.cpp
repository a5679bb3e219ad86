// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves elementwise operators after a product to the equal parts in which its columns are read. The parts are then read
// directly from the product while it is still in registers. The chain is cloned for each part. Its other operands are
// sliced, which costs nothing.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/fusion/ProductParts.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_PARTPRODUCTSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

bool isElementwise(Operation *op, Block *block, Type type) {
  auto work = dyn_cast<nn::OperatorInterface>(op);
  return work && work.getWorkKind() == nn::WorkKind::Elementwise && op->getBlock() == block &&
         op->getResult(0).getType() == type;
}

/// Operators that follow the product one after another, and slices of their result; no slices if it has other readers.
struct PartedChain {
  SmallVector<Operation *> operators;
  SmallVector<nn::SliceOp> parts;
};

PartedChain findChain(nn::MatMulOp product) {
  PartedChain chain;
  Block *block = product->getBlock();
  Value end = product.getResult();
  while (end.hasOneUse() && isElementwise(*end.getUsers().begin(), block, product.getType()) &&
         plan::haveSameEngine(*end.getUsers().begin(), product)) {
    chain.operators.push_back(*end.getUsers().begin());
    end = chain.operators.back()->getResult(0);
  }
  for (Operation *user : end.getUsers()) {
    auto part = dyn_cast<nn::SliceOp>(user);
    const bool fits = part && part->getBlock() == block && kernels::isPartOfColumns(part) &&
                      (chain.parts.empty() || part.getType() == chain.parts.front().getType()) &&
                      llvm::all_of(part->getUsers(), [&](Operation *reader) {
                        return isElementwise(reader, block, part.getType()) && plan::haveSameEngine(reader, product);
                      });
    if (!fits)
      return {};
    chain.parts.push_back(part);
  }
  return chain;
}

/// Returns the columns of `part` from `value`, which broadcasts to the operand of `part`.
Value takePart(OpBuilder &builder, Value value, nn::SliceOp part) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 0 || type.getShape().back() == 1)
    return value;
  SmallVector<int64_t> starts(type.getRank(), 0), sizes(type.getShape()), steps(type.getRank(), 1);
  starts.back() = part.getStarts().back();
  sizes.back() = part.getSizes().back();
  return builder.createOrFold<nn::SliceOp>(part.getLoc(), value, starts, sizes, steps);
}

void divide(nn::MatMulOp product, const PartedChain &chain) {
  for (nn::SliceOp part : chain.parts) {
    OpBuilder builder(part);
    IRMapping parts;
    parts.map(product.getResult(), takePart(builder, product.getResult(), part));
    for (Operation *op : chain.operators) {
      for (Value operand : op->getOperands())
        if (!parts.contains(operand))
          parts.map(operand, takePart(builder, operand, part));
      Operation *clone = builder.clone(*op, parts);
      clone->getResult(0).setType(part.getType());
      parts.map(op->getResult(0), clone->getResult(0));
    }
    part.replaceAllUsesWith(parts.lookup(part.getOperand()));
    part.erase();
  }
  for (Operation *op : llvm::reverse(chain.operators))
    op->erase();
}

struct PartProducts : kernels::impl::PartProductsPassBase<PartProducts> {
  void runOnOperation() override {
    auto canBeReadInParts = [](nn::MatMulOp product) { return kernels::canBeReadInParts(product); };
    for (nn::MatMulOp product : llvm::filter_to_vector(listGiven<nn::MatMulOp>(), canBeReadInParts)) {
      PartedChain chain = findChain(product);
      if (!chain.operators.empty() && !chain.parts.empty())
        divide(product, chain);
    }
  }
};

} // namespace
