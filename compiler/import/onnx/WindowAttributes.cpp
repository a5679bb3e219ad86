// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sliding window that convolutions and poolings share.

#include "compiler/import/onnx/WindowAttributes.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

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
  bool isRoundedUp = node.getFlag("ceil_mode", false);
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
  if (isRoundedUp)
    roundUp(window, spatial);
  return window;
}

} // namespace nacre::importer::onnx_format
