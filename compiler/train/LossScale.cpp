// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LossScale.h.

#include "compiler/train/LossScale.h"

#include <limits>

using namespace mlir;

namespace nacre::train {

// PyTorch's, but that the scale stays where its reciprocal and its products with a loss are ordinary numbers.
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

Value areFinite(Writer &w, ValueRange gradients) {
  // A sum of magnitudes has no terms that cancel: it is finite only if each of them is. Sums are added in pairs, and those again,
  // so that few launches wait for one another.
  SmallVector<Value> sums;
  for (Value gradient : gradients)
    sums.push_back(w.sumOfAll(w.unary(nn::UnaryKind::Abs, gradient)));
  while (sums.size() > 1) {
    SmallVector<Value> pairs;
    for (size_t first = 0; first < sums.size(); first += 2)
      pairs.push_back(first + 1 < sums.size() ? w.add(sums[first], sums[first + 1]) : sums[first]);
    sums = std::move(pairs);
  }
  return w.binary(nn::BinaryKind::LessEqual, sums.front(), std::numeric_limits<float>::max());
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
  Value good = w.where(isGood, w.add(scalarVariable(entry, nn::goodStepsName, typeOf(scale).getElementType()), 1));
  Value grows = w.binary(nn::BinaryKind::GreaterEqual, good, kStepsToGrow);
  Value larger = w.select(grows, w.binary(nn::BinaryKind::Min, w.mul(scale, 2), kMostScale), scale);
  Value smaller = w.binary(nn::BinaryKind::Max, w.mul(scale, 0.5), kLeastScale);
  entry.assign(nn::lossScaleName, w.select(isGood, larger, smaller));
  entry.assign(nn::goodStepsName, w.select(grows, w.number(good, 0), good));
  Value skipped = scalarVariable(entry, nn::skippedStepsName, w.getBuilder().getI64Type());
  Value counted = w.select(isGood, skipped, w.add(skipped, 1));
  entry.assign(nn::skippedStepsName, counted);
  entry.addOutput(nn::skippedStepsOutput, counted);
}

} // namespace nacre::train
