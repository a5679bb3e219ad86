// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices and joins of tensors: Slice, Split, Gather, Concat, Pad.

#include "compiler/import/builder/Geometry.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/movement/Handlers.h"
#include "compiler/import/operands/ComputedSlices.h"
#include "compiler/import/operands/JoinsAndSlices.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// Axes and steps of a slice, one entry for each of its positions.
struct SlicedAxes {
  SmallVector<int64_t> axes, steps;
};

/// Returns axes and steps, with ONNX's defaults if they are missing. Axes are counted from the front.
FailureOr<SlicedAxes> checkAxes(OperandBinder &node, size_t numStarts, size_t numEnds,
                                std::optional<SmallVector<int64_t>> givenAxes,
                                std::optional<SmallVector<int64_t>> givenSteps) {
  Value x = node.getOperand(0);
  SlicedAxes sliced;
  sliced.axes = givenAxes ? *givenAxes : axisRange(0, static_cast<int64_t>(std::min<size_t>(numStarts, getRank(x))));
  sliced.steps = givenSteps ? *givenSteps : SmallVector<int64_t>(numStarts, 1);
  if (numEnds != numStarts || sliced.axes.size() != numStarts || sliced.steps.size() != numStarts)
    return node.error() << "starts, ends, axes and steps must have the same number of elements, at most " << getRank(x)
                        << " for " << describe(x) << ", but have " << numStarts << ", " << numEnds << ", "
                        << sliced.axes.size() << " and " << sliced.steps.size();
  FailureOr<SmallVector<int64_t>> normal = node.getAxes(sliced.axes, getRank(x));
  if (failed(normal))
    return failure();
  if (llvm::is_contained(sliced.steps, 0))
    return node.error() << "steps must not be 0, but are [" << Ints(sliced.steps) << "]";
  sliced.axes = std::move(*normal);
  return sliced;
}

void slice(OperandBinder &node, Ints starts, Ints ends, std::optional<SmallVector<int64_t>> givenAxes,
           std::optional<SmallVector<int64_t>> givenSteps) {
  Value x = node.getOperand(0);
  FailureOr<SlicedAxes> sliced =
      checkAxes(node, starts.size(), ends.size(), std::move(givenAxes), std::move(givenSteps));
  if (failed(sliced))
    return;
  const nn::AxisCounts counts = node.nn.getCounts(x);
  SmallVector<int64_t> begin(getRank(x), 0), sizes(getShape(x)), strides(getRank(x), 1);
  SmallVector<size_t> open; // positions from the end, and those that steps lead to, depend on the size
  for (auto [number, start, end, axis, step] : llvm::enumerate(starts, ends, sliced->axes, sliced->steps)) {
    if (!counts.empty() && counts[axis] && (start < 0 || end < 0 || step != 1)) {
      open.push_back(number);
      continue;
    }
    SliceRange range = clampRange(start, end, step, getShape(x)[axis]);
    begin[axis] = range.start;
    sizes[axis] = range.size;
    strides[axis] = range.size > 1 ? step : 1;
    if (range.size == 0)
      begin[axis] = 0;
  }
  Value result = node.nn.sliceOpen(x, begin, sizes, strides);
  for (size_t number : open)
    result = sliceCounted(node.nn, result, sliced->axes[number], {starts[number], Value()}, {ends[number], Value()},
                          sliced->steps[number]);
  node.setResult(result);
}

void importSlice1(OperandBinder &node) {
  SmallVector<int64_t> axes = node.getInts("axes");
  slice(node, node.getInts("starts"), node.getInts("ends"),
        node.has("axes") ? std::optional(std::move(axes)) : std::nullopt, std::nullopt);
}

void importSlice10(OperandBinder &node) {
  // Starts and ends may be computed if the number of elements does not depend on them.
  const bool isComputed = !getConstant(node.getOperand(1)) || !getConstant(node.getOperand(2));
  std::optional<SmallVector<int64_t>> operands[5];
  for (size_t index = isComputed ? 3 : 1; index < 5; ++index) {
    if (!node.getOperand(index))
      continue;
    FailureOr<SmallVector<int64_t>> numbers = node.getIntegers(index);
    if (failed(numbers))
      return;
    operands[index] = std::move(*numbers);
  }
  if (!isComputed)
    return slice(node, *operands[1], *operands[2], operands[3], operands[4]);
  for (size_t index : {1, 2}) {
    if (node.nn.isOpen(node.getOperand(index))) {
      node.nn.refuseOpen(node.getOperand(index));
      return node.fail();
    }
    if (!node.checkRank(index, 0, 1))
      return;
  }
  FailureOr<SlicedAxes> sliced =
      checkAxes(node, getType(node.getOperand(1)).getNumElements(), getType(node.getOperand(2)).getNumElements(),
                std::move(operands[3]), std::move(operands[4]));
  if (succeeded(sliced))
    sliceBetween(node, sliced->axes, sliced->steps);
}

//===----------------------------------------------------------------------===//
// Split, Gather, Concat
//===----------------------------------------------------------------------===//

/// Splits an operand. The sizes are an attribute before version 13, and an operand since then. Without sizes, parts are
/// equal, except for a smaller last part.
void importSplit(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(x));
  if (failed(axis))
    return;
  int64_t dim = getShape(x)[*axis];
  int64_t parts = node.getInt("num_outputs", static_cast<int64_t>(node.getNumResults()));
  if (parts != static_cast<int64_t>(node.getNumResults())) {
    node.error() << "attribute 'num_outputs' must equal the number of outputs, " << node.getNumResults() << ", but is "
                 << parts;
    return;
  }
  SmallVector<int64_t> sizes = node.getInts("split");
  if (node.getOperand(1)) {
    FailureOr<SmallVector<int64_t>> given = readSizesOfParts(node, 1, dim);
    if (failed(given))
      return;
    sizes = std::move(*given);
  }
  if (sizes.empty() && parts > 0) {
    if (node.getVersion() < 18 && dim % parts) {
      node.error() << "axis " << *axis << " of " << describe(x) << " must be divisible by the "
                   << describeCount(parts, "output") << " if no sizes are given, but is not; pass sizes ('split')";
      return;
    }
    int64_t size = llvm::divideCeil(dim, parts);
    for (int64_t part = 0; part < parts; ++part)
      sizes.push_back(std::clamp<int64_t>(dim - part * size, 0, size));
  }
  splitInto(node, x, *axis, sizes);
}

void importGather(OperandBinder &node) {
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(node.getOperand(0)));
  if (succeeded(axis))
    gatherAlong(node, *axis);
}

void importConcat(OperandBinder &node) {
  int64_t missing = node.getVersion() < 4 ? 1 : 0;
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", missing), getRank(node.getOperand(0)));
  if (succeeded(axis))
    concatenate(node, 0, node.getNumOperands(), *axis);
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

void pad(OperandBinder &node, Ints pads, Ints axes, double value) {
  Value x = node.getOperand(0);
  nn::PadMode mode = *nn::symbolizePadMode(node.getChoice("mode", {"constant", "reflect", "edge", "wrap"}));
  if (node.hasFailed())
    return;
  if (pads.size() != axes.size() * 2 ||
      llvm::any_of(pads, [](int64_t size) { return size > INT32_MAX || size < -INT32_MAX; })) {
    node.error() << "pads must be two numbers for each of " << axes.size() << " axes, of " << INT32_MAX
                 << " at most, but are [" << pads << "]";
    return;
  }
  FailureOr<SmallVector<int64_t>> normal = node.getAxes(axes, getRank(x));
  if (failed(normal))
    return;
  SmallVector<int64_t> low(getRank(x), 0), high(getRank(x), 0);
  for (auto [index, axis] : llvm::enumerate(*normal)) {
    low[axis] = pads[index];
    high[axis] = pads[axes.size() + index];
  }
  padOperand(node, mode, low, high, value);
}

/// Imports Pad before version 11, when pads were attributes. The attribute was renamed in version 2.
void importPad1(OperandBinder &node) {
  pad(node, node.getInts(node.getVersion() < 2 ? "paddings" : "pads"), axisRange(0, getRank(node.getOperand(0))),
      node.getFloat("value", 0));
}

void importPad11(OperandBinder &node) {
  FailureOr<SmallVector<int64_t>> pads = node.getIntegers(1);
  if (failed(pads))
    return;
  double value = 0;
  if (node.getOperand(2)) {
    FailureOr<SmallVector<double>> given = node.getNumbers(2);
    if (failed(given))
      return;
    value = given->empty() ? 0 : given->front();
  }
  SmallVector<int64_t> axes = axisRange(0, getRank(node.getOperand(0)));
  if (node.getOperand(3)) {
    FailureOr<SmallVector<int64_t>> given = node.getIntegers(3);
    if (failed(given))
      return;
    axes = std::move(*given);
  }
  pad(node, *pads, axes, value);
}

} // namespace

void registerSlices(ImportRegistry &registry) {
  const OperandRule data{"data", Holds::Stored}, starts{"starts", Holds::Integers}, ends{"ends", Holds::Integers},
      axes{"axes?", Holds::Integers};
  registry.add("Concat", 1, {{"inputs...", Holds::Stored, 'T'}}, importConcat);
  registry.add("Gather", 1, {{"data", Holds::Stored}, {"indices", Holds::Indices}}, importGather);
  registry.add("Pad", 1, {{"data", Holds::Stored}}, importPad1);
  registry.add("Pad", 11,
               {{"data", Holds::Stored},
                {"pads", Holds::Integers},
                {"constant_value?", Holds::Stored},
                {"axes?", Holds::Integers}},
               importPad11);
  // Before version 10 of Slice, ONNX had this experimental operator, and PyTorch exported it.
  registry.add("DynamicSlice", 1, {data, starts, ends, axes}, importSlice10);
  registry.add("Slice", 1, {data}, importSlice1);
  registry.add("Slice", 10, {data, starts, ends, axes, {"steps?", Holds::Integers}}, importSlice10);
  registry.add("Split", 1, {{"input", Holds::Stored}}, importSplit);
  registry.add("Split", 13, {{"input", Holds::Stored}, {"split?", Holds::Integers}}, importSplit);
}

} // namespace nacre::importer::onnx_format
