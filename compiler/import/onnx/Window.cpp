// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sliding window that convolutions and poolings share.

#include "compiler/import/onnx/Window.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

/// The pads of auto_pad: so many that the output has ceil(input / stride) cells; an odd one goes to the end or the
/// front.
static void padToSame(Window &window, Ints spatial, bool oddAtEnd) {
  size_t axes = spatial.size();
  for (size_t axis = 0; axis < axes; ++axis) {
    int64_t stride = window.strides[axis];
    int64_t output = llvm::divideCeil(spatial[axis], stride);
    int64_t extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    int64_t total = std::max<int64_t>((output - 1) * stride + extent - spatial[axis], 0);
    window.pads[axis] = oddAtEnd ? total / 2 : total - total / 2;
    window.pads[axes + axis] = total - window.pads[axis];
  }
}

/// With ceil_mode the last window may hang over the end, if it begins before the high pads.
static int64_t getOverhang(const Window &window, size_t axis, int64_t input) {
  int64_t low = window.pads[axis], high = window.pads[window.kernel.size() + axis], stride = window.strides[axis];
  int64_t extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
  int64_t slack = input + low + high - extent;
  if (slack < 0)
    return 0;
  int64_t steps = llvm::divideCeil(slack, stride);
  if (steps * stride >= input + low)
    --steps;
  return std::max<int64_t>(steps * stride - slack, 0);
}

FailureOr<Window> readWindow(OperandBinder &node, Ints spatial, Ints kernel) {
  size_t axes = spatial.size();
  if (llvm::any_of(kernel, [](int64_t cells) { return cells < 1 || cells > INT32_MAX; }))
    return node.error() << "the window must have 1 to " << INT32_MAX << " cells along each axis, but has [" << kernel
                        << "]";
  Window window;
  window.kernel.assign(kernel.begin(), kernel.end());
  window.strides = node.getSizes("strides", axes, 1, 1);
  window.dilations = node.getSizes("dilations", axes, 1, 1);
  window.pads = node.getSizes("pads", axes * 2, 0, 0);
  window.overhang.assign(axes, 0);
  StringRef autoPad = node.getString("auto_pad", "NOTSET");
  bool roundUp = node.getFlag("ceil_mode", false);
  if (node.hasFailed())
    return failure();

  if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER") {
    padToSame(window, spatial, /*oddAtEnd=*/autoPad == "SAME_UPPER");
  } else if (autoPad == "VALID") {
    llvm::fill(window.pads, 0);
  } else if (autoPad != "NOTSET" && !autoPad.empty()) {
    return node.error() << "attribute 'auto_pad' must be NOTSET, SAME_UPPER, SAME_LOWER or VALID, but is '" << autoPad
                        << "'";
  }
  if (roundUp)
    for (size_t axis = 0; axis < axes; ++axis)
      window.overhang[axis] = getOverhang(window, axis, spatial[axis]);
  return window;
}

} // namespace nacre::importer::onnx_format
