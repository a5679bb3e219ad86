// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers that move elements, or that only change names or shapes.

#include "compiler/import/caffe/Handlers.h"
#include "compiler/import/caffe/operators/Windows.h"
#include "compiler/import/messages/TypeNames.h"
#include "dialects/nn/shapes/ShapeRules.h"

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

/// Returns the axis of a layer, whose parameter was once called `former`.
FailureOr<int64_t> readAxis(OperandBinder &node, StringRef former) {
  int64_t axis = node.has(former) ? node.getInt(former, 1) : node.getInt("axis", 1);
  return node.getAxis(axis, getRank(node.getOperand(0)));
}

void importConcat(OperandBinder &node) {
  FailureOr<int64_t> axis = readAxis(node, "concat_dim");
  if (failed(axis))
    return;
  SmallVector<int64_t> shape(getShape(node.getOperand(0)));
  for (size_t index = 1; index < node.getNumOperands(); ++index) {
    Ints other = getShape(node.getOperand(index));
    SmallVector<int64_t> wanted(shape);
    if (other.size() == shape.size())
      wanted[*axis] = other[*axis];
    if (!node.checkShape(index, wanted, "that of the first bottom along all other axes"))
      return;
    shape[*axis] += other[*axis];
    if (!node.checkFits(shape))
      return;
  }
  node.setResult(node.nn.concat(SmallVector<Value>(node.getOperands()), *axis));
}

/// Slices at given points, or into equal parts, one for each top.
void importSlice(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = readAxis(node, "slice_dim");
  if (failed(axis))
    return;
  const auto tops = static_cast<int64_t>(node.getNumResults());
  const int64_t size = getShape(x)[*axis];
  SmallVector<int64_t> points = node.getInts("slice_point");
  if (points.empty() && tops > 0 && size % tops == 0)
    for (int64_t top = 1; top < tops; ++top)
      points.push_back(size / tops * top);
  points.insert(points.begin(), 0);
  points.push_back(size);
  if (static_cast<int64_t>(points.size()) != tops + 1 || !llvm::is_sorted(points)) {
    node.error() << "parameter 'slice_point' must divide the " << describeCount(size, "element") << " of axis " << *axis
                 << " of " << describe(x) << " into " << describeCount(tops, "part") << ", one for each top";
    return;
  }
  for (int64_t top = 0; top < tops; ++top)
    node.setResult(top, node.nn.slice(x, *axis, points[top], points[top + 1] - points[top]));
}

/// Sets every top to the bottom.
void importCopies(OperandBinder &node) {
  for (size_t index = 0; index < node.getNumResults(); ++index)
    node.setResult(index, node.getOperand(0));
}

/// Reshapes operand 0. Reports an error and returns false if the number of elements differs.
bool reshapeTo(OperandBinder &node, Ints shape) {
  Value x = node.getOperand(0);
  if (nn::countElements(shape) != getType(x).getNumElements()) {
    node.error() << "the shape " << describeShape(shape) << " must have as many elements as " << describe(x);
    return false;
  }
  node.setResult(node.nn.reshape(x, shape));
  return true;
}

/// Reshapes the axes [axis, axis + num_axes). A size of 0 keeps the old size, and a size of -1 is the rest.
void importReshape(OperandBinder &node) {
  Value x = node.getOperand(0);
  Ints from = getShape(x);
  const int64_t rank = getRank(x);
  int64_t first = node.getInt("axis", 0), count = node.getInt("num_axes", -1);
  SmallVector<int64_t> dims = node.getInts("shape");
  if (first < 0)
    first += rank + 1;
  if (count == -1)
    count = rank - first;
  if (first < 0 || count < 0 || first + count > rank) {
    node.error() << "parameters 'axis' and 'num_axes' must name axes of " << describe(x);
    return;
  }
  SmallVector<int64_t> shape(from.take_front(first));
  int64_t open = -1, known = 1;
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    int64_t place = first + static_cast<int64_t>(axis);
    if (dim < -1 || (dim == 0 && place >= rank) || (dim == -1 && open >= 0)) {
      node.error() << "parameter 'shape' must hold sizes, with 0 to copy one of " << describe(x)
                   << " and -1 for at most one, but is " << describeShape(dims);
      return;
    }
    if (dim == -1)
      open = static_cast<int64_t>(shape.size());
    shape.push_back(dim == 0 ? from[place] : dim == -1 ? 1 : dim);
  }
  llvm::append_range(shape, from.drop_front(first + count));
  std::optional<int64_t> others = nn::countElements(shape);
  known = others.value_or(0);
  if (open >= 0 && known > 0)
    shape[open] = getType(x).getNumElements() / known;
  reshapeTo(node, shape);
}

void importFlatten(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<int64_t> first = node.getAxis(node.getInt("axis", 1), getRank(x));
  FailureOr<int64_t> last = node.getAxis(node.getInt("end_axis", -1), getRank(x));
  if (failed(first) || failed(last))
    return;
  if (*first > *last) {
    node.error() << "parameter 'end_axis' must not be before 'axis', but they are " << *last << " and " << *first;
    return;
  }
  SmallVector<int64_t> shape(getShape(x).take_front(*first));
  shape.push_back(*nn::countElements(getShape(x).slice(*first, *last - *first + 1)));
  llvm::append_range(shape, getShape(x).drop_front(*last + 1));
  reshapeTo(node, shape);
}

/// Permutes axes. Axes that are not named follow in order.
void importPermute(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> order = node.getAxes(node.getInts("order"), getRank(x));
  if (failed(order))
    return;
  for (int64_t axis = 0; axis < getRank(x); ++axis)
    if (!llvm::is_contained(*order, axis))
      order->push_back(axis);
  node.setResult(node.nn.transpose(x, *order));
}

/// Crops the first bottom to the sizes of the second bottom, from `axis` on.
void importCrop(OperandBinder &node) {
  Value x = node.getOperand(0), like = node.getOperand(1);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 2), getRank(x));
  if (failed(axis) || !node.checkRank(1, getRank(x), getRank(x)))
    return;
  SmallVector<int64_t> offsets = node.getInts("offset"), starts(getRank(x), 0), sizes(getShape(x)),
                       steps(getRank(x), 1);
  const auto cropped = static_cast<size_t>(getRank(x) - *axis);
  if (offsets.empty())
    offsets = {0};
  if (offsets.size() == 1)
    offsets.assign(cropped, offsets.front());
  if (offsets.size() != cropped) {
    node.error() << "parameter 'offset' must be one number, or one for each of the " << cropped << " axes from "
                 << *axis << " on, but has " << offsets.size();
    return;
  }
  for (size_t i = 0; i < cropped; ++i) {
    starts[*axis + i] = offsets[i];
    sizes[*axis + i] = getShape(like)[*axis + i];
    if (offsets[i] + sizes[*axis + i] > getShape(x)[*axis + i]) {
      node.error() << "the part must lie within " << describe(x) << ", but has "
                   << describeCount(sizes[*axis + i], "element") << " from " << offsets[i] << " on along axis "
                   << *axis + i;
      return;
    }
  }
  node.setResult(node.nn.slice(x, starts, sizes, steps));
}

void importTile(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 1), getRank(x));
  int64_t tiles = node.getInt("tiles", 0);
  if (failed(axis))
    return;
  if (tiles < 1 || tiles > INT32_MAX) {
    node.error() << "parameter 'tiles' must be from 1 to " << INT32_MAX << ", but is " << tiles;
    return;
  }
  SmallVector<int64_t> apart(getShape(x)), wide, shape(getShape(x));
  apart.insert(apart.begin() + *axis, 1);
  wide = apart;
  wide[*axis] = tiles;
  if (!node.checkFits(wide))
    return;
  shape[*axis] *= tiles;
  node.setResult(node.nn.reshape(node.nn.broadcast(node.nn.reshape(x, apart), wide), shape));
}

/// Gathers the images whose indices are in the second bottom.
void importBatchReindex(OperandBinder &node) {
  if (node.checkRank(0, 1) && node.checkRank(1, 1, 1))
    node.setResult(
        node.nn.gather(node.getOperand(0), node.nn.cast(node.getOperand(1), node.nn.types().getI64Type()), 0));
}

} // namespace

void registerMovement(ImportRegistry &registry) {
  const Signature one{{"bottom", Holds::Floats}};
  registry.add("BatchReindex", 1, {{"bottom", Holds::Floats}, {"images", Holds::Floats}}, importBatchReindex);
  registry.add("Concat", 1, {{"bottoms...", Holds::Floats}}, importConcat);
  registry.add("Crop", 1, {{"bottom", Holds::Floats}, {"like", Holds::Floats}}, importCrop);
  registry.add("Dropout", 1, one, importCopies);
  registry.add("Flatten", 1, one, importFlatten);
  registry.add("Permute", 1, one, importPermute);
  registry.add("Reshape", 1, one, importReshape);
  registry.add("Slice", 1, one, importSlice);
  registry.add("Split", 1, one, importCopies);
  registry.add("Tile", 1, one, importTile);
}

} // namespace nacre::importer::caffe_format
