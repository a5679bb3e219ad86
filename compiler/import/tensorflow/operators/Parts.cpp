// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of tensors, and tensors of parts.
//
// How:  1. joined and split,
//       2. slices,
//       3. more elements, and another order.

#include "compiler/import/operands/Parts.h"
#include "compiler/import/Geometry.h"
#include "compiler/import/compositions/Movement.h"
#include "compiler/import/operands/Shapes.h"
#include "compiler/import/tensorflow/Handlers.h"

#include "compiler/import/Import.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// The axis that operand `index` names, of `rank`.
FailureOr<int64_t> readAxis(OperandBinder &node, size_t index, int64_t rank) {
  FailureOr<int64_t> given = node.getInteger(index);
  if (failed(given))
    return failure();
  return node.getAxis(*given, rank);
}

//===----------------------------------------------------------------------===//
// 1. Joined and split
//===----------------------------------------------------------------------===//

/// The axis comes first, or last.
void importConcat(OperandBinder &node, bool isAxisFirst) {
  node.ignore({"N"});
  size_t count = node.getNumOperands() - 1;
  if (count == 0) {
    node.error() << "must have an operand besides its axis, but has none";
    return;
  }
  size_t begin = isAxisFirst;
  FailureOr<int64_t> axis = readAxis(node, isAxisFirst ? 0 : count, getRank(node.getOperand(begin)));
  if (succeeded(axis))
    concatenate(node, begin, count, *axis);
}

/// Along the first axis, which every part has.
void importParallelConcat(OperandBinder &node) {
  node.ignore({"N", "shape"});
  if (node.checkRank(0, 1))
    concatenate(node, 0, node.getNumOperands(), 0);
}

void importPack(OperandBinder &node) {
  node.ignore({"N"});
  NnBuilder &nn = node.nn;
  Value first = node.getOperand(0);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(first) + 1);
  if (failed(axis))
    return;
  SmallVector<int64_t> shape(getShape(first)), joined(shape);
  shape.insert(shape.begin() + *axis, 1);
  joined.insert(joined.begin() + *axis, static_cast<int64_t>(node.getNumOperands()));
  if (!node.checkFits(joined))
    return;
  SmallVector<Value> parts;
  for (auto [index, operand] : llvm::enumerate(node.getOperands())) {
    if (!node.checkShape(index, getShape(first), "that of the other operands"))
      return;
    parts.push_back(nn.reshape(operand, shape));
  }
  node.setResult(nn.concat(parts, *axis));
}

void importUnpack(OperandBinder &node) {
  node.ignore({"num"});
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(x));
  if (failed(axis))
    return;
  if (getShape(x)[*axis] != static_cast<int64_t>(node.getNumResults())) {
    node.error() << "attribute 'num' must be the size of axis " << *axis << " of " << describe(x) << ", but is "
                 << node.getNumResults();
    return;
  }
  SmallVector<int64_t> shape(getShape(x));
  shape.erase(shape.begin() + *axis);
  for (size_t index = 0; index < node.getNumResults(); ++index)
    if (node.wantsResult(index))
      node.setResult(index, nn.reshape(nn.slice(x, *axis, static_cast<int64_t>(index), 1), shape));
}

void importSplit(OperandBinder &node) {
  node.ignore({"num_split"});
  Value x = node.getOperand(1);
  FailureOr<int64_t> axis = readAxis(node, 0, getRank(x));
  if (failed(axis))
    return;
  auto parts = static_cast<int64_t>(node.getNumResults());
  int64_t dim = getShape(x)[*axis];
  if (parts == 0 || dim % parts) {
    node.error() << "attribute 'num_split' must divide axis " << *axis << " of " << describe(x) << ", but is " << parts;
    return;
  }
  splitInto(node, x, *axis, SmallVector<int64_t>(parts, dim / parts));
}

/// One size may be -1: what is left.
void importSplitV(OperandBinder &node) {
  node.ignore({"num_split"});
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> sizes = node.getIntegers(1);
  FailureOr<int64_t> axis = readAxis(node, 2, getRank(x));
  if (failed(sizes) || failed(axis))
    return;
  int64_t left = getShape(x)[*axis];
  for (int64_t size : *sizes)
    left = static_cast<int64_t>(uint64_t(left) - uint64_t(size));
  if (llvm::count(*sizes, -1) == 1)
    *llvm::find(*sizes, -1) = left - 1;
  splitInto(node, x, *axis, *sizes);
}

//===----------------------------------------------------------------------===//
// 2. Slices
//===----------------------------------------------------------------------===//

/// A size of -1 is all that is left.
void importSlice(OperandBinder &node) {
  Value x = node.getOperand(0);
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

/// What StridedSlice says, an entry for each bit of its masks.
struct StridedSlice {
  SmallVector<int64_t> begin, end, strides;
  int64_t beginMask, endMask, ellipsisMask, newAxisMask, shrinkMask;
};

FailureOr<StridedSlice> readStridedSlice(OperandBinder &node) {
  FailureOr<SmallVector<int64_t>> begin = node.getIntegers(1), end = node.getIntegers(2), strides = node.getIntegers(3);
  if (failed(begin) || failed(end) || failed(strides))
    return failure();
  StridedSlice slice{std::move(*begin),
                     std::move(*end),
                     std::move(*strides),
                     node.getInt("begin_mask", 0),
                     node.getInt("end_mask", 0),
                     node.getInt("ellipsis_mask", 0),
                     node.getInt("new_axis_mask", 0),
                     node.getInt("shrink_axis_mask", 0)};
  if (node.hasFailed())
    return failure();
  size_t entries = slice.begin.size();
  if (slice.end.size() != entries || slice.strides.size() != entries || entries > 2 * maxRank)
    return node.error() << node.nameOf(1) << ", " << node.nameOf(2) << " and " << node.nameOf(3)
                        << " must have as many elements as each other, but have " << entries << ", " << slice.end.size()
                        << " and " << slice.strides.size();
  if (llvm::is_contained(slice.strides, 0))
    return node.error() << node.nameOf(3) << " must not hold 0, but is [" << Ints(slice.strides) << "]";
  return slice;
}

/// How many axes the ellipsis stands for: all that no other entry names. Without one it stands at the end.
FailureOr<int64_t> countEllipsis(OperandBinder &node, const StridedSlice &slice) {
  int64_t named = 0, ellipses = 0;
  for (size_t entry = 0; entry < slice.begin.size(); ++entry) {
    bool isEllipsis = slice.ellipsisMask >> entry & 1;
    ellipses += isEllipsis;
    named += !isEllipsis && !(slice.newAxisMask >> entry & 1);
  }
  int64_t left = getRank(node.getOperand(0)) - named;
  if (ellipses > 1 || left < 0)
    return node.error() << "must name at most " << getRank(node.getOperand(0)) << " axes and one ellipsis for "
                        << describe(node.getOperand(0)) << ", but names " << named << " and " << ellipses;
  return left;
}

/// Entry by entry: the ellipsis first, then new axes, then single elements, of which the end says nothing, then ranges.
void importStridedSlice(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<StridedSlice> slice = readStridedSlice(node);
  if (failed(slice))
    return;
  FailureOr<int64_t> ellipsis = countEllipsis(node, *slice);
  if (failed(ellipsis))
    return;
  SmallVector<int64_t> begin, sizes, steps, shape;
  auto keep = [&](int64_t count) {
    for (; count > 0; --count) {
      int64_t dim = getShape(x)[begin.size()];
      begin.push_back(0);
      sizes.push_back(dim);
      steps.push_back(1);
      shape.push_back(dim);
    }
  };
  for (size_t entry = 0; entry < slice->begin.size(); ++entry) {
    auto isSet = [&](int64_t mask) { return (mask >> entry & 1) != 0; };
    if (isSet(slice->ellipsisMask)) {
      keep(*ellipsis);
      continue;
    }
    if (isSet(slice->newAxisMask)) {
      shape.push_back(1);
      continue;
    }
    int64_t dim = getShape(x)[begin.size()], first = slice->begin[entry], step = slice->strides[entry];
    if (isSet(slice->shrinkMask)) {
      if (first < -dim || first >= dim) {
        node.error() << node.nameOf(1) << " must lie between " << -dim << " and " << dim - 1 << " along axis "
                     << begin.size() << " of " << describe(x) << ", but is " << first;
        return;
      }
      begin.push_back(first < 0 ? first + dim : first);
      sizes.push_back(1);
      steps.push_back(1);
      continue;
    }
    // Backwards from before the first element there is none.
    if (step < 0 && !isSet(slice->beginMask) && first < -dim)
      dim = 0;
    int64_t from = isSet(slice->beginMask) ? (step > 0 ? 0 : dim - 1) : first;
    int64_t to = isSet(slice->endMask) ? (step > 0 ? dim : -dim - 1) : slice->end[entry];
    SliceRange range = clampRange(from, to, step, dim);
    begin.push_back(range.size ? range.start : 0);
    sizes.push_back(range.size);
    steps.push_back(range.size > 1 ? step : 1);
    shape.push_back(range.size);
  }
  keep(getRank(x) - static_cast<int64_t>(begin.size()));
  node.setResult(node.nn.reshape(node.nn.slice(x, begin, sizes, steps), shape));
}

//===----------------------------------------------------------------------===//
// 3. More elements, another order
//===----------------------------------------------------------------------===//

/// What operand `index` holds for each axis of `rank`: two numbers, 0 or more, as low and high ones; fails after an error.
FailureOr<std::pair<SmallVector<int64_t>, SmallVector<int64_t>>> readPairs(OperandBinder &node, size_t index,
                                                                           int64_t rank) {
  Value pairs = node.getOperand(index);
  if (!node.checkShape(index, {rank, 2}, "two numbers for each axis"))
    return failure();
  SmallVector<int64_t> low, high;
  FailureOr<SmallVector<int64_t>> numbers = node.getIntegers(index, /*mostAxes=*/2);
  if (failed(numbers))
    return failure();
  for (size_t at = 0; at + 1 < numbers->size(); at += 2) {
    low.push_back((*numbers)[at]);
    high.push_back((*numbers)[at + 1]);
  }
  if (llvm::any_of(*numbers, [](int64_t number) { return number < 0 || number > INT32_MAX; }))
    return node.error() << node.nameOf(index) << " must hold numbers from 0 to " << INT32_MAX << ", but "
                        << describe(pairs) << " is [" << Ints(*numbers) << "]";
  return std::pair(std::move(low), std::move(high));
}

void importPad(OperandBinder &node, nn::PadMode mode) {
  auto pads = readPairs(node, 1, getRank(node.getOperand(0)));
  if (succeeded(pads))
    padOperand(node, mode, pads->first, pads->second, /*value=*/0);
}

/// With a value that may be computed.
void importPadV2(OperandBinder &node) {
  Value x = node.getOperand(0), value = node.getOperand(2);
  auto pads = readPairs(node, 1, getRank(x));
  if (failed(pads) || !node.checkShape(2, {}, "one element"))
    return;
  if (getConstant(value)) {
    if (FailureOr<double> number = node.getNumber(2); succeeded(number))
      padOperand(node, nn::PadMode::Constant, pads->first, pads->second, *number);
  } else if (checkRule(node, nn::padShape(getShape(x), pads->first, pads->second, nn::PadReach::Any))) {
    node.setResult(padWith(node.nn, x, pads->first, pads->second, value));
  }
}

void importMirrorPad(OperandBinder &node) {
  bool repeatsEdge = node.getChoice("mode", {"REFLECT", "SYMMETRIC"}) == "SYMMETRIC";
  importPad(node, repeatsEdge ? nn::PadMode::Symmetric : nn::PadMode::Reflect);
}

void importReverse(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> given = node.getIntegers(1);
  if (failed(given))
    return;
  FailureOr<SmallVector<int64_t>> axes = node.getAxes(*given, getRank(x));
  if (succeeded(axes))
    node.setResult(reverse(node.nn, x, *axes));
}

void importRoll(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> shifts = node.getIntegers(1), axes = node.getIntegers(2);
  if (failed(shifts) || failed(axes))
    return;
  if (shifts->size() != axes->size()) {
    node.error() << node.nameOf(1) << " must have a number for each of " << axes->size() << " axes, but has "
                 << shifts->size();
    return;
  }
  for (auto [shift, given] : llvm::zip_equal(*shifts, *axes)) {
    FailureOr<int64_t> axis = node.getAxis(given, getRank(x));
    if (failed(axis))
      return;
    x = roll(node.nn, x, *axis, shift);
  }
  node.setResult(x);
}

} // namespace

void registerParts(ImportRegistry &registry) {
  registry.add("Concat", 1, {{"concat_dim", Holds::Indices}, {"values..."}},
               [](OperandBinder &node) { importConcat(node, /*isAxisFirst=*/true); });
  registry.add("ConcatV2", 1, {{"values_and_axis..."}},
               [](OperandBinder &node) { importConcat(node, /*isAxisFirst=*/false); });
  registry.add("ParallelConcat", 1, {{"values...", Holds::Anything, 'T'}}, importParallelConcat);
  registry.add("Pack", 1, {{"values...", Holds::Anything, 'T'}}, importPack);
  registry.add("Unpack", 1, {{"value"}}, importUnpack);
  registry.add("Split", 1, {{"split_dim", Holds::Indices}, {"value"}}, importSplit);
  registry.add("SplitV", 1, {{"value"}, {"size_splits", Holds::Indices}, {"split_dim", Holds::Indices}}, importSplitV);
  registry.add("Slice", 1, {{"input"}, {"begin", Holds::Indices}, {"size", Holds::Indices}}, importSlice);
  registry.add("StridedSlice", 1,
               {{"input"}, {"begin", Holds::Integers}, {"end", Holds::Integers}, {"strides", Holds::Integers}},
               importStridedSlice);
  registry.add("Pad", 1, {{"input"}, {"paddings", Holds::Indices}},
               [](OperandBinder &node) { importPad(node, nn::PadMode::Constant); });
  registry.add(
      "PadV2", 1,
      {{"input", Holds::Anything, 'T'}, {"paddings", Holds::Indices}, {"constant_values", Holds::Anything, 'T'}},
      importPadV2);
  registry.add("MirrorPad", 1, {{"input"}, {"paddings", Holds::Indices}}, importMirrorPad);
  registry.add("ReverseV2", 1, {{"tensor"}, {"axis", Holds::Indices}}, importReverse);
  registry.add("Roll", 1, {{"input"}, {"shift", Holds::Indices}, {"axis", Holds::Indices}}, importRoll);
}

} // namespace nacre::importer::tensorflow_format
