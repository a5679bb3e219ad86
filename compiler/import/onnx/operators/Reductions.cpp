// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions along axes.
//
// Each operator consists of a function before the reduction, a kind of reduction, and a function after it. Operators
// that only reduce are rows of SharedOperators.def.

#include "compiler/import/operands/Reductions.h"
#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/onnx/operators/Handlers.h"
#include "compiler/import/operands/SharedOperators.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

using nn::ReduceKind;
using nn::UnaryKind;

using Step = Value (*)(NnBuilder &, Value);

Value same(NnBuilder &, Value x) { return x; }
Value absolute(NnBuilder &nn, Value x) { return nn.unary(UnaryKind::Abs, x); }
Value square(NnBuilder &nn, Value x) { return nn.mul(x, x); }
Value squareRoot(NnBuilder &nn, Value x) { return nn.unary(UnaryKind::Sqrt, x); }
Value logarithm(NnBuilder &nn, Value x) { return nn.unary(UnaryKind::Log, x); }

struct ReductionRow {
  StringRef op;
  Step before;
  ReduceKind kind;
  Step after;
  /// First version in which the axes are an operand.
  int64_t axesOperandSince;
  Holds holds = Holds::Numbers;
};

constexpr ReductionRow rows[] = {
    {"ReduceL1", absolute, ReduceKind::Sum, same, 18},
    {"ReduceL2", square, ReduceKind::Sum, squareRoot, 18, Holds::Floats},
    {"ReduceLogSum", same, ReduceKind::Sum, logarithm, 18, Holds::Floats},
    {"ReduceSumSquare", square, ReduceKind::Sum, same, 18},
};

/// Returns the axes of a reduction, sorted. If the node has no axes, returns all of them, or no axis if an attribute
/// says so.
FailureOr<SmallVector<int64_t>> readAxes(OperandBinder &node, bool fromOperand) {
  int64_t rank = getRank(node.getOperand(0));
  SmallVector<int64_t> axes;
  if (!fromOperand) {
    axes = node.getInts("axes");
  } else if (node.getOperand(1)) {
    FailureOr<SmallVector<int64_t>> given = node.getIntegers(1);
    if (failed(given))
      return failure();
    axes = std::move(*given);
  }
  bool isIdentity = fromOperand && node.getFlag("noop_with_empty_axes", false);
  if (axes.empty() && !isIdentity)
    return axisRange(0, rank);
  FailureOr<SmallVector<int64_t>> normal = node.getAxes(axes, rank);
  if (succeeded(normal))
    llvm::sort(*normal);
  return normal;
}

void importReduction(OperandBinder &node, const ReductionRow &row, bool axesFromOperand) {
  bool keepDims = node.getFlag("keepdims", true);
  FailureOr<SmallVector<int64_t>> axes = readAxes(node, axesFromOperand);
  if (failed(axes))
    return;
  NnBuilder &nn = node.nn;
  Value operand = node.getOperand(0);
  if (getElementType(operand).isInteger(1))
    node.setResult(reduceBooleans(nn, row.kind, operand, *axes, keepDims));
  else
    node.setResult(row.after(nn, nn.reduce(row.kind, row.before(nn, operand), *axes, keepDims)));
}

/// Computes log(sum(exp(x))). The largest element is subtracted first, so that nothing overflows.
void importReduceLogSumExp(OperandBinder &node, bool axesFromOperand) {
  NnBuilder &nn = node.nn;
  bool keepDims = node.getFlag("keepdims", true);
  FailureOr<SmallVector<int64_t>> axes = readAxes(node, axesFromOperand);
  if (failed(axes))
    return;
  Value x = node.getOperand(0);
  Value kept = nn.reduce(ReduceKind::Max, x, *axes, /*keepDims=*/true);
  // An infinite maximum would make x - maximum NaN.
  Value isInfinite = nn.unary(UnaryKind::IsInf, kept);
  kept = nn.select(isInfinite, nn.scalar(x, 0), kept);
  Value sum = nn.reduce(ReduceKind::Sum, nn.unary(UnaryKind::Exp, nn.sub(x, kept)), *axes, keepDims);
  Value base = sum ? nn.reshape(kept, getShape(sum)) : Value();
  node.setResult(nn.add(nn.unary(UnaryKind::Log, sum), base));
}

void importArgReduction(OperandBinder &node, nn::ArgKind kind) {
  bool keepDims = node.getFlag("keepdims", true), selectLast = node.getFlag("select_last_index", false);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(node.getOperand(0)));
  if (succeeded(axis))
    findExtreme(node, kind, *axis, node.nn.types().getI64Type(), keepDims, selectLast);
}

void importCumulation(OperandBinder &node, nn::CumulateKind kind) {
  const bool isExclusive = node.getFlag("exclusive", false), isReverse = node.getFlag("reverse", false);
  cumulate(node, kind, isExclusive, isReverse);
}

void add(ImportRegistry &registry, const ReductionRow &row) {
  registry.add(row.op, 1, {{"data", row.holds}}, [row](OperandBinder &node) { importReduction(node, row, false); });
  registry.add(row.op, row.axesOperandSince, {{"data", row.holds}, {"axes?", Holds::Integers}},
               [row](OperandBinder &node) { importReduction(node, row, true); });
}

} // namespace

void registerReductions(ImportRegistry &registry) {
  for (const ReductionRow &row : rows)
    add(registry, row);
  forEachNamed(getReductionOperators(), &OperatorNames::onnx, [&](StringRef op, const ReductionOperator &row) {
    const ReductionRow plain{op, same, row.kind, same, row.names.since, row.holds};
    add(registry, plain);
    if (row.kind == ReduceKind::Max || row.kind == ReduceKind::Min)
      registry.add(op, 20, {{"data"}, {"axes?", Holds::Integers}},
                   [plain](OperandBinder &node) { importReduction(node, plain, true); });
  });
  registry.add("ReduceLogSumExp", 1, {{"data", Holds::Floats}},
               [](OperandBinder &node) { importReduceLogSumExp(node, false); });
  registry.add("ReduceLogSumExp", 18, {{"data", Holds::Floats}, {"axes?", Holds::Integers}},
               [](OperandBinder &node) { importReduceLogSumExp(node, true); });
  forEachNamed(getExtremeOperators(), &OperatorNames::onnx, [&](StringRef op, const ExtremeOperator &row) {
    registry.add(op, row.names.since, {{"data", Holds::Numbers}},
                 [kind = row.kind](OperandBinder &node) { importArgReduction(node, kind); });
  });
  forEachNamed(getCumulationOperators(), &OperatorNames::onnx, [&](StringRef op, const CumulationOperator &row) {
    registry.add(op, row.names.since, {{"x", Holds::Numbers}, {"axis", Holds::Indices}},
                 [kind = row.kind](OperandBinder &node) { importCumulation(node, kind); });
  });
}

} // namespace nacre::importer::onnx_format
