// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalings of each feature by separate values, and of rows by their norm.

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/classical/Handlers.h"
#include "compiler/import/onnx/classical/Scores.h"

using namespace mlir;

namespace nacre::importer::onnx_format::classical {
namespace {

using nn::BinaryKind;
using nn::ReduceKind;
using nn::UnaryKind;

/// Returns the values of attribute `name` for the features of `x`, in a shape that broadcasts to `x`. Returns null if
/// the attribute is missing, or after an error.
Value readFeatures(OperandBinder &node, StringRef name, Value x) {
  SmallVector<double> numbers = node.getFloats(name);
  const auto count = static_cast<int64_t>(numbers.size());
  if (numbers.empty())
    return {};
  if (count == 1)
    return makeNumbers(node.nn, numbers, {}, getElementType(x));
  if (getRank(x) <= 2 && count == getShape(x).back())
    return makeNumbers(node.nn, numbers, count, getElementType(x));
  node.error() << "attribute '" << name << "' must have 1 number, or one for each column of a matrix, but has " << count
               << " for " << describe(node.getOperand(0));
  return {};
}

/// Returns `x` in the type in which features are computed: f64 if `x` is f64, and f32 otherwise.
Value asReals(NnBuilder &nn, Value x) { return getElementType(x).isF64() ? x : nn.cast(x, nn.types().getF32Type()); }

/// Computes (x - offset) * scale.
void importScaler(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = asReals(nn, node.getOperand(0));
  if (!x || !node.checkRank(0, 1))
    return;
  Value offset = readFeatures(node, "offset", x), scale = readFeatures(node, "scale", x);
  if (node.hasFailed())
    return;
  if (offset)
    x = nn.sub(x, offset);
  if (scale)
    x = nn.mul(x, scale);
  node.setResult(nn.cast(x, nn.types().getF32Type()));
}

/// Divides rows by their norm. Rows with a norm of 0 do not change.
void importNormalizer(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  StringRef norm = node.getChoice("norm", {"MAX", "L1", "L2"});
  Value rows = readRows(node);
  if (!rows || node.hasFailed())
    return;
  ReduceKind kind = norm == "MAX" ? ReduceKind::Max : ReduceKind::Sum;
  Value measured = norm == "L1" ? nn.unary(UnaryKind::Abs, rows) : norm == "L2" ? nn.mul(rows, rows) : rows;
  Value size = nn.reduce(kind, measured, 1, /*keepDims=*/true);
  if (norm == "L2")
    size = nn.unary(UnaryKind::Sqrt, size);
  Value divisor = nn.select(nn.binary(BinaryKind::Equal, size, 0.0), nn.scalar(rows, 1), size);
  Value scaled = nn.cast(nn.div(rows, divisor), nn.types().getF32Type());
  node.setResult(nn.reshape(scaled, getShape(node.getOperand(0))));
}

} // namespace

void registerScalings(ImportRegistry &registry) {
  const Signature numbers{{"X", Holds::Numbers}};
  registry.add("Normalizer", 1, numbers, importNormalizer);
  registry.add("Scaler", 1, numbers, importScaler);
}

} // namespace nacre::importer::onnx_format::classical
