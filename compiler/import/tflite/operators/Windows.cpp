// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Windows.h.

#include "compiler/import/tflite/operators/Windows.h"
#include "compiler/import/messages/TypeNames.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

WindowOptions getPlaneOptions() {
  static constexpr const char *strides[] = {"stride_h", "stride_w"};
  static constexpr const char *dilations[] = {"dilation_h_factor", "dilation_w_factor"};
  return {strides, dilations};
}

WindowOptions getVolumeOptions() {
  static constexpr const char *strides[] = {"stride_d", "stride_h", "stride_w"};
  static constexpr const char *dilations[] = {"dilation_d_factor", "dilation_h_factor", "dilation_w_factor"};
  return {strides, dilations};
}

FailureOr<Window> readNumbers(TfliteNode &node, Ints kernel, const WindowOptions &options) {
  const size_t axes = kernel.size();
  if (llvm::any_of(kernel, [](int64_t cells) { return cells < 1 || cells > INT32_MAX; }))
    return node.error() << "the window must have 1 to " << INT32_MAX << " cells along each axis, but has "
                        << describeShape(kernel);
  Window window;
  window.kernel.assign(kernel.begin(), kernel.end());
  auto read = [&](ArrayRef<const char *> names, int64_t missing) {
    SmallVector<int64_t> numbers;
    for (const char *name : names) {
      numbers.push_back(node->getInt(name, missing));
      if (numbers.back() < 1)
        node.error() << "attribute '" << name << "' must be 1 or more, but is " << numbers.back();
    }
    return numbers;
  };
  window.strides = read(options.strides, 0);
  window.dilations = read(options.dilations, 1);
  window.dilations.resize(axes, 1);
  window.pads.assign(axes * 2, 0);
  window.overhang.assign(axes, 0);
  if (node->hasFailed())
    return failure();
  return window;
}

FailureOr<bool> readIsSame(TfliteNode &node) {
  int64_t padding = node->getInt("padding", 0);
  if (padding != 0 && padding != 1)
    return node.error() << "attribute 'padding' must be 0 or 1 (same, valid), but is " << padding;
  return padding == 0;
}

FailureOr<Window> readWindow(TfliteNode &node, size_t operand, Ints kernel, const WindowOptions &options,
                             int64_t channels) {
  FailureOr<bool> isSame = readIsSame(node);
  FailureOr<Window> window = readNumbers(node, kernel, options);
  if (failed(isSame) || failed(window))
    return failure();
  Ints shape = getShape(node.getOperand(operand)), spatial = shape.slice(1, kernel.size());
  if (*isSame)
    padToSame(*window, spatial, /*oddAtEnd=*/true);
  SmallVector<int64_t> padded(shape), result(shape);
  result.back() = channels;
  for (auto [axis, cells] : llvm::enumerate(kernel)) {
    int64_t extent = (cells - 1) * window->dilations[axis] + 1;
    int64_t size = spatial[axis] + window->pads[axis] + window->pads[kernel.size() + axis];
    if (extent > size)
      return node.error() << "the window must fit into the input, but covers " << describeCount(extent, "element")
                          << " of axis " << axis + 1 << " of " << describe(node.getOperand(operand)) << ", which has "
                          << size << " with its pads";
    padded[axis + 1] = size;
    result[axis + 1] = (size - extent) / window->strides[axis] + 1;
  }
  if (!node->checkFits(padded, "the padded input") || !node->checkFits(result))
    return failure();
  return *window;
}

} // namespace nacre::importer::tflite_format
