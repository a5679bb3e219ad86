// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LossScale.h.

#include "compiler/train/LossScale.h"

#include "llvm/ADT/bit.h"
#include <limits>
#include <numeric>

using namespace mlir;

namespace nacre::train {

// The first scale and the number of steps are the defaults of PyTorch's GradScaler. Within the limits, the scale's
// reciprocal and its products with a loss are normal values.
constexpr double kFirstScale = 65536, kLeastScale = 1, kMostScale = 1 << 24;
constexpr double kStepsToGrow = 2000;

static Value scalarVariable(EntryFunction &entry, StringRef name, Type elementType) {
  return entry.variable(name, RankedTensorType::get({}, elementType), nn::VariableRole::Counter);
}

Value readLossScale(EntryFunction &entry) {
  Builder builder(entry.getFunction());
  auto type = RankedTensorType::get({}, builder.getF32Type());
  Value scale = scalarVariable(entry, nn::lossScaleName, type.getElementType());
  entry.getFunction().setArgAttr(cast<BlockArgument>(scale).getArgNumber(), nn::initialAttr,
                                 DenseElementsAttr::get(type, float(kFirstScale)));
  return scale;
}

/// Number of partial sums of a large gradient. Each sums the same number of elements. One last sum adds them up.
constexpr int64_t kPartialSums = 512;

static int64_t countPartialSums(int64_t elements) { return std::gcd(elements, kPartialSums); }

/// Returns the size up to which a gradient is added directly by the last sum. It is smaller if there are many
/// gradients.
static int64_t mostOfOne(ValueRange gradients) {
  constexpr int64_t mostOfAll = 32768;
  int64_t most = 8192;
  auto isTooMuch = [&] {
    int64_t all = 0;
    for (Value gradient : gradients) {
      const int64_t elements = countOf(shapeOf(gradient));
      all += elements <= most ? elements : countPartialSums(elements);
    }
    return all > mostOfAll;
  };
  while (most > kPartialSums && isTooMuch())
    most /= 2;
  return most;
}

Value areFinite(Writer &w, ValueRange gradients) {
  // Magnitudes cannot cancel, so their sum is finite only if each of them is. Small gradients and the partial sums of
  // large ones are concatenated, so that one more sum covers all.
  const int64_t most = mostOfOne(gradients);
  SmallVector<Value> parts;
  for (Value gradient : gradients) {
    const int64_t count = countOf(shapeOf(gradient)), sums = countPartialSums(count);
    if (count <= most)
      parts.push_back(w.reshape(gradient, {count}));
    else
      parts.push_back(w.sum(w.unary(nn::UnaryKind::Abs, w.reshape(gradient, {sums, count / sums})), {1}));
  }
  // Sort by alignment, so that as many parts as possible begin where a GPU can read vectors.
  llvm::stable_sort(parts, [](Value a, Value b) {
    return llvm::countr_zero(uint64_t(countOf(shapeOf(a)))) > llvm::countr_zero(uint64_t(countOf(shapeOf(b))));
  });
  Value all = w.concat(parts, 0);
  return w.binary(nn::BinaryKind::LessEqual, w.sumOfAll(w.unary(nn::UnaryKind::Abs, all)),
                  std::numeric_limits<float>::max());
}

void keepUnless(Value isGood, EntryFunction &entry, ArrayRef<std::string> always) {
  OpBuilder builder(entry.getEnd());
  for (EntryFunction::Result &result : entry.results) {
    auto name = result.notes.getAs<StringAttr>(nn::variableAttr);
    if (!name || llvm::is_contained(always, name.getValue()))
      continue;
    Value before = entry.variable(name.getValue(), typeOf(result.value), nn::VariableRole::Recurrent);
    result.value = Writer(builder, result.value.getLoc()).select(isGood, result.value, before);
  }
}

void updateLossScale(EntryFunction &entry, Writer &w, Value isGood) {
  Value scale = readLossScale(entry);
  Value before = scalarVariable(entry, nn::goodStepsName, typeOf(scale).getElementType());
  Value good = w.where(isGood, w.add(w.binary(nn::BinaryKind::Max, before, 0), 1));
  Value grows = w.binary(nn::BinaryKind::GreaterEqual, good, kStepsToGrow);
  Value larger = w.select(grows, w.binary(nn::BinaryKind::Min, w.mul(scale, 2), kMostScale), scale);
  Value smaller = w.binary(nn::BinaryKind::Max, w.mul(scale, 0.5), kLeastScale);
  // An app or a file may set any value. Halving never leads back from infinity or NaN, nor from 0 to a useful scale.
  Value isScale = w.binary(nn::BinaryKind::And, w.binary(nn::BinaryKind::GreaterEqual, scale, kLeastScale),
                           w.binary(nn::BinaryKind::LessEqual, scale, kMostScale));
  entry.assign(nn::lossScaleName, w.select(isScale, w.select(isGood, larger, smaller), w.number(scale, kFirstScale)));
  // A comparison with NaN is false, so the count restarts.
  entry.assign(nn::goodStepsName, w.where(w.binary(nn::BinaryKind::Less, good, kStepsToGrow), good));
  Value skipped = scalarVariable(entry, nn::skippedStepsName, w.getBuilder().getI64Type());
  // The sum is computed twice, because a single value that is both an output and a variable would need a launch that
  // copies it.
  entry.addOutput(nn::skippedStepsOutput, w.select(isGood, skipped, w.add(skipped, 1)));
  entry.assign(nn::skippedStepsName,
               w.add(skipped, w.convert(w.unary(nn::UnaryKind::Not, isGood), typeOf(skipped).getElementType())));
}

} // namespace nacre::train
