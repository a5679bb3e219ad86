// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of tensors, and tensors of parts.
//
// How:  1. slices, 2. pads, 3. several parts of one tensor, 4. one tensor of several.

#include "compiler/import/Geometry.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/operators/StridedSlices.h"
#include "compiler/import/tflite/quantized/QuantizedElementwise.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Slices
//===----------------------------------------------------------------------===//

/// A size of -1 is all that is left.
void importSlice(TfliteNode &node) {
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> begin = node->getIntegers(1), sizes = node->getIntegers(2);
  if (failed(begin) || failed(sizes))
    return;
  bool fits = begin->size() == sizes->size() && static_cast<int64_t>(begin->size()) == getRank(x);
  for (auto [start, size, extent] : llvm::zip(*begin, *sizes, getShape(x))) {
    fits &= start >= 0 && start <= extent;
    if (fits && size == -1)
      size = extent - start;
    fits = fits && size >= 0 && size <= extent - start;
  }
  if (!fits) {
    node.error() << node->nameOf(1) << " and " << node->nameOf(2) << " must name a part of " << describe(x)
                 << ", but are [" << Ints(*begin) << "] and [" << Ints(*sizes) << "]";
    return;
  }
  node.setResult(node.nn.slice(x, *begin, *sizes, SmallVector<int64_t>(begin->size(), 1)));
}

void importStridedSlice(TfliteNode &node) {
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> begin = node->getIntegers(1), end = node->getIntegers(2),
                                  strides = node->getIntegers(3);
  auto readMask = [&](const char *name) { return static_cast<uint32_t>(node->getInt(name, 0)); };
  StridedSlice slice;
  slice.beginMask = readMask("begin_mask");
  slice.endMask = readMask("end_mask");
  slice.ellipsisMask = readMask("ellipsis_mask");
  slice.newAxisMask = readMask("new_axis_mask");
  slice.shrinkMask = readMask("shrink_axis_mask");
  slice.endIsOffset = node->getFlag("offset", false);
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
  if (part->shape.size() > static_cast<size_t>(maxRank)) {
    node.error() << "the result must have at most " << maxRank << " axes, but has " << part->shape.size();
    return;
  }
  Value sliced = node.nn.slice(x, part->starts, part->sizes, part->steps);
  node.setResult(sliced ? node.nn.reshape(sliced, part->shape) : Value());
}

//===----------------------------------------------------------------------===//
// 2. Pads
//===----------------------------------------------------------------------===//

struct Ends {
  SmallVector<int64_t> low, high;
};

FailureOr<Ends> readEnds(TfliteNode &node) {
  Value x = node.getOperand(0);
  if (!node->checkShape(1, {getRank(x), 2}, "both ends of each axis"))
    return failure();
  FailureOr<SmallVector<int64_t>> numbers = node->getIntegers(1, /*mostAxes=*/2);
  if (failed(numbers))
    return failure();
  Ends ends;
  SmallVector<int64_t> shape(getShape(x));
  for (auto [axis, size] : llvm::enumerate(shape)) {
    int64_t low = (*numbers)[2 * axis], high = (*numbers)[2 * axis + 1];
    if (low < 0 || high < 0 || low > INT32_MAX || high > INT32_MAX)
      return node.error() << node->nameOf(1) << " must hold numbers of 0 or more, but is [" << Ints(*numbers) << "]";
    ends.low.push_back(low);
    ends.high.push_back(high);
    size += low + high;
  }
  if (!node->checkFits(shape))
    return failure();
  return ends;
}

/// Zeros, or what stands for 0, or the one element of operand 2.
void importPad(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), filler = node.getOperand(2);
  FailureOr<Ends> ends = readEnds(node);
  if (failed(ends))
    return;
  const Quantization *quantization = node.getQuantization(0);
  double value = quantization ? static_cast<double>(quantization->zeros[0]) : 0;
  if (filler) {
    FailureOr<double> given = node->getNumber(2);
    if (failed(given))
      return;
    value = *given;
  }
  node.setResult(nn.pad(nn::PadMode::Constant, x, ends->low, ends->high, value));
}

/// What is inside mirrored at the ends, which count twice or not.
void importMirrorPad(TfliteNode &node) {
  Value x = node.getOperand(0);
  const int64_t mode = node->getInt("mode", 0);
  FailureOr<Ends> ends = readEnds(node);
  if (failed(ends))
    return;
  if (mode != 0 && mode != 1) {
    node.error() << "attribute 'mode' must be 0 or 1 (reflect, symmetric), but is " << mode;
    return;
  }
  for (auto [low, high, size] : llvm::zip(ends->low, ends->high, getShape(x)))
    if (std::max(low, high) > size - (mode == 0 ? 1 : 0) && std::max(low, high) > 0) {
      node.error() << node->nameOf(1) << " must ask for as many elements as can be mirrored, but asks for "
                   << std::max(low, high) << " of " << size;
      return;
    }
  node.setResult(node.nn.pad(mode == 0 ? nn::PadMode::Reflect : nn::PadMode::Symmetric, x, ends->low, ends->high, 0));
}

//===----------------------------------------------------------------------===//
// 3. Several parts of one tensor
//===----------------------------------------------------------------------===//

/// Parts of `sizes` along the axis.
void split(TfliteNode &node, Value x, int64_t axis, Ints sizes) {
  int64_t start = 0, extent = getShape(x)[axis];
  for (int64_t size : sizes)
    start = size < 0 || size > extent - start ? extent + 1 : start + size;
  if (start != extent || sizes.size() != node->getNumResults()) {
    node.error() << "the parts must be one for each of " << node->getNumResults() << " outputs and add up to axis "
                 << axis << " of " << describe(x) << ", but are [" << sizes << "]";
    return;
  }
  start = 0;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    node.setResult(index, node.nn.slice(x, axis, start, size));
    start += size;
  }
}

/// The axis is operand 0.
void importSplit(TfliteNode &node) {
  Value x = node.getOperand(1);
  const int64_t parts = node->getInt("num_splits", 0);
  FailureOr<int64_t> axis = node.readAxis(0, getRank(x));
  if (failed(axis))
    return;
  if (parts != static_cast<int64_t>(node->getNumResults()) || getShape(x)[*axis] % parts) {
    node.error() << "attribute 'num_splits' must be how many outputs there are, " << node->getNumResults()
                 << ", and divide axis " << *axis << " of " << describe(x) << ", but is " << parts;
    return;
  }
  split(node, x, *axis, SmallVector<int64_t>(parts, getShape(x)[*axis] / parts));
}

/// The sizes are operand 1, of which one may be -1; the axis is operand 2.
void importSplitV(TfliteNode &node) {
  Value x = node.getOperand(0);
  node->ignore({"num_splits"}); // as many as outputs
  FailureOr<SmallVector<int64_t>> sizes = node->getIntegers(1);
  FailureOr<int64_t> axis = node.readAxis(2, getRank(x));
  if (failed(sizes) || failed(axis))
    return;
  int64_t rest = getShape(x)[*axis];
  for (int64_t size : *sizes)
    if (size >= 0)
      rest = std::max<int64_t>(-1, rest - std::min(size, rest + 1));
  if (llvm::count(*sizes, -1) == 1 && rest >= 0)
    llvm::replace(*sizes, int64_t(-1), rest);
  split(node, x, *axis, *sizes);
}

/// Each part without the axis.
void importUnpack(TfliteNode &node) {
  Value x = node.getOperand(0);
  const int64_t parts = node->getInt("num", 0);
  FailureOr<int64_t> axis = node->getAxis(node->getInt("axis", 0), getRank(x));
  if (failed(axis))
    return;
  if (parts != getShape(x)[*axis] || parts != static_cast<int64_t>(node->getNumResults())) {
    node.error() << "attribute 'num' must be how many outputs there are, " << node->getNumResults()
                 << ", and how long axis " << *axis << " of " << describe(x) << " is, but is " << parts;
    return;
  }
  SmallVector<int64_t> shape(getShape(x));
  shape.erase(shape.begin() + *axis);
  for (int64_t part = 0; part < parts; ++part)
    if (Value slice = node.nn.slice(x, *axis, part, 1))
      node.setResult(part, node.nn.reshape(slice, shape));
}

//===----------------------------------------------------------------------===//
// 4. One tensor of several
//===----------------------------------------------------------------------===//

/// Reports an error unless all operands have the shape of the first, but for an axis; -1: for none.
bool checkSameShapes(TfliteNode &node, int64_t axis) {
  SmallVector<int64_t> shape(getShape(node.getOperand(0)));
  int64_t total = 0;
  for (size_t index = 0; index < node->getNumOperands(); ++index) {
    Ints other = getShape(node.getOperand(index));
    if (axis >= 0 && axis < static_cast<int64_t>(other.size())) {
      shape[axis] = other[axis];
      total += other[axis];
    }
    if (!node->checkShape(index, shape, "that of the first operand"))
      return false;
  }
  if (axis >= 0)
    shape[axis] = total;
  else
    shape.push_back(static_cast<int64_t>(node->getNumOperands()));
  return node->checkFits(shape);
}

void importConcatenation(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<int64_t> axis = node->getAxis(node->getInt("axis", 0), getRank(node.getOperand(0)));
  Activation activation = readActivation(node);
  if (failed(axis) || node->hasFailed() || !checkSameShapes(node, *axis))
    return;
  SmallVector<Value> operands(node->getOperands());
  if (node.isQuantized() && activation != Activation::None) {
    node.error() << "attribute 'fused_activation_function' must be 0 where integers stand for reals, but is not";
    return;
  }
  if (node.isQuantized() && !rescaleToResult(node, operands))
    return;
  node.setResult(activate(nn, activation, nn.concat(operands, *axis)));
}

/// A new axis counts the operands.
void importPack(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  const int64_t count = node->getInt("values_count", 0);
  Value first = node.getOperand(0);
  if (getRank(first) == maxRank) {
    node->checkRank(0, 0, maxRank - 1);
    return;
  }
  FailureOr<int64_t> axis = node->getAxis(node->getInt("axis", 0), getRank(first) + 1);
  if (failed(axis) || !checkSameShapes(node, -1))
    return;
  if (count != static_cast<int64_t>(node->getNumOperands())) {
    node.error() << "attribute 'values_count' must be how many operands there are, " << node->getNumOperands()
                 << ", but is " << count;
    return;
  }
  SmallVector<int64_t> shape(getShape(first));
  shape.insert(shape.begin() + *axis, 1);
  SmallVector<Value> parts =
      llvm::map_to_vector(node->getOperands(), [&](Value operand) { return nn.reshape(operand, shape); });
  node.setResult(nn.concat(parts, *axis));
}

} // namespace

void registerSlices(ImportRegistry &registry) {
  add(registry, "SLICE", Integers::Moved, {{"x"}, {"begin", Holds::Indices}, {"size", Holds::Indices}}, importSlice);
  add(registry, "STRIDED_SLICE", Integers::Moved,
      {{"x"}, {"begin", Holds::Indices}, {"end", Holds::Indices}, {"strides", Holds::Indices}}, importStridedSlice);
  add(registry, "PAD", Integers::Moved, {{"x"}, {"paddings", Holds::Indices}}, importPad);
  add(registry, "PADV2", Integers::Moved,
      {{"x", Holds::Anything, 'T'}, {"paddings", Holds::Indices}, {"value", Holds::Anything, 'T'}}, importPad);
  add(registry, "MIRROR_PAD", Integers::Moved, {{"x"}, {"paddings", Holds::Indices}}, importMirrorPad);
  add(registry, "SPLIT", Integers::Moved, {{"axis", Holds::Indices}, {"x"}}, importSplit);
  add(registry, "SPLIT_V", Integers::Moved, {{"x"}, {"sizes", Holds::Indices}, {"axis", Holds::Indices}}, importSplitV);
  add(registry, "UNPACK", Integers::Moved, {{"x"}}, importUnpack);
  add(registry, "CONCATENATION", Integers::Computed, {{"inputs...", Holds::Anything, 'T'}}, importConcatenation);
  add(registry, "PACK", Integers::Moved, {{"inputs...", Holds::Anything, 'T'}}, importPack);
}

} // namespace nacre::importer::tflite_format
