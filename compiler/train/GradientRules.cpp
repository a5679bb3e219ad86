// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table. What has no rule here moves no gradient: it gives integers and booleans, or has none to give.

#include "compiler/train/GradientRules.h"

#include "compiler/train/rules/Rules.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace nacre::train {

namespace {

template <auto reverse> struct RowOf;
template <typename Op, LogicalResult (*reverse)(Op, Adjoint &)> struct RowOf<reverse> {
  static LogicalResult apply(Operation *op, Adjoint &at) { return reverse(cast<Op>(op), at); }
  static RuleRow row() { return {Op::getOperationName(), &apply}; }
};

template <typename Op> RuleRow none() { return {Op::getOperationName(), nullptr}; }

} // namespace

ArrayRef<RuleRow> getRules() {
  static const RuleRow rows[] = {
      // elementwise
      RowOf<&reverseUnary>::row(),
      RowOf<&reverseBinary>::row(),
      RowOf<&reverseSelect>::row(),
      RowOf<&reverseCast>::row(),
      none<nn::RequantizeOp>(),
      none<nn::BitcastOp>(),
      // contractions
      RowOf<&reverseMatMul>::row(),
      RowOf<&reverseAttention>::row(),
      RowOf<&reverseConv>::row(),
      RowOf<&reverseConvTranspose>::row(),
      RowOf<&reverseFilterGradient>::row(),
      // windows
      RowOf<&reversePool>::row(),
      none<nn::PoolCodeOp>(),
      RowOf<&reverseUnpool>::row(),
      RowOf<&reverseLrn>::row(),
      // along axes
      RowOf<&reverseReduce>::row(),
      none<nn::ArgReduceOp>(),
      RowOf<&reverseCumulate>::row(),
      RowOf<&reverseSoftmax>::row(),
      RowOf<&reverseNormalize>::row(),
      // movement
      RowOf<&reverseReshape>::row(),
      RowOf<&reverseBroadcast>::row(),
      RowOf<&reverseTranspose>::row(),
      RowOf<&reverseConcat>::row(),
      RowOf<&reverseInterleave>::row(),
      RowOf<&reverseSlice>::row(),
      RowOf<&reversePad>::row(),
      RowOf<&reverseResample>::row(),
      // where an index says
      RowOf<&reverseGather>::row(),
      RowOf<&reverseGatherNd>::row(),
      RowOf<&reverseGatherElements>::row(),
      RowOf<&reverseScatterNd>::row(),
      RowOf<&reverseScatterElements>::row(),
      RowOf<&reverseTopK>::row(),
      RowOf<&reverseSample>::row(),
      none<nn::CompactOp>(),
      none<nn::UniqueOp>(),
      none<nn::NmsOp>(),
      // control
      RowOf<&reverseIf>::row(),
      RowOf<&reverseFor>::row(),
      RowOf<&reverseWhile>::row(),
      RowOf<&reverseRecurrent>::row(),
      none<nn::GradientOp>(), // written out before what is around it is differentiated
      none<nn::YieldOp>(),
      none<nn::ConditionOp>(),
      none<nn::ConstantOp>(),
  };
  return rows;
}

const RuleRow *findRule(Operation *op) {
  static const auto *byName = [] {
    auto *map = new llvm::StringMap<const RuleRow *>;
    for (const RuleRow &row : getRules())
      (*map)[row.name] = &row;
    return map;
  }();
  return byName->lookup(op->getName().getStringRef());
}

} // namespace nacre::train
