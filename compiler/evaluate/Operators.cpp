// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row for each operator; a unit test finds those of the dialect that have none.

#include "compiler/evaluate/Operators.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace nacre::evaluate {
namespace {

using Function = Results (*)(Operation *, Operands);

Results toResults(Tensor tensor) { return {std::move(tensor)}; }
Results toResults(Results results) { return results; }

template <typename Op> Results run(Operation *op, Operands operands) {
  return toResults(evaluate(cast<Op>(op), operands));
}

template <typename... Ops> llvm::StringMap<Function> makeTable() {
  llvm::StringMap<Function> table;
  (table.try_emplace(Ops::getOperationName(), run<Ops>), ...);
  return table;
}

const llvm::StringMap<Function> &getTable() {
  static const llvm::StringMap<Function> table =
      makeTable<nn::UnaryOp, nn::BinaryOp, nn::SelectOp, nn::CastOp, nn::RequantizeOp, nn::BitcastOp, nn::MatMulOp,
                nn::AttentionOp, nn::ConvOp, nn::ConvTransposeOp, nn::FilterGradientOp, nn::RecurrentOp, nn::PoolOp,
                nn::PoolCodeOp, nn::UnpoolOp, nn::LrnOp, nn::ReduceOp, nn::ArgReduceOp, nn::SoftmaxOp, nn::NormalizeOp,
                nn::CumulateOp, nn::ReshapeOp, nn::BroadcastOp, nn::TransposeOp, nn::ConcatOp, nn::InterleaveOp,
                nn::SliceOp, nn::PadOp, nn::ResampleOp, nn::SampleOp, nn::GatherOp, nn::GatherNdOp,
                nn::GatherElementsOp, nn::ScatterNdOp, nn::ScatterElementsOp, nn::TopKOp, nn::CompactOp, nn::UniqueOp,
                nn::NmsOp>();
  return table;
}

} // namespace

bool isEvaluated(StringRef operatorName) { return getTable().contains(operatorName); }

FailureOr<Results> evaluate(Operation *op, Operands operands) {
  auto row = getTable().find(op->getName().getStringRef());
  if (row == getTable().end())
    return failure();
  return row->second(op, operands);
}

} // namespace nacre::evaluate
