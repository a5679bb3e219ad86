// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the post-condition of the graph phase (Passes.td). Each error names the pass that did not handle the case.

#include "compiler/graph/ConstantFolding.h"
#include "compiler/graph/Passes.h"

#include "dialects/nn/Permutation.h"

namespace nacre::graph {
#define GEN_PASS_DEF_VERIFYGRAPHPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

struct VerifyGraph : impl::VerifyGraphPassBase<VerifyGraph> {
  using VerifyGraphPassBase::VerifyGraphPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!llvm::hasSingleElement(func.getBody())) {
      func.emitOpError("must be one block after the graph phase, but has ") << func.getBody().getBlocks().size();
      return signalPassFailure();
    }
    func.walk([&](Operation *op) {
      if (op != func && failed(verify(op)))
        signalPassFailure();
    });
  }

  LogicalResult verify(Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      return success();
    if (!isa<nn::NnDialect>(op->getDialect()))
      return op->emitOpError("must belong to the nn dialect after the graph phase");
    auto isEmpty = [](Type type) { return cast<RankedTensorType>(type).getNumElements() == 0; };
    if (!isa<nn::ConstantOp>(op) &&
        (llvm::any_of(op->getOperandTypes(), isEmpty) || llvm::any_of(op->getResultTypes(), isEmpty)))
      return reject(op, "must read and produce tensors that have elements", "nacre-fold-empty");
    if (isa<nn::QuantizeOp, nn::DequantizeOp>(op))
      return reject(op, "must be spelled out", "nacre-expand-quantization");
    if (findFoldableOperands(op, maxConstantBytes))
      return reject(op, "must not have only constant operands", "nacre-fold-constants");
    auto transpose = dyn_cast<nn::TransposeOp>(op);
    if (!transpose)
      return success();
    if (nn::movesOnlyUnits(transpose.getOperand().getType().getShape(), transpose.getPermutation()))
      return reject(op, "must move an axis of more than one element", "nacre-simplify-graph");
    if (transpose.getOperand().getDefiningOp<nn::TransposeOp>())
      return reject(op, "must not follow another transpose", "nacre-simplify-graph");
    return success();
  }

  LogicalResult reject(Operation *op, StringRef what, StringRef pass) {
    InFlightDiagnostic error = op->emitOpError(what) << " after the graph phase";
    error.attachNote() << "likely a missing case in " << pass;
    return error;
  }
};

} // namespace

} // namespace nacre::graph
