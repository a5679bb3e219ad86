// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of DeepLab's and Fast R-CNN's Caffe that resize images, or pool regions of them.

#include "compiler/import/caffe/Handlers.h"
#include "compiler/import/compositions/Resampling.h"
#include "compiler/import/operands/Windows.h"

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

//===----------------------------------------------------------------------===//
// Interp
//===----------------------------------------------------------------------===//

/// Parameters of the new sizes.
struct InterpSizes {
  SmallVector<int64_t, 2> given; ///< height and width; empty if the layer has factors
  int64_t zoom = 1, shrink = 1;

  int64_t apply(int64_t axis, int64_t size) const {
    if (!given.empty())
      return given[axis];
    const int64_t shrunk = (size - 1) / shrink + 1;
    return shrunk + (shrunk - 1) * (zoom - 1);
  }
};

FailureOr<InterpSizes> readSizes(OperandBinder &node) {
  InterpSizes sizes;
  const bool hasZoom = node.has("zoom_factor"), hasShrink = node.has("shrink_factor");
  const bool hasSize = node.has("height") && node.has("width");
  const int64_t height = node.getInt("height", 0), width = node.getInt("width", 0);
  sizes.zoom = node.getInt("zoom_factor", 1);
  sizes.shrink = node.getInt("shrink_factor", 1);
  if (sizes.zoom < 1 || sizes.shrink < 1)
    return node.error() << "parameters 'zoom_factor' and 'shrink_factor' must be 1 or more, but are " << sizes.zoom
                        << " and " << sizes.shrink;
  // As in DeepLab's Caffe, a single factor takes precedence over a size, and a size takes precedence over two factors.
  if (hasZoom != hasShrink || (hasZoom && !hasSize))
    return sizes;
  if (height < 1 || width < 1)
    return node.error()
           << "must have a parameter 'zoom_factor' or 'shrink_factor', or a 'height' and a 'width' of 1 or "
              "more, but these are "
           << height << " and " << width;
  sizes.given = {height, width};
  return sizes;
}

/// Crops the image by the pads. Then interpolates linearly between the centers of the elements at both ends.
void importInterp(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  FailureOr<InterpSizes> sizes = readSizes(node);
  const int64_t begin = node.getInt("pad_beg", 0), end = node.getInt("pad_end", 0);
  if (failed(sizes) || !node.checkRank(0, 4, 4))
    return;
  Value x = nn.toChannelsLast(node.getOperand(0));
  SmallVector<int64_t> result(getShape(node.getOperand(0))), cut(result);
  for (int64_t axis : {1, 2}) {
    const int64_t size = result[axis + 1], left = size + begin + end;
    if (begin > 0 || end > 0 || left < 1) {
      node.error() << "parameters 'pad_beg' and 'pad_end' must be 0 or less, to crop, and leave some of the " << size
                   << " along axis " << axis + 1 << ", but are " << begin << " and " << end;
      return;
    }
    x = nn.slice(x, axis, -begin, left);
    cut[axis + 1] = left;
    result[axis + 1] = sizes->apply(axis - 1, left);
  }
  if (!node.checkFits(result))
    return;
  SmallVector<ResampledAxis> axes;
  for (int64_t axis : {1, 2}) {
    const int64_t left = cut[axis + 1], size = result[axis + 1];
    if (!allowsTable(nn, size, 2))
      return node.setResult({});
    axes.push_back({axis, interpolateLinear(mapInSinglePrecision(left, size, CornerRule::AlignCorners), left)});
  }
  node.setResult(nn.toChannelsFirst(resample(nn, x, axes)));
}

//===----------------------------------------------------------------------===//
// ROIPooling
//===----------------------------------------------------------------------===//

void importRoiPooling(OperandBinder &node) {
  const int64_t bins[] = {node.getInt("pooled_h", 0), node.getInt("pooled_w", 0)};
  poolMaximaOfRegions(node, bins, node.getFloat("spatial_scale", 1), "parameters 'pooled_h' and 'pooled_w'");
}

} // namespace

void registerImages(ImportRegistry &registry) {
  registry.add("Interp", 1, {{"bottom", Holds::Floats}}, importInterp);
  registry.add("ROIPooling", 1, {{"bottom", Holds::Floats}, {"rois", Holds::Floats}}, importRoiPooling);
}

} // namespace nacre::importer::caffe_format
