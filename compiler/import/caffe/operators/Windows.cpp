// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sliding windows of Caffe's layers, read from their parameters.

#include "compiler/import/caffe/operators/Windows.h"
#include "compiler/import/messages/TypeNames.h"

using namespace mlir;

namespace nacre::importer::caffe_format {

/// Reads one integer, or a list of integers.
static SmallVector<int64_t> readNumbers(OperandBinder &node, StringRef name, bool isList) {
  if (isList)
    return node.getInts(name);
  return node.has(name) ? SmallVector<int64_t>{node.getInt(name, 0)} : SmallVector<int64_t>();
}

SmallVector<int64_t> readPair(OperandBinder &node, StringRef both, StringRef stem, int64_t missing, int64_t low) {
  std::string high = (stem + "_h").str(), wide = (stem + "_w").str();
  SmallVector<int64_t> numbers;
  if (node.has(high) || node.has(wide))
    numbers = {node.getInt(high, missing), node.getInt(wide, missing)};
  else
    numbers = readNumbers(node, both, /*isList=*/node.getOp() != "Pooling");
  if (numbers.empty())
    numbers = {missing};
  if (numbers.size() == 1)
    numbers.push_back(numbers.front());
  if (numbers.size() != 2 || llvm::any_of(numbers, [&](int64_t n) { return n < low || n > INT32_MAX; })) {
    node.error() << "parameter '" << both << "' must be one or two numbers, from " << low << " to " << INT32_MAX
                 << ", but is " << describeShape(numbers);
    return {std::max(missing, low), std::max(missing, low)};
  }
  return numbers;
}

FailureOr<Window> readWindow(OperandBinder &node, bool isDilated) {
  Window window;
  window.kernel = readPair(node, "kernel_size", "kernel", 0, 1);
  window.strides = readPair(node, "stride", "stride", 1, 1);
  window.dilations = isDilated ? readPair(node, "dilation", "dilation", 1, 1) : SmallVector<int64_t>{1, 1};
  window.pads = readPair(node, "pad", "pad", 0, 0);
  window.pads.append({window.pads[0], window.pads[1]});
  window.overhang = {0, 0};
  if (node.hasFailed())
    return failure();
  return window;
}

bool checkPlaces(OperandBinder &node, const Window &window, int64_t channels) {
  Ints shape = getShape(node.getOperand(0));
  SmallVector<int64_t> padded(shape), result(shape);
  result[1] = channels;
  for (size_t axis = 0; axis < 2; ++axis) {
    int64_t extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    int64_t size = shape[axis + 2] + window.pads[axis] + window.pads[axis + 2] + window.overhang[axis];
    if (extent > size) {
      node.error() << "the window must fit into the padded input, but covers " << describeCount(extent, "element")
                   << " of axis " << axis + 2 << " of " << describe(node.getOperand(0)) << ", which has " << size
                   << " with its pads";
      return false;
    }
    padded[axis + 2] = size;
    result[axis + 2] = (size - extent) / window.strides[axis] + 1;
  }
  return node.checkFits(padded, "the padded input") && node.checkFits(result);
}

} // namespace nacre::importer::caffe_format
