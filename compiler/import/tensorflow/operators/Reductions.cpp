// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions along axes, and cumulative operators along one axis.

#include "compiler/import/operands/Reductions.h"
#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/operands/Axes.h"
#include "compiler/import/operands/SharedOperators.h"
#include "compiler/import/tensorflow/operands/IndexType.h"
#include "compiler/import/tensorflow/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

using nn::ReduceKind;

/// Reduces operand 0 along the axes in operand 1. With an empty list, the result is operand 0.
void importReduction(OperandBinder &node, ReduceKind kind) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  bool keepDims = node.getFlag(node.has("keepdims") ? "keepdims" : "keep_dims", false);
  FailureOr<SmallVector<int64_t>> axes = readAxes(node, 1, getRank(x));
  if (failed(axes))
    return;
  llvm::sort(*axes);
  const bool isBool = getElementType(x).isInteger(1);
  node.setResult(isBool ? reduceBooleans(nn, kind, x, *axes, keepDims) : nn.reduce(kind, x, *axes, keepDims));
}

void importArgReduction(OperandBinder &node, nn::ArgKind kind) {
  Type type = readIndexType(node, "output_type", 64, /*hasNarrow=*/true);
  if (!type)
    return;
  const int64_t rank = getRank(node.getOperand(0));
  FailureOr<int64_t> axis = node.getOperand(1) ? readAxis(node, 1, rank) : node.getAxis(0, rank);
  if (succeeded(axis))
    findExtreme(node, kind, *axis, type);
}

void importCumulation(OperandBinder &node, nn::CumulateKind kind) {
  const bool isExclusive = node.getFlag("exclusive", false), isReverse = node.getFlag("reverse", false);
  cumulate(node, kind, isExclusive, isReverse);
}

/// Imports L2Loss: half the sum of the squares of all elements.
void importL2Loss(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  node.setResult(nn.mul(nn.reduce(ReduceKind::Sum, nn.mul(x, x), axisRange(0, getRank(x)), /*keepDims=*/false), 0.5));
}

} // namespace

void registerReductions(ImportRegistry &registry) {
  forEachNamed(getReductionOperators(), &OperatorNames::tensorflow, [&](StringRef op, const ReductionOperator &row) {
    registry.add(op, 1, {{"input", row.holds}, {"reduction_indices", Holds::Indices}},
                 [kind = row.kind](OperandBinder &node) { importReduction(node, kind); });
  });
  forEachNamed(getExtremeOperators(), &OperatorNames::tensorflow, [&](StringRef op, const ExtremeOperator &row) {
    registry.add(op, 1, {{"input", Holds::Numbers}, {"dimension?", Holds::Integers}},
                 [kind = row.kind](OperandBinder &node) { importArgReduction(node, kind); });
  });
  forEachNamed(getCumulationOperators(), &OperatorNames::tensorflow, [&](StringRef op, const CumulationOperator &row) {
    registry.add(op, 1, {{"x", Holds::Numbers}, {"axis", Holds::Indices}},
                 [kind = row.kind](OperandBinder &node) { importCumulation(node, kind); });
  });
  registry.add("L2Loss", 1, {{"t", Holds::Floats}}, importL2Loss);
}

} // namespace nacre::importer::tensorflow_format
