// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of tensors, and tensors of parts: Slice, Split, Gather, Concat, Pad.

#include "compiler/import/Geometry.h"
#include "compiler/import/onnx/Handlers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

void slice(OperandBinder &node, Ints starts, Ints ends, std::optional<SmallVector<int64_t>> givenAxes,
           std::optional<SmallVector<int64_t>> givenSteps) {
  Value x = node.getOperand(0);
  SmallVector<int64_t> axes =
      givenAxes ? *givenAxes : axisRange(0, static_cast<int64_t>(std::min<size_t>(starts.size(), getRank(x))));
  SmallVector<int64_t> steps = givenSteps ? *givenSteps : SmallVector<int64_t>(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size()) {
    node.error() << "starts, ends, axes and steps must have as many elements as each other and at most " << getRank(x);
    return;
  }
  if (failed(node.getAxes(axes, getRank(x))))
    return;
  SmallVector<int64_t> begin(getRank(x), 0), sizes(getShape(x)), strides(getRank(x), 1);
  for (auto [start, end, givenAxis, step] : llvm::zip_equal(starts, ends, axes, steps)) {
    if (step == 0) {
      node.error() << "steps must not be 0";
      return;
    }
    int64_t axis = givenAxis < 0 ? givenAxis + getRank(x) : givenAxis;
    SliceRange range = clampRange(start, end, step, getShape(x)[axis]);
    begin[axis] = range.start;
    sizes[axis] = range.size;
    strides[axis] = range.size > 1 ? step : 1;
    if (range.size == 0)
      begin[axis] = 0;
  }
  node.setResult(node.nn.slice(x, begin, sizes, strides));
}

void importSlice1(OperandBinder &node) {
  SmallVector<int64_t> axes = node.getInts("axes");
  slice(node, node.getInts("starts"), node.getInts("ends"),
        node.has("axes") ? std::optional(std::move(axes)) : std::nullopt, std::nullopt);
}

void importSlice10(OperandBinder &node) {
  std::optional<SmallVector<int64_t>> operands[5];
  constexpr StringLiteral roles[] = {"data", "starts", "ends", "axes", "steps"};
  for (size_t index = 1; index < 5; ++index) {
    if (!node.getOperand(index))
      continue;
    FailureOr<SmallVector<int64_t>> numbers = node.getIntegers(index, roles[index]);
    if (failed(numbers))
      return;
    operands[index] = std::move(*numbers);
  }
  slice(node, *operands[1], *operands[2], operands[3], operands[4]);
}

//===----------------------------------------------------------------------===//
// Split, Gather, Concat
//===----------------------------------------------------------------------===//

/// The sizes of the parts: an attribute before version 13, an operand since, or equal ones (the last may be smaller).
void importSplit(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(x));
  if (failed(axis))
    return;
  int64_t dim = getShape(x)[*axis];
  int64_t parts = node.getInt("num_outputs", static_cast<int64_t>(node.getNumResults()));
  SmallVector<int64_t> sizes = node.getInts("split");
  if (node.getOperand(1)) {
    FailureOr<SmallVector<int64_t>> given = node.getIntegers(1, "split");
    if (failed(given))
      return;
    sizes = std::move(*given);
  }
  if (sizes.empty() && parts > 0 && parts <= static_cast<int64_t>(node.getNumResults())) {
    int64_t size = llvm::divideCeil(dim, parts);
    for (int64_t part = 0; part < parts; ++part)
      sizes.push_back(std::clamp<int64_t>(dim - part * size, 0, size));
  }
  int64_t start = 0;
  for (int64_t size : sizes) {
    if (size < 0 || size > dim - start)
      start = dim + 1; // reported below
    else
      start += size;
    if (start > dim)
      break;
  }
  if (start != dim || sizes.size() != node.getNumResults()) {
    node.error() << "must split axis " << *axis << " of " << getType(x) << " into " << node.getNumResults()
                 << " parts, but has the sizes [" << Ints(sizes) << "]";
    return;
  }
  start = 0;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    node.setResult(index, node.nn.slice(x, *axis, start, size));
    start += size;
  }
}

void importGather(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(x));
  if (succeeded(axis))
    node.setResult(node.nn.gather(x, node.getOperand(1), *axis));
}

void importConcat(OperandBinder &node) {
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(node.getOperand(0)));
  if (failed(axis))
    return;
  node.setResult(node.nn.concat(node.getOperands(), *axis));
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

void pad(OperandBinder &node, Ints pads, Ints axes, double value) {
  Value x = node.getOperand(0);
  StringRef modeName = node.getString("mode", "constant");
  std::optional<nn::PadMode> mode = nn::symbolizePadMode(modeName);
  if (!mode) {
    node.error() << "attribute 'mode' must be constant, reflect, edge or wrap, but is '" << modeName << "'";
    return;
  }
  if (pads.size() != axes.size() * 2 ||
      llvm::any_of(pads, [](int64_t size) { return size > INT32_MAX || size < -INT32_MAX; })) {
    node.error() << "pads must have two numbers for each of " << axes.size() << " axes, but are [" << pads << "]";
    return;
  }
  if (failed(node.getAxes(axes, getRank(x))))
    return;
  SmallVector<int64_t> low(getRank(x), 0), high(getRank(x), 0);
  for (auto [index, axis] : llvm::enumerate(axes)) {
    int64_t normal = axis < 0 ? axis + getRank(x) : axis;
    low[normal] = pads[index];
    high[normal] = pads[axes.size() + index];
  }
  node.setResult(node.nn.pad(*mode, x, low, high, value));
}

void importPad2(OperandBinder &node) {
  pad(node, node.getInts("pads"), axisRange(0, getRank(node.getOperand(0))), node.getFloat("value", 0));
}

void importPad11(OperandBinder &node) {
  FailureOr<SmallVector<int64_t>> pads = node.getIntegers(1, "pads");
  if (failed(pads))
    return;
  double value = 0;
  if (node.getOperand(2)) {
    FailureOr<SmallVector<double>> given = node.getNumbers(2, "constant_value");
    if (failed(given))
      return;
    value = given->empty() ? 0 : given->front();
  }
  SmallVector<int64_t> axes = axisRange(0, getRank(node.getOperand(0)));
  if (node.getOperand(3)) {
    FailureOr<SmallVector<int64_t>> given = node.getIntegers(3, "axes");
    if (failed(given))
      return;
    axes = std::move(*given);
  }
  pad(node, *pads, axes, value);
}

} // namespace

void registerSlices(ImportRegistry &registry) {
  registry.add("Concat", 4, {1, unbounded}, importConcat);
  registry.add("Gather", 1, {2, 2}, importGather);
  registry.add("Pad", 2, {1, 1}, importPad2);
  registry.add("Pad", 11, {2, 4}, importPad11);
  registry.add("Slice", 1, {1, 1}, importSlice1);
  registry.add("Slice", 10, {3, 5}, importSlice10);
  registry.add("Split", 2, {1, 2}, importSplit);
}

} // namespace nacre::importer::onnx_format
