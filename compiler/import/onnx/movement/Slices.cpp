// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of tensors, and tensors of parts: Slice, Split, Gather, Concat, Pad.

#include "compiler/import/Geometry.h"
#include "compiler/import/onnx/Handlers.h"

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/ShapeRules.h"
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
    node.error() << "starts, ends, axes and steps must have as many elements as each other, at most " << getRank(x)
                 << " for " << describe(x) << ", but have " << starts.size() << ", " << ends.size() << ", "
                 << axes.size() << " and " << steps.size();
    return;
  }
  if (failed(node.getAxes(axes, getRank(x))))
    return;
  SmallVector<int64_t> begin(getRank(x), 0), sizes(getShape(x)), strides(getRank(x), 1);
  for (auto [start, end, givenAxis, step] : llvm::zip_equal(starts, ends, axes, steps)) {
    if (step == 0) {
      node.error() << "steps must not be 0, but are [" << Ints(steps) << "]";
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
  for (size_t index = 1; index < 5; ++index) {
    if (!node.getOperand(index))
      continue;
    FailureOr<SmallVector<int64_t>> numbers = node.getIntegers(index);
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
  if (parts != static_cast<int64_t>(node.getNumResults())) {
    node.error() << "attribute 'num_outputs' must be how many outputs there are, " << node.getNumResults()
                 << ", but is " << parts;
    return;
  }
  SmallVector<int64_t> sizes = node.getInts("split");
  if (node.getOperand(1)) {
    FailureOr<SmallVector<int64_t>> given = node.getIntegers(1);
    if (failed(given))
      return;
    sizes = std::move(*given);
  }
  if (sizes.empty() && parts > 0) {
    if (node.getVersion() < 18 && dim % parts) {
      node.error() << "axis " << *axis << " of " << describe(x) << " must be divisible by the " << parts
                   << " outputs where no sizes are given, but is not; give sizes ('split')";
      return;
    }
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
    node.error() << "the sizes must be one for each of " << node.getNumResults() << " outputs and add up to axis "
                 << *axis << " of " << describe(x) << ", but are [" << Ints(sizes) << "]";
    return;
  }
  start = 0;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    node.setResult(index, node.nn.slice(x, *axis, start, size));
    start += size;
  }
}

/// Reports an error where an index that is known lies outside an axis of `dim` elements.
bool checkIndices(OperandBinder &node, size_t index, int64_t dim) {
  ElementsAttr constant = getConstant(node.getOperand(index));
  if (!constant)
    return true;
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
  if (failed(view))
    return true;
  int64_t count = view->isSplat() ? std::min<int64_t>(constant.getNumElements(), 1) : constant.getNumElements();
  for (int64_t position = 0; position < count; ++position) {
    int64_t value;
    view->read(position, 1, 1, &value);
    if (value >= -dim && value < dim)
      continue;
    node.error() << node.nameOf(index) << " must hold positions from " << -dim << " to " << dim - 1 << ", but holds "
                 << value << " for " << describe(node.getOperand(0));
    return false;
  }
  return true;
}

void importGather(OperandBinder &node) {
  Value x = node.getOperand(0), indices = node.getOperand(1);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(x));
  if (failed(axis))
    return;
  if (getShape(x)[*axis] == 0 && !llvm::is_contained(getShape(indices), 0)) {
    node.error() << node.nameOf(0) << " must have elements to pick from along axis " << *axis << ", but is "
                 << describe(x);
    return;
  }
  nn::Shape shape = llvm::cantFail(nn::gatherShape(getShape(x), getShape(indices), *axis));
  if (checkIndices(node, 1, getShape(x)[*axis]) && node.checkFits(shape))
    node.setResult(node.nn.gather(x, node.getOperand(1), *axis));
}

void importConcat(OperandBinder &node) {
  int64_t missing = node.getVersion() < 4 ? 1 : 0;
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", missing), getRank(node.getOperand(0)));
  if (failed(axis))
    return;
  Value first = node.getOperand(0);
  SmallVector<int64_t> joined(getShape(first));
  for (auto [index, operand] : llvm::enumerate(node.getOperands().drop_front())) {
    SmallVector<int64_t> wanted(getShape(operand));
    if (getRank(operand) == getRank(first))
      wanted[*axis] = getShape(first)[*axis];
    if (Ints(wanted) != getShape(first)) {
      node.error() << "operands must agree along all axes but " << *axis << ", but " << node.nameOf(0) << " is "
                   << describe(first) << " and " << node.nameOf(index + 1) << " is " << describe(operand);
      return;
    }
    joined[*axis] += getShape(operand)[*axis];
    if (!node.checkFits(joined))
      return;
  }
  node.setResult(node.nn.concat(node.getOperands(), *axis));
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

/// The most elements that a mode can add on one side of an axis of `dim`: it knows no others.
int64_t getReach(nn::PadMode mode, int64_t dim) {
  switch (mode) {
  case nn::PadMode::Constant:
    return INT64_MAX;
  case nn::PadMode::Edge:
    return dim > 0 ? INT64_MAX : 0;
  case nn::PadMode::Reflect:
    return std::max<int64_t>(dim - 1, 0);
  case nn::PadMode::Wrap:
  case nn::PadMode::Symmetric:
    return dim;
  }
  llvm_unreachable("all modes are above");
}

bool checkPads(OperandBinder &node, nn::PadMode mode, Ints low, Ints high) {
  Value x = node.getOperand(0);
  SmallVector<int64_t> padded;
  for (auto [axis, dim, before, after] : llvm::enumerate(getShape(x), low, high)) {
    if (std::max(before, after) > getReach(mode, dim)) {
      node.error() << "pads of mode '" << nn::stringifyPadMode(mode) << "' must be " << getReach(mode, dim)
                   << " at most along axis " << axis << " of " << describe(x) << ", but are " << before << " and "
                   << after;
      return false;
    }
    if (dim + before + after < 0) {
      node.error() << "pads must leave 0 elements or more along axis " << axis << " of " << describe(x) << ", but are "
                   << before << " and " << after;
      return false;
    }
    padded.push_back(dim + before + after);
  }
  return node.checkFits(padded);
}

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
  if (checkPads(node, mode, low, high))
    node.setResult(node.nn.pad(mode, x, low, high, value));
}

/// Pads as attributes, before version 11; the name changed in version 2.
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
  registry.add("Concat", 1, {{"inputs...", Holds::Stored, 'T'}}, importConcat);
  registry.add("Gather", 1, {{"data", Holds::Stored}, {"indices", Holds::Indices}}, importGather);
  registry.add("Pad", 1, {{"data", Holds::Stored}}, importPad1);
  registry.add("Pad", 11,
               {{"data", Holds::Stored},
                {"pads", Holds::Integers},
                {"constant_value?", Holds::Stored},
                {"axes?", Holds::Integers}},
               importPad11);
  registry.add("Slice", 1, {{"data", Holds::Stored}}, importSlice1);
  registry.add("Slice", 10,
               {{"data", Holds::Stored},
                {"starts", Holds::Integers},
                {"ends", Holds::Integers},
                {"axes?", Holds::Integers},
                {"steps?", Holds::Integers}},
               importSlice10);
  registry.add("Split", 1, {{"input", Holds::Stored}}, importSplit);
  registry.add("Split", 13, {{"input", Holds::Stored}, {"split?", Holds::Integers}}, importSplit);
}

} // namespace nacre::importer::onnx_format
