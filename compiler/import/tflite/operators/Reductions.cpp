// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions along axes, which are the values of an operand.

#include "compiler/import/operands/Reductions.h"
#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/operands/Axes.h"
#include "compiler/import/operands/SharedOperators.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/quantized/Rescaling.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

using nn::ReduceKind;

/// Returns the axes in operand 1, sorted and without duplicates.
FailureOr<SmallVector<int64_t>> readAxes(TfliteNode &node) {
  FailureOr<SmallVector<int64_t>> given = node->getIntegers(1);
  if (failed(given))
    return failure();
  SmallVector<int64_t> axes;
  for (int64_t axis : *given) {
    FailureOr<int64_t> normal = node->getAxis(axis, getRank(node.getOperand(0)));
    if (failed(normal))
      return failure();
    axes.push_back(*normal);
  }
  llvm::sort(axes);
  axes.erase(llvm::unique(axes), axes.end());
  return axes;
}

/// Returns the factor of a mean: `number` divided by `count`, with as many bits as possible.
FixedPoint divideBy(FixedPoint number, int64_t count) {
  int shift = std::min({static_cast<int>(llvm::Log2_64(static_cast<uint64_t>(count))), 32, 31 + number.shift});
  return {static_cast<int32_t>((int64_t(number.multiplier) << shift) / count), number.shift - shift};
}

/// Imports the sum or mean of quantized integers. Adds in 32 bits, subtracts the zero points, and rescales to the
/// result.
void importQuantizedSum(TfliteNode &node, Ints axes, bool keepDims, bool isMean) {
  NnBuilder &nn = node.nn;
  FailureOr<OneScale> input = readOneScale(node, 0), result = readResultScale(node);
  FailureOr<IntegerRange> range = getRange(node, Activation::None);
  if (failed(input) || failed(result) || failed(range))
    return;
  Value x = node.getOperand(0);
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= getShape(x)[axis];
  FixedPoint number = scaleBetween(input->scale, result->scale);
  if (count == 0 || 31 + number.shift < 0 || getElementType(x).getIntOrFloatBitWidth() > 16) {
    node.error() << node->nameOf(0) << " must have 8- or 16-bit elements to sum, but is " << describe(x);
    return;
  }
  Value sum = nn.reduce(ReduceKind::Sum, nn.cast(x, nn.types().getI32Type()), axes, keepDims);
  if (int64_t zeros = input->zero * count)
    sum = nn.add(sum, nn.splat(RankedTensorType::get({}, nn.types().getI32Type()),
                               static_cast<double>(static_cast<int32_t>(static_cast<uint32_t>(-zeros)))));
  Value scaled = multiply(nn, sum, isMean ? divideBy(number, count) : number);
  node.setResult(saturate(nn, scaled, result->zero, *range, getElementType(x)));
}

void importReduction(TfliteNode &node, ReduceKind kind) {
  NnBuilder &nn = node.nn;
  const bool keepDims = node->getFlag("keep_dims", false);
  FailureOr<SmallVector<int64_t>> axes = readAxes(node);
  if (failed(axes))
    return;
  if (node.isQuantized() && (kind == ReduceKind::Sum || kind == ReduceKind::Mean))
    return importQuantizedSum(node, *axes, keepDims, kind == ReduceKind::Mean);
  node.setResult(nn.reduce(kind, node.getOperand(0), *axes, keepDims));
}

void importLogicalReduction(TfliteNode &node, ReduceKind kind) {
  const bool keepDims = node->getFlag("keep_dims", false);
  FailureOr<SmallVector<int64_t>> axes = readAxes(node);
  if (succeeded(axes))
    node.setResult(reduceBooleans(node.nn, kind, node.getOperand(0), *axes, keepDims));
}

void importArgReduction(TfliteNode &node, nn::ArgKind kind) {
  node->ignore({"output_type"}); // the result has the same type
  FailureOr<int64_t> axis = readAxis(node, 1, getRank(node.getOperand(0)));
  Type type = node.getResultElementType();
  if (succeeded(axis))
    findExtreme(node, kind, *axis, type && type.isInteger(32) ? type : node.nn.types().getI64Type());
}

void importCumulation(TfliteNode &node, nn::CumulateKind kind) {
  const bool isExclusive = node->getFlag("exclusive", false), isReverse = node->getFlag("reverse", false);
  cumulate(node, kind, isExclusive, isReverse);
}

/// Returns the support of a reduction for quantized integers.
Integers getIntegers(const ReductionOperator &row) {
  if (row.holds == Holds::Booleans || row.kind == ReduceKind::Prod)
    return Integers::Plain;
  return row.kind == ReduceKind::Max || row.kind == ReduceKind::Min ? Integers::Moved : Integers::Computed;
}

} // namespace

void registerReductions(ImportRegistry &registry) {
  forEachNamed(getReductionOperators(), &OperatorNames::tflite, [&](StringRef op, const ReductionOperator &row) {
    const bool isLogical = row.holds == Holds::Booleans;
    add(registry, op, getIntegers(row), {{"x", row.holds}, {"axes", Holds::Indices}},
        [kind = row.kind, isLogical](TfliteNode &node) {
          isLogical ? importLogicalReduction(node, kind) : importReduction(node, kind);
        });
  });
  const Signature numbers{{"x", Holds::Numbers}, {"axes", Holds::Indices}};
  forEachNamed(getExtremeOperators(), &OperatorNames::tflite, [&](StringRef op, const ExtremeOperator &row) {
    add(registry, op, Integers::Moved, numbers,
        [kind = row.kind](TfliteNode &node) { importArgReduction(node, kind); });
  });
  forEachNamed(getCumulationOperators(), &OperatorNames::tflite, [&](StringRef op, const CumulationOperator &row) {
    add(registry, op, Integers::Plain, numbers, [kind = row.kind](TfliteNode &node) { importCumulation(node, kind); });
  });
}

} // namespace nacre::importer::tflite_format
