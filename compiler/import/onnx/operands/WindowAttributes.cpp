// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sliding windows, which convolutions and poolings share.

#include "compiler/import/onnx/operands/WindowAttributes.h"
#include "compiler/import/messages/TypeNames.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

/// Reports an error unless the window fits at least once. The padded input and the result must fit into memory.
static bool checkPlaces(OperandBinder &node, const Window &window, int64_t outputChannels, Channels channels) {
  Ints shape = getShape(node.getOperand(0));
  size_t axes = window.kernel.size(), first = firstSpatialAxis(channels);
  SmallVector<int64_t> padded(shape), result(shape);
  result[channelAxis(channels, static_cast<int64_t>(shape.size()))] = outputChannels;
  for (size_t axis = 0; axis < axes; ++axis) {
    int64_t extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    int64_t size = shape[first + axis] + window.pads[axis] + window.pads[axes + axis] + window.overhang[axis];
    if (extent > size) {
      node.error() << "the window must fit into the padded input, but covers " << describeCount(extent, "element")
                   << " of axis " << first + axis << " of " << describe(node.getOperand(0)) << ", which has " << size
                   << " with its pads; use a larger input, or a smaller kernel or dilation";
      return false;
    }
    padded[first + axis] = size;
    result[first + axis] = (size - extent) / window.strides[axis] + 1;
  }
  return node.checkFits(padded, "the padded input") && node.checkFits(result);
}

/// Reads `strides`, `dilations` and `pads` of the node for a window of size `kernel`.
static FailureOr<Window> readNumbers(OperandBinder &node, Ints kernel, int64_t leastPad = 0) {
  size_t axes = kernel.size();
  if (llvm::any_of(kernel, [](int64_t cells) { return cells < 1 || cells > INT32_MAX; }))
    return node.error() << "the window must have 1 to " << INT32_MAX << " cells along each axis, but has "
                        << describeShape(kernel);
  Window window;
  window.kernel.assign(kernel.begin(), kernel.end());
  window.strides = node.getSizes("strides", axes, 1, 1);
  window.dilations = node.getSizes("dilations", axes, 1, 1);
  window.pads = node.getSizes("pads", axes * 2, 0, leastPad);
  window.overhang.assign(axes, 0);
  return window;
}

static StringRef readAutoPad(OperandBinder &node) {
  StringRef autoPad = node.getString("auto_pad", "NOTSET");
  if (autoPad.empty()) // some exporters write an empty string for NOTSET
    return autoPad;
  return node.getChoice("auto_pad", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
}

FailureOr<Window> readWindow(OperandBinder &node, Ints kernel, int64_t outputChannels, Channels channels) {
  Ints shape = getShape(node.getOperand(0)), spatial = shape.slice(firstSpatialAxis(channels), shape.size() - 2);
  FailureOr<Window> read = readNumbers(node, kernel);
  if (failed(read))
    return failure();
  Window window = std::move(*read);
  StringRef autoPad = readAutoPad(node);
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
  if (!checkPlaces(node, window, outputChannels, channels))
    return failure();
  return window;
}

/// Reports an error unless a result of at least one cell remains after the pads, and fits into memory.
static bool checkResult(OperandBinder &node, const Window &window, Ints reach, int64_t channels) {
  size_t axes = reach.size();
  SmallVector<int64_t> result(getShape(node.getOperand(0))), widest(result), filter;
  result[1] = channels;
  for (size_t axis = 0; axis < axes; ++axis) {
    int64_t size = reach[axis] - window.pads[axis] - window.pads[axes + axis];
    if (size < 1) {
      node.error() << "the pads must leave some of the " << describeCount(reach[axis], "element")
                   << " that the filter covers along axis " << axis + 2 << ", but take "
                   << window.pads[axis] + window.pads[axes + axis];
      return false;
    }
    result[axis + 2] = size;
    int64_t taps = (window.kernel[axis] - 1) * window.dilations[axis];
    widest[axis + 2] = std::max(size, reach[axis]) + taps;
    filter.push_back(taps + 1 + window.strides[axis]);
  }
  widest[1] = std::max(widest[1], channels);
  filter.append({getShape(node.getOperand(1))[0], channels});
  return node.checkFits(result) && node.checkFits(widest, "the input padded by the filter's window") &&
         node.checkFits(filter, "the filter with its dilations and a stride");
}

/// Reads the requested spatial sizes. Some exporters also write the batch, which may be -1, and the channels before
/// them.
static SmallVector<int64_t> readOutputShape(OperandBinder &node, size_t axes) {
  SmallVector<int64_t> shape = node.getInts("output_shape");
  if (shape.size() != axes + 2)
    return node.getSizes("output_shape", axes, 1, 1);
  shape.erase(shape.begin(), shape.begin() + 2);
  if (llvm::any_of(shape, [](int64_t size) { return size < 1 || size > INT32_MAX; }))
    node.error() << "attribute 'output_shape' must have 1 to " << INT32_MAX << " elements along spatial axes, but has "
                 << describeShape(shape);
  return shape;
}

FailureOr<Window> readTransposedWindow(OperandBinder &node, Ints kernel, int64_t channels) {
  Ints spatial = getShape(node.getOperand(0)).drop_front(2);
  size_t axes = spatial.size();
  // Pads remove cells of the result, so negative pads add cells.
  FailureOr<Window> read = readNumbers(node, kernel, /*leastPad=*/-INT32_MAX);
  if (failed(read))
    return failure();
  Window window = std::move(*read);
  StringRef autoPad = readAutoPad(node);
  SmallVector<int64_t> more = node.getSizes("output_padding", axes, 0, 0);
  SmallVector<int64_t> output;
  if (node.has("output_shape"))
    output = readOutputShape(node, axes);
  if (node.hasFailed())
    return failure();
  std::optional<SmallVector<int64_t>> reach = getReach(window, spatial);
  if (!reach)
    return node.error() << "the strides must give a result that fits into memory, but are "
                        << describeShape(window.strides);

  const bool isSame = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  if (autoPad == "VALID")
    llvm::fill(window.pads, 0);
  // If the pads follow from the size, cells that are added at the end count as covered. Otherwise, they reduce the pad.
  SmallVector<int64_t> longer(*reach);
  for (auto [cells, added] : llvm::zip_equal(longer, more))
    cells += added;
  if (output.empty() && isSame)
    for (size_t axis = 0; axis < axes; ++axis)
      output.push_back(std::min(spatial[axis] * window.strides[axis], longer[axis]));
  if (!output.empty())
    padToOutput(window, longer, output, /*oddAtEnd=*/autoPad == "SAME_UPPER");
  for (size_t axis = 0; axis < axes; ++axis)
    window.pads[axes + axis] -= more[axis];
  if (!checkResult(node, window, *reach, channels))
    return failure();
  return window;
}

FailureOr<Window> readPoolWindow(OperandBinder &node, Channels channels) {
  if (!node.checkRank(0, 3, 5))
    return failure();
  if (!node.has("kernel_shape"))
    return node.error() << "attribute 'kernel_shape' is required, but is missing; set it to the size of the window";
  Ints shape = getShape(node.getOperand(0));
  size_t axes = shape.size() - 2;
  SmallVector<int64_t> kernel = node.getSizes("kernel_shape", axes, 1, 1);
  const int64_t outputChannels = shape[channelAxis(channels, static_cast<int64_t>(shape.size()))];
  FailureOr<Window> window = readWindow(node, kernel, outputChannels, channels);
  // A window that lies completely in the padding has no maximum and no average.
  for (auto [index, pad] : llvm::enumerate(node.getInts("pads")))
    if (succeeded(window) && pad >= kernel[index % axes])
      return node.error() << "attribute 'pads' must be smaller than 'kernel_shape' along each axis, but is " << pad
                          << " where the kernel is " << kernel[index % axes]
                          << "; use smaller pads, and a Pad node before the pool for the rest";
  return window;
}

} // namespace nacre::importer::onnx_format
