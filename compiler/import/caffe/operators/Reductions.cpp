// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers that reduce elements to one value, or that find the largest elements.

#include "compiler/import/caffe/Handlers.h"
#include "compiler/import/compositions/Movement.h"
#include "compiler/import/messages/TypeNames.h"

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

using nn::ReduceKind;
using nn::UnaryKind;

/// The `count` largest elements along an axis, and their indices. Among equal elements, higher indices come first.
struct Largest {
  Value values, indices;
};

Largest findLargest(NnBuilder &nn, Value x, int64_t axis, int64_t count) {
  if (count == 1)
    return {nn.reduce(ReduceKind::Max, x, axis, /*keepDims=*/true),
            nn.argReduce(nn::ArgKind::Max, x, axis, /*keepDims=*/true, /*selectLast=*/true)};
  auto [values, indices] = nn.topK(reverse(nn, x, axis), axis, count, /*smallest=*/false);
  if (!indices)
    return {};
  return {values, nn.sub(nn.scalar(indices, static_cast<double>(getShape(x)[axis] - 1)), indices)};
}

/// Returns indices or elements along one axis. If the layer has no axis, returns the indices and then the elements for
/// a whole image.
void importArgMax(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  bool hasValues = node.getFlag("out_max_val", false), hasAxis = node.has("axis");
  const int64_t count = node.getInt("top_k", 1), rank = getRank(x);
  if (!node.checkRank(0, 1))
    return;
  FailureOr<int64_t> axis = hasAxis ? node.getAxis(node.getInt("axis", 0), rank) : FailureOr<int64_t>(1);
  if (failed(axis))
    return;
  const int64_t images = getShape(x)[0], ofImage = getType(x).getNumElements() / std::max<int64_t>(images, 1);
  const int64_t size = hasAxis ? getShape(x)[*axis] : ofImage;
  if (count < 1 || count > size) {
    node.error() << "parameter 'top_k' must be from 1 to the " << describeCount(size, "element")
                 << " to choose from, but is " << count;
    return;
  }
  auto [values, indices] = findLargest(nn, hasAxis ? x : nn.reshape(x, {images, ofImage}), *axis, count);
  if (!values || !indices)
    return;
  indices = nn.cast(indices, getElementType(x));
  if (hasAxis)
    return node.setResult(hasValues ? values : indices);
  SmallVector<int64_t> shape(std::max<int64_t>(rank, 3), 1);
  shape[0] = images;
  shape[1] = hasValues ? 2 : 1;
  shape[2] = count;
  node.setResult(nn.reshape(hasValues ? nn.concat({indices, values}, 1) : indices, shape));
}

/// Reduces all axes from `axis` on to one value.
void importReduction(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(x));
  StringRef operation = node.getString("operation", "SUM");
  double factor = node.getFloat("coeff", 1);
  if (failed(axis))
    return;
  if (operation == "ASUM")
    x = nn.unary(UnaryKind::Abs, x);
  else if (operation == "SUMSQ")
    x = nn.mul(x, x);
  Value y = nn.reduce(operation == "MEAN" ? ReduceKind::Mean : ReduceKind::Sum, x,
                      axisRange(*axis, getRank(node.getOperand(0))),
                      /*keepDims=*/false);
  node.setResult(factor == 1 ? y : nn.mul(y, factor));
}

} // namespace

void registerReductions(ImportRegistry &registry) {
  const Signature one{{"bottom", Holds::Floats}};
  registry.add("ArgMax", 1, one, importArgMax);
  registry.add("Reduction", 1, one, importReduction);
}

} // namespace nacre::importer::caffe_format
