// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices and joins of operands, with the checks that every format needs.

#include "compiler/import/operands/JoinsAndSlices.h"

#include "compiler/import/builder/LinearForms.h"
#include "compiler/import/operands/ComputedSlices.h"
#include "compiler/import/operands/StridedSlices.h"
#include "compiler/import/options/Limits.h"

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/shapes/ShapeRules.h"

using namespace mlir;

namespace nacre::importer {

void splitInto(OperandBinder &node, Value x, int64_t axis, Ints sizes) {
  const int64_t dim = getShape(x)[axis];
  int64_t start = 0;
  for (int64_t size : sizes) {
    if (size < 0 || size > dim - start)
      start = dim + 1; // too large, so that the check below fails
    else
      start += size;
    if (start > dim)
      break;
  }
  if (start != dim || sizes.size() != node.getNumResults()) {
    node.error() << "there must be one size for each of " << node.getNumResults() << " outputs, adding up to axis "
                 << axis << " of " << describe(x) << ", but are [" << sizes << "]";
    return;
  }
  start = 0;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    node.setResult(index, node.nn.slice(x, axis, start, size));
    start += size;
  }
}

void splitEvenly(OperandBinder &node, Value x, int64_t axis) {
  const auto parts = static_cast<int64_t>(node.getNumResults());
  const int64_t dim = getShape(x)[axis];
  if (parts == 0 || dim % parts)
    node.error() << "the number of parts must divide axis " << axis << " of " << describe(x) << ", but is " << parts;
  else
    splitInto(node, x, axis, SmallVector<int64_t>(parts, dim / parts));
}

FailureOr<SmallVector<int64_t>> readSizesOfParts(OperandBinder &node, size_t index, int64_t dim) {
  Value given = node.getOperand(index);
  if (getConstant(given) || getRank(given) != 1 || node.nn.isOpen(given))
    return node.getIntegers(index);
  SmallVector<int64_t> sizes;
  std::optional<size_t> computed;
  int64_t left = dim;
  for (int64_t part = 0; part < getShape(given)[0]; ++part) {
    const LinearForm size = formOf(given, part);
    if (!size.terms.empty() && computed)
      return node.getIntegers(index); // reports an error that names the input that decides the sizes
    if (!size.terms.empty())
      computed = sizes.size();
    sizes.push_back(size.terms.empty() ? size.constant : 0);
    left = static_cast<int64_t>(uint64_t(left) - uint64_t(sizes.back()));
  }
  if (computed)
    sizes[*computed] = left;
  return sizes;
}

void splitBySizes(OperandBinder &node, Value x, int64_t axis, size_t index) {
  FailureOr<SmallVector<int64_t>> sizes = readSizesOfParts(node, index, getShape(x)[axis]);
  if (failed(sizes))
    return;
  int64_t left = getShape(x)[axis];
  for (int64_t size : *sizes)
    left = static_cast<int64_t>(uint64_t(left) - uint64_t(size));
  if (llvm::count(*sizes, -1) == 1)
    *llvm::find(*sizes, -1) = left - 1;
  splitInto(node, x, axis, *sizes);
}

void unstack(OperandBinder &node, int64_t axis) {
  Value x = node.getOperand(0);
  if (getShape(x)[axis] != static_cast<int64_t>(node.getNumResults())) {
    node.error() << "the number of outputs must be the size of axis " << axis << " of " << describe(x) << ", but is "
                 << node.getNumResults();
    return;
  }
  SmallVector<int64_t> shape(getShape(x));
  shape.erase(shape.begin() + axis);
  for (size_t index = 0; index < node.getNumResults(); ++index)
    if (node.wantsResult(index))
      node.setResult(index, node.nn.reshape(node.nn.slice(x, axis, static_cast<int64_t>(index), 1), shape));
}

void stack(OperandBinder &node, int64_t axis) {
  Value first = node.getOperand(0);
  if (!node.checkRank(0, 0, maxRank - 1))
    return;
  FailureOr<int64_t> normal = node.getAxis(axis, getRank(first) + 1);
  if (failed(normal))
    return;
  SmallVector<int64_t> shape(getShape(first)), joined(shape);
  shape.insert(shape.begin() + *normal, 1);
  joined.insert(joined.begin() + *normal, static_cast<int64_t>(node.getNumOperands()));
  if (!node.checkFits(joined))
    return;
  SmallVector<Value> parts;
  for (auto [index, operand] : llvm::enumerate(node.getOperands())) {
    if (!node.checkShape(index, getShape(first), "that of the other operands"))
      return;
    parts.push_back(node.nn.reshape(operand, shape));
  }
  node.setResult(node.nn.concat(parts, *normal));
}

/// Imports a slice of operand 0 with the sizes in operand 2. Its begin, operand 1, is known only at run time.
static void takeComputedPart(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), begin = node.getOperand(1);
  FailureOr<SmallVector<int64_t>> sizes = node.getIntegers(2);
  if (failed(sizes))
    return;
  bool fits = static_cast<int64_t>(sizes->size()) == getRank(x) && node.checkShape(1, getRank(x), "one for each axis");
  for (auto [size, dim] : llvm::zip(*sizes, getShape(x)))
    fits &= size >= 0 && size <= dim;
  if (!fits) {
    if (!node.hasFailed())
      node.error() << node.nameOf(2) << " must hold sizes inside of " << describe(x) << " if " << node.nameOf(1)
                   << " is computed, but is [" << Ints(*sizes) << "]";
    return;
  }
  for (auto [axis, size] : llvm::enumerate(*sizes)) {
    if (size == 0)
      x = nn.slice(x, static_cast<int64_t>(axis), 0, 0);
    else if (size < getShape(x)[axis])
      x = sliceAt(nn, x, static_cast<int64_t>(axis), nn.slice(begin, 0, static_cast<int64_t>(axis), 1), size, 1);
    if (!x)
      return node.fail();
  }
  node.setResult(x);
}

void takePart(OperandBinder &node) {
  Value x = node.getOperand(0);
  if (!getConstant(node.getOperand(1)) && !node.nn.isOpen(node.getOperand(1)))
    return takeComputedPart(node);
  FailureOr<SmallVector<int64_t>> begin = node.getIntegers(1), size = node.getIntegers(2);
  if (failed(begin) || failed(size))
    return;
  bool fits = static_cast<int64_t>(begin->size()) == getRank(x) && size->size() == begin->size();
  for (size_t axis = 0; fits && axis < begin->size(); ++axis) {
    int64_t dim = getShape(x)[axis], start = (*begin)[axis], &count = (*size)[axis];
    if (count == -1)
      count = dim - start;
    fits = start >= 0 && count >= 0 && start <= dim && count <= dim - start;
  }
  if (fits)
    node.setResult(node.nn.slice(x, *begin, *size, SmallVector<int64_t>(begin->size(), 1)));
  else
    node.error() << node.nameOf(1) << " and " << node.nameOf(2) << " must lie inside of " << describe(x)
                 << ", but are [" << Ints(*begin) << "] and [" << Ints(*size) << "]";
}

void takeStrided(OperandBinder &node, bool endIsOffset) {
  auto readMask = [&](const char *name) { return static_cast<uint32_t>(node.getInt(name, 0)); };
  StridedSlice slice;
  slice.beginMask = readMask("begin_mask");
  slice.endMask = readMask("end_mask");
  slice.ellipsisMask = readMask("ellipsis_mask");
  slice.newAxisMask = readMask("new_axis_mask");
  slice.shrinkMask = readMask("shrink_axis_mask");
  slice.endIsOffset = endIsOffset;
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> begin = node.getIntegers(1), end = node.getIntegers(2), strides = node.getIntegers(3);
  if (failed(begin) || failed(end) || failed(strides))
    return;
  slice.begin = std::move(*begin);
  slice.end = std::move(*end);
  slice.strides = std::move(*strides);
  llvm::Expected<SlicedPart> part = expandSlice(slice, getShape(x));
  if (!part) {
    node.error() << llvm::toString(part.takeError()) << " for " << describe(x);
    return;
  }
  if (part->shape.size() > static_cast<size_t>(maxRank))
    node.error() << "the result must have at most " << maxRank << " axes, but has " << part->shape.size();
  else
    node.setResult(node.nn.reshape(node.nn.slice(x, part->starts, part->sizes, part->steps), part->shape));
}

bool checkJoint(OperandBinder &node, size_t begin, size_t count, int64_t axis) {
  ArrayRef<Value> operands = node.getOperands().slice(begin, count);
  Value first = node.getOperand(begin);
  SmallVector<int64_t> joined(getShape(first));
  for (auto [index, operand] : llvm::enumerate(operands.drop_front())) {
    SmallVector<int64_t> wanted(getShape(operand));
    if (getRank(operand) == getRank(first))
      wanted[axis] = getShape(first)[axis];
    if (Ints(wanted) != getShape(first)) {
      node.error() << "operands must agree along all axes but " << axis << ", but " << node.nameOf(begin) << " is "
                   << describe(first) << " and " << node.nameOf(begin + index + 1) << " is " << describe(operand);
      return false;
    }
    joined[axis] += getShape(operand)[axis];
    if (!node.checkFits(joined))
      return false;
  }
  return true;
}

void concatenate(OperandBinder &node, size_t begin, size_t count, int64_t axis) {
  if (checkJoint(node, begin, count, axis))
    node.setResult(node.nn.concat(node.getOperands().slice(begin, count), axis));
}

/// Reports an error if a known index is outside of an axis of `dim` elements.
static bool checkIndices(OperandBinder &node, size_t index, int64_t dim) {
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

void gatherAlong(OperandBinder &node, int64_t axis) {
  Value x = node.getOperand(0), indices = node.getOperand(1);
  if (getShape(x)[axis] == 0 && !llvm::is_contained(getShape(indices), 0)) {
    node.error() << node.nameOf(0) << " must have elements to pick from along axis " << axis << ", but is "
                 << describe(x);
    return;
  }
  nn::Shape shape = llvm::cantFail(nn::gatherShape(getShape(x), getShape(indices), axis));
  if (checkIndices(node, 1, getShape(x)[axis]) && node.checkFits(shape))
    node.setResult(node.nn.gather(x, indices, axis));
}

/// Returns the largest number of elements that a mode can add at one end of an axis of `dim` elements.
static int64_t getReach(nn::PadMode mode, int64_t dim) {
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

static bool checkPads(OperandBinder &node, nn::PadMode mode, Ints low, Ints high) {
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

void padOperand(OperandBinder &node, nn::PadMode mode, Ints low, Ints high, double value) {
  if (checkPads(node, mode, low, high))
    node.setResult(node.nn.pad(mode, node.getOperand(0), low, high, value));
}

} // namespace nacre::importer
