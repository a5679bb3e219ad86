// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Layout.h.

#include "compiler/import/tensorflow/operators/Layout.h"
#include "compiler/import/messages/TypeNames.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {

Layout readLayout(OperandBinder &node, size_t axes) {
  StringRef last = axes == 3 ? "NDHWC" : "NHWC", first = axes == 3 ? "NCDHW" : "NCHW";
  return {node.getChoice("data_format", {last, first}) == first, axes};
}

SmallVector<int64_t> readSpatial(OperandBinder &node, StringRef name, const Layout &layout, bool isRequired) {
  SmallVector<int64_t> ones(layout.axes, 1);
  SmallVector<int64_t> values = node.getSizes(name, layout.axes + 2, 1, 1);
  if (isRequired && !node.has(name)) {
    node.error() << "attribute '" << name << "' must have a size for each axis, but is missing";
    return ones;
  }
  if (values[0] == 1 && layout.channels(values) == 1)
    return SmallVector<int64_t>(layout.spatial(values));
  node.error() << "attribute '" << name << "' must be 1 along the batch and the channels, but is [" << Ints(values)
               << "]";
  return ones;
}

FailureOr<AxisPads> readPads(OperandBinder &node, size_t index, int64_t rank) {
  if (!node.checkShape(index, {rank, 2}, "two numbers for each axis"))
    return failure();
  FailureOr<SmallVector<int64_t>> numbers = node.getIntegers(index, /*mostAxes=*/2);
  if (failed(numbers))
    return failure();
  AxisPads pads;
  for (size_t at = 0; at + 1 < numbers->size(); at += 2) {
    pads.low.push_back((*numbers)[at]);
    pads.high.push_back((*numbers)[at + 1]);
  }
  if (llvm::any_of(*numbers, [](int64_t number) { return number < 0 || number > INT32_MAX; }))
    return node.error() << node.nameOf(index) << " must hold numbers from 0 to " << INT32_MAX << ", but "
                        << describe(node.getOperand(index)) << " is [" << Ints(*numbers) << "]";
  return pads;
}

/// Sets the window's pads from the node's list of pads or from its padding scheme.
static void readPads(OperandBinder &node, const Layout &layout, Window &window, Ints spatial) {
  window.pads.assign(layout.axes * 2, 0);
  StringRef padding = node.getChoice("padding", {"VALID", "SAME", "EXPLICIT"});
  if (padding == "SAME")
    padToSame(window, spatial, /*oddAtEnd=*/true);
  if (padding != "EXPLICIT") {
    node.ignore({"explicit_paddings"});
    return;
  }
  // The attribute has two numbers for each axis, in the order of the layout.
  SmallVector<int64_t> pairs = node.getSizes("explicit_paddings", (layout.axes + 2) * 2, 0, 0), low, high;
  for (size_t at = 0; at < pairs.size(); at += 2) {
    low.push_back(pairs[at]);
    high.push_back(pairs[at + 1]);
  }
  if (low[0] || high[0] || layout.channels(low) || layout.channels(high))
    node.error() << "attribute 'explicit_paddings' must be 0 along the batch and the channels, but is [" << Ints(pairs)
                 << "]";
  window.pads.assign(layout.spatial(low).begin(), layout.spatial(low).end());
  llvm::append_range(window.pads, layout.spatial(high));
}

FailureOr<Window> readWindow(OperandBinder &node, const Layout &layout, Ints kernel, Ints spatial,
                             StringRef dilations) {
  Window window;
  window.kernel.assign(kernel.begin(), kernel.end());
  window.strides = readSpatial(node, "strides", layout, /*isRequired=*/true);
  window.dilations = readSpatial(node, dilations, layout);
  window.overhang.assign(layout.axes, 0);
  if (llvm::any_of(kernel, [](int64_t cells) { return cells < 1 || cells > INT32_MAX; }))
    return node.error() << "the window must have 1 to " << INT32_MAX << " cells along each axis, but has "
                        << describeShape(kernel);
  readPads(node, layout, window, spatial);
  if (node.hasFailed())
    return failure();
  SmallVector<int64_t> padded;
  for (size_t axis = 0; axis < layout.axes; ++axis) {
    int64_t extent = (kernel[axis] - 1) * window.dilations[axis] + 1;
    padded.push_back(spatial[axis] + window.pads[axis] + window.pads[layout.axes + axis]);
    if (extent > padded.back())
      return node.error() << "the window must fit into the padded input, but covers "
                          << describeCount(extent, "element") << " of spatial axis " << axis << ", which has "
                          << padded.back() << " with its pads; use a larger input, or a smaller kernel or dilation";
  }
  if (!node.checkFits(padded, "the padded input"))
    return failure();
  return window;
}

} // namespace nacre::importer::tensorflow_format
