// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshapes and reorders operands, with the checks that every format needs.

#include "compiler/import/operands/Shapes.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/operands/Axes.h"

#include "compiler/import/builder/OpenWeights.h"
#include "compiler/import/compositions/Movement.h"
#include "compiler/import/options/Limits.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer {

bool checkRule(OperandBinder &node, llvm::Expected<nn::Shape> shape) {
  if (shape)
    return node.checkFits(*shape);
  node.error() << llvm::toString(shape.takeError());
  return false;
}

FailureOr<SmallVector<int64_t>> readShape(OperandBinder &node, size_t index) {
  FailureOr<SmallVector<int64_t>> shape = node.getIntegers(index);
  if (failed(shape))
    return failure();
  if (llvm::any_of(*shape, [](int64_t dim) { return dim < 0; }) || !nn::countElements(*shape))
    return node.error() << node.nameOf(index) << " must hold non-negative sizes that fit into memory, but holds ["
                        << Ints(*shape) << "]";
  return shape;
}

/// Returns advice for a shape that contains the batch of the export, if the model is trained with another batch.
static std::string adviseOnBatch(OperandBinder &node) {
  OpenWeights *weights = node.nn.getWeights();
  if (!weights || weights->getNewBatch() == 0 || !weights->isOfInputs(node.getOperand(0)))
    return "";
  return "; it must not contain the exported batch size if the model is trained with a batch of " +
         std::to_string(weights->getNewBatch()) +
         ": give all entries that batch, with --shape instead of --train-batch; or use flatten(1) or -1 for the batch "
         "and export the model again; or set an input's batch axis with --batch-axis=<input>:<axis>";
}

void reshapeToSizes(OperandBinder &node, const std::string &name, SmallVector<Size> sizes, bool zeroIsZero) {
  Value x = node.getOperand(0);
  const SmallVector<Size> from = node.nn.getSizes(x);
  Size *unknown = nullptr;
  SmallVector<Size> known;
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    if (!size.count && size.bound == 0 && !zeroIsZero && axis < from.size())
      size = from[axis];
    if (size.bound == -1 && !unknown) {
      unknown = &size;
      continue;
    }
    if (size.bound < 0) {
      node.error() << name << " must hold sizes, of which one may be -1, but has another negative number";
      return;
    }
    known.push_back(size);
  }
  const std::optional<Size> rest = node.nn.divideSizes(from, known);
  if (!rest || (!unknown && (rest->count || rest->bound != 1))) {
    node.nn.refuseOpen(x);
    return node.fail();
  }
  if (unknown)
    *unknown = *rest;
  if (node.checkFits(llvm::map_to_vector(sizes, [](const Size &size) { return size.bound; })))
    node.setResult(node.nn.reshapeTo(x, sizes));
}

void reshapeOperand(OperandBinder &node, const std::string &name, SmallVector<int64_t> shape, bool zeroIsZero) {
  Value x = node.getOperand(0);
  if (node.nn.isOpen(x))
    return reshapeToSizes(node, name, llvm::map_to_vector(shape, [](int64_t size) { return Size{size, Value()}; }),
                          zeroIsZero);
  const SmallVector<int64_t> given = shape;
  int64_t known = 1, *unknown = nullptr;
  for (auto [axis, dim] : llvm::enumerate(shape)) {
    if (dim == 0 && !zeroIsZero) {
      if (static_cast<int64_t>(axis) >= getRank(x)) {
        node.error() << name << " must copy, with a 0, only axes that " << node.nameOf(0) << " has, but is ["
                     << Ints(given) << "] for " << describe(x);
        return;
      }
      dim = getShape(x)[axis];
    }
    if (dim == -1 && !unknown) {
      unknown = &dim;
    } else if (dim < 0 || llvm::MulOverflow(known, dim, known)) {
      node.error() << name << " must hold sizes, of which one may be -1, but is [" << Ints(given) << "]";
      return;
    }
  }
  if (unknown) {
    int64_t count = getType(x).getNumElements();
    if (known == 0 || count % known) {
      node.error() << name << " must divide the " << describeCount(count, "element") << " of " << describe(x)
                   << " if it leaves a size open with -1, but is [" << Ints(given) << "]" << adviseOnBatch(node);
      return;
    }
    *unknown = count / known;
  }
  if (!node.checkFits(shape))
    return;
  if (*nn::countElements(shape) != getType(x).getNumElements()) {
    node.error() << name << " must hold as many elements as " << node.nameOf(0) << ", " << getType(x).getNumElements()
                 << ", but is [" << Ints(given) << "] for " << describe(x) << adviseOnBatch(node);
    return;
  }
  // The size -1 would absorb the change of the batch. Then each example would become a part of another one, and later
  // results would be wrong.
  if (OpenWeights *weights = node.nn.getWeights();
      weights && unknown && given.front() > 0 && weights->isOldBatch(x, given.front())) {
    node.error() << name << " must keep the batch axis of " << describe(x) << " separate, but is [" << Ints(given)
                 << "]" << adviseOnBatch(node);
    return;
  }
  node.setResult(node.nn.reshape(x, shape));
}

void insertAxis(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = readAxis(node, 1, getRank(x) + 1);
  if (failed(axis) || !node.checkRank(0, 0, maxRank - 1))
    return;
  SmallVector<int64_t> shape(getShape(x));
  shape.insert(shape.begin() + *axis, 1);
  node.setResult(node.nn.reshape(x, shape));
}

void removeAxes(OperandBinder &node, std::optional<Ints> given) {
  Value x = node.getOperand(0);
  SmallVector<int64_t> axes;
  if (given) {
    FailureOr<SmallVector<int64_t>> normal = node.getAxes(*given, getRank(x));
    if (failed(normal))
      return;
    axes = std::move(*normal);
  }
  SmallVector<int64_t> shape;
  for (auto [axis, dim] : llvm::enumerate(getShape(x))) {
    bool isNamed = llvm::is_contained(axes, static_cast<int64_t>(axis));
    if (isNamed && dim != 1) {
      node.error() << "axis " << axis << " must have size 1 to be removed, but has " << dim << " in " << describe(x);
      return;
    }
    if (given ? !isNamed : dim != 1)
      shape.push_back(dim);
  }
  node.setResult(node.nn.reshape(x, shape));
}

void transposeAxes(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> order = readAxes(node, 1, getRank(x));
  if (failed(order))
    return;
  if (static_cast<int64_t>(order->size()) == getRank(x))
    node.setResult(node.nn.transpose(x, *order));
  else
    node.error() << node.nameOf(1) << " must name each axis of " << describe(x) << " once, but is [" << Ints(*order)
                 << "]";
}

void reverseAxes(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> axes = readAxes(node, 1, getRank(x));
  if (succeeded(axes))
    node.setResult(reverse(node.nn, x, *axes));
}

void reverseSequences(OperandBinder &node, int64_t timeAxis, int64_t batchAxis) {
  Value x = node.getOperand(0);
  FailureOr<int64_t> time = node.getAxis(timeAxis, getRank(x)), batch = node.getAxis(batchAxis, getRank(x));
  if (failed(time) || failed(batch))
    return;
  if (*time == *batch) {
    node.error() << "the time and batch axes must differ, but both are " << *time;
    return;
  }
  Ints shape = getShape(x);
  if (node.checkShape(1, shape[*batch], "the length of each sequence") &&
      node.allowsConstant(shape[*time] + shape[*batch], sizeof(int64_t)))
    node.setResult(reverseSequence(node.nn, x, node.getOperand(1), *batch, *time));
}

bool broadcastToSizes(OperandBinder &node, Value x, ArrayRef<Size> given) {
  if (!x)
    return true; // an error was reported
  const SmallVector<Size> own = node.nn.getSizes(x);
  SmallVector<Size> sizes(std::max(own.size(), given.size()), Size{1, Value()}), added(sizes.size(), Size());
  llvm::copy(given, sizes.end() - given.size());
  SmallVector<int64_t> bounds;
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    const int64_t ofOwn = static_cast<int64_t>(axis + own.size()) - static_cast<int64_t>(sizes.size());
    const Size before = ofOwn < 0 ? Size{1, Value()} : own[ofOwn];
    const bool keeps = !size.count && (size.bound == 1 || size.bound == -1);
    if (keeps || (size.count == before.count && size.bound == before.bound))
      size = before;
    else if (!before.count && before.bound == 1 && size.bound >= 0)
      added[axis] = size;
    else
      return false;
    bounds.push_back(size.bound);
  }
  if (!node.checkFits(bounds))
    return true;
  // An axis of one element may stay as it is. Its users then read all of it, so the result is another value.
  Value result = node.nn.broadcast(x, bounds);
  auto isOpen = [](const Size &size) { return bool(size.count); };
  if (result == x && llvm::any_of(added, isOpen))
    result = node.nn.gather(x, node.nn.integers(0), static_cast<int64_t>(llvm::find_if(added, isOpen) - added.begin()));
  node.setResult(node.nn.limitTo(result, added));
  return true;
}

void broadcastOperand(OperandBinder &node) {
  if (!getConstant(node.getOperand(1)))
    if (std::optional<SmallVector<Size>> sizes = node.nn.readSizes(node.getOperand(1));
        sizes && broadcastToSizes(node, node.getOperand(0), *sizes))
      return;
  FailureOr<SmallVector<int64_t>> shape = readShape(node, 1);
  if (succeeded(shape) && node.checkBroadcastsTo(0, *shape, node.nameOf(1)))
    node.setResult(node.nn.broadcast(node.getOperand(0), *shape));
}

bool countToSize(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  if (!getConstant(node.getOperand(0)) || getConstant(node.getOperand(1)) || !getConstant(node.getOperand(2)) ||
      isFloat(node.getOperand(0)))
    return false;
  std::optional<SmallVector<Size>> limit = nn.readSizes(node.getOperand(1));
  if (!limit || limit->size() != 1)
    return false;
  FailureOr<int64_t> start = node.getInteger(0), delta = node.getInteger(2);
  if (failed(start) || failed(delta))
    return true;
  if (*delta <= 0 || *start < 0)
    return false;
  const Size end = limit->front();
  // Larger numbers mean the same, and may overflow.
  start = std::min(*start, std::max<int64_t>(end.bound, 0));
  delta = std::min(*delta, std::max<int64_t>(end.bound, 1));
  Value count = end.count ? end.count : nn.reshape(nn.integers(end.bound), /*shape=*/{});
  if (*start != 0 || *delta != 1) {
    Value distance = nn.add(count, static_cast<double>(*delta - 1 - *start));
    count = nn.div(nn.binary(nn::BinaryKind::Max, distance, 0.0), static_cast<double>(*delta));
  }
  const int64_t bound = std::max<int64_t>(llvm::divideCeil(std::max<int64_t>(end.bound - *start, 0), *delta), 0);
  Value numbers = nn.counting(bound);
  if (*start != 0 || *delta != 1)
    numbers = nn.add(nn.mul(numbers, static_cast<double>(*delta)), static_cast<double>(*start));
  node.setResult(nn.limit(nn.cast(numbers, getElementType(node.getOperand(0))), 0, count));
  return true;
}

/// Repeats axes like repeatAxes(), some of them as often as a run decides.
static void repeatToSizes(OperandBinder &node, ArrayRef<Size> repeats) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  SmallVector<Size> split, repeated, merged;
  std::optional<int64_t> openAxis; // of the repeated axes
  for (auto [repeat, own] : llvm::zip_equal(repeats, nn.getSizes(x))) {
    if (!repeat.count && repeat.bound == 1) {
      for (SmallVector<Size> *sizes : {&split, &repeated, &merged})
        sizes->push_back(own);
      continue;
    }
    if (repeat.count)
      openAxis = static_cast<int64_t>(repeated.size());
    split.append({Size{1, Value()}, own});
    repeated.append({repeat, own});
    Size all{0, repeat.count};
    if (llvm::MulOverflow(repeat.bound, own.bound, all.bound))
      all.bound = INT64_MAX; // fits into no memory
    if (own.count)
      all.count = repeat.count ? nn.mul(repeat.count, own.count) : nn.mul(own.count, static_cast<double>(repeat.bound));
    else if (repeat.count)
      all.count = nn.mul(repeat.count, static_cast<double>(own.bound));
    merged.push_back(all);
  }
  auto boundsOf = [](ArrayRef<Size> sizes) {
    return llvm::map_to_vector(sizes, [](const Size &size) { return size.bound; });
  };
  if (!node.checkFits(boundsOf(merged)) || !node.checkFits(boundsOf(repeated)))
    return;
  Value parts = nn.reshapeTo(x, split);
  Value copies = nn.broadcast(parts, boundsOf(repeated));
  if (copies && copies == parts && openAxis) // nothing is repeated twice, and other users read all of `parts`
    copies = nn.gather(parts, nn.integers(0), *openAxis);
  node.setResult(nn.reshapeTo(nn.limitTo(copies, repeated), merged));
}

bool repeatBySizes(OperandBinder &node) {
  Value repeats = node.getOperand(1);
  if (!repeats || getConstant(repeats) || 2 * getRank(node.getOperand(0)) > maxRank)
    return false;
  std::optional<SmallVector<Size>> sizes = node.nn.readSizes(repeats);
  if (!sizes || static_cast<int64_t>(sizes->size()) != getRank(node.getOperand(0)) ||
      llvm::any_of(*sizes, [](const Size &size) { return size.bound < 0 || size.bound > INT32_MAX; }))
    return false;
  repeatToSizes(node, *sizes);
  return true;
}

void repeatOperand(OperandBinder &node) {
  if (repeatBySizes(node))
    return;
  FailureOr<SmallVector<int64_t>> repeats = node.getIntegers(1);
  if (succeeded(repeats))
    repeatAxes(node, *repeats);
}

void repeatAxes(OperandBinder &node, Ints repeats) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  if (static_cast<int64_t>(repeats.size()) != getRank(x) ||
      llvm::any_of(repeats, [](int64_t repeat) { return repeat < 0 || repeat > INT32_MAX; })) {
    node.error() << node.nameOf(1) << " must hold a non-negative number for each axis of " << describe(x)
                 << ", but is [" << repeats << "]";
    return;
  }
  if (2 * getRank(x) > maxRank) {
    node.checkRank(0, 0, maxRank / 2);
    return;
  }
  SmallVector<int64_t> split, repeated, merged;
  for (auto [repeat, dim] : llvm::zip_equal(repeats, getShape(x))) {
    if (repeat != 1) {
      split.push_back(1);
      repeated.push_back(repeat);
    }
    split.push_back(dim);
    repeated.push_back(dim);
    int64_t product;
    if (llvm::MulOverflow(dim, repeat, product)) {
      node.error() << "the result must fit into memory, but has an axis of " << dim << " times "
                   << describeCount(repeat, "element");
      return;
    }
    merged.push_back(product);
  }
  if (node.checkFits(merged) && node.checkFits(repeated))
    node.setResult(nn.reshape(nn.broadcast(nn.reshape(x, split), repeated), merged));
}

} // namespace nacre::importer
