// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resizes images.

#include "compiler/import/compositions/Resampling.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/operators/Reals.h"
#include "compiler/import/tflite/quantized/QuantizedResize.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

/// The new size, and the rule for the positions of elements.
struct Resizing {
  SmallVector<int64_t> sizes;
  CornerRule rule = CornerRule::Asymmetric;
};

FailureOr<Resizing> readResizing(TfliteNode &node) {
  const bool alignsCorners = node->getFlag("align_corners", false),
             hasHalfPixels = node->getFlag("half_pixel_centers", false);
  if (!node->checkRank(0, 4, 4) || !node->checkShape(1, 2, "rows and columns"))
    return failure();
  FailureOr<SmallVector<int64_t>> sizes = node->getIntegers(1);
  if (failed(sizes))
    return failure();
  SmallVector<int64_t> shape(getShape(node.getOperand(0)));
  for (size_t axis : {0, 1}) {
    if ((*sizes)[axis] < 1 || (*sizes)[axis] > INT32_MAX || shape[axis + 1] < 1)
      return node.error() << "images must have rows and columns, but have " << describeShape(shape) << " and "
                          << describeShape(*sizes);
    shape[axis + 1] = (*sizes)[axis];
  }
  if (alignsCorners && hasHalfPixels)
    return node.error() << "attributes 'align_corners' and 'half_pixel_centers' must not both be true, but are";
  if (!node->checkFits(shape))
    return failure();
  return Resizing{std::move(*sizes), alignsCorners   ? CornerRule::AlignCorners
                                     : hasHalfPixels ? CornerRule::HalfPixelCenters
                                                     : CornerRule::Asymmetric};
}

void importResize(TfliteNode &node, bool isNearest) {
  FailureOr<Resizing> resizing = readResizing(node);
  if (failed(resizing))
    return;
  Value x = node.getOperand(0);
  if (!isNearest && node.isQuantized())
    return importQuantizedResize(node, resizing->sizes, resizing->rule);
  if (!isNearest && !checkReals(node))
    return;
  SmallVector<ResampledAxis> axes;
  for (int64_t axis : {1, 2}) {
    const int64_t input = getShape(x)[axis], output = resizing->sizes[axis - 1];
    if (!allowsTable(node.nn, output, isNearest ? 1 : 2))
      return node.setResult({});
    axes.push_back({axis, isNearest ? takeNearest(mapNearestInSinglePrecision(input, output, resizing->rule), input,
                                                  resizing->rule == CornerRule::AlignCorners ? Rounding::HalfAway
                                                                                             : Rounding::Floor)
                                    : interpolateLinear(mapInSinglePrecision(input, output, resizing->rule), input)});
  }
  node.setResult(resample(node.nn, x, axes));
}

} // namespace

void registerResizes(ImportRegistry &registry) {
  add(registry, "RESIZE_BILINEAR", Integers::Moved, {{"x", Holds::Numbers}, {"size", Holds::Indices}},
      [](TfliteNode &node) { importResize(node, /*isNearest=*/false); });
  add(registry, "RESIZE_NEAREST_NEIGHBOR", Integers::Moved, {{"x", Holds::Numbers}, {"size", Holds::Indices}},
      [](TfliteNode &node) { importResize(node, /*isNearest=*/true); });
}

} // namespace nacre::importer::tflite_format
