// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sliding window that convolutions and poolings share.

#include "compiler/import/onnx/operators/WindowAttributes.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

/// Reports an error unless the window has a place, and the padded input and the result a size.
static bool checkPlaces(OperandBinder &node, const Window &window, int64_t channels) {
  Ints shape = getShape(node.getOperand(0));
  size_t axes = window.kernel.size();
  SmallVector<int64_t> padded(shape), result(shape);
  result[1] = channels;
  for (size_t axis = 0; axis < axes; ++axis) {
    int64_t extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    int64_t size = shape[axis + 2] + window.pads[axis] + window.pads[axes + axis] + window.overhang[axis];
    if (extent > size) {
      node.error() << "the window must fit into the padded input, but covers " << extent << " elements of axis "
                   << axis + 2 << " of " << describe(node.getOperand(0)) << ", which has " << size
                   << " with its pads; give a larger input, or a smaller kernel or dilation";
      return false;
    }
    padded[axis + 2] = size;
    result[axis + 2] = (size - extent) / window.strides[axis] + 1;
  }
  return node.checkFits(padded, "the padded input") && node.checkFits(result);
}

FailureOr<Window> readWindow(OperandBinder &node, Ints kernel, int64_t channels) {
  Ints spatial = getShape(node.getOperand(0)).drop_front(2);
  size_t axes = spatial.size();
  if (llvm::any_of(kernel, [](int64_t cells) { return cells < 1 || cells > INT32_MAX; }))
    return node.error() << "the window must have 1 to " << INT32_MAX << " cells along each axis, but has "
                        << describeShape(kernel);
  Window window;
  window.kernel.assign(kernel.begin(), kernel.end());
  window.strides = node.getSizes("strides", axes, 1, 1);
  window.dilations = node.getSizes("dilations", axes, 1, 1);
  window.pads = node.getSizes("pads", axes * 2, 0, 0);
  window.overhang.assign(axes, 0);
  StringRef autoPad = node.getString("auto_pad", "NOTSET");
  if (!autoPad.empty()) // as some exporters write NOTSET
    autoPad = node.getChoice("auto_pad", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
  bool isRoundedUp = node.getFlag("ceil_mode", false);
  if (node.hasFailed())
    return failure();

  if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER") {
    padToSame(window, spatial, /*oddAtEnd=*/autoPad == "SAME_UPPER");
  } else if (autoPad == "VALID") {
    llvm::fill(window.pads, 0);
  }
  if (isRoundedUp)
    roundUp(window, spatial);
  if (!checkPlaces(node, window, channels))
    return failure();
  return window;
}

} // namespace nacre::importer::onnx_format
