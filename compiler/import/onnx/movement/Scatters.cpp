// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements and slices at computed positions: GatherElements, GatherND, Scatter*, TensorScatter, MaxUnpool, Col2Im.

#include "compiler/import/compositions/Scatters.h"
#include "compiler/import/builder/IndexNotes.h"
#include "compiler/import/compositions/Movement.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/movement/Handlers.h"
#include "compiler/import/operands/Shapes.h"

#include "dialects/nn/shapes/ShapeRules.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

//===----------------------------------------------------------------------===//
// Gathers and scatters
//===----------------------------------------------------------------------===//

/// True if an operand has an open axis.
bool isAnyOpen(OperandBinder &node) {
  return llvm::any_of(node.getOperands(), [&](Value operand) { return node.nn.isOpen(operand); });
}

void importGatherElements(OperandBinder &node) {
  Value x = node.getOperand(0), indices = node.getOperand(1);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(x));
  if (failed(axis) || !checkRule(node, nn::gatherElementsShape(getShape(x), getShape(indices), *axis)))
    return;
  if (node.nn.isOpen(x)) {
    indices = countFromFront(node.nn, x, indices, *axis, /*axes=*/1);
    x = fillOpenAxes(node.nn, x, 0);
  }
  node.setResult(node.nn.infer<nn::GatherElementsOp>(x, indices, *axis));
}

void importGatherNd(OperandBinder &node) {
  Value x = node.getOperand(0), indices = node.getOperand(1);
  const int64_t batches = node.getInt("batch_dims", 0);
  if (!checkRule(node, nn::gatherNdShape(getShape(x), getShape(indices), batches)))
    return;
  const int64_t coordinates = getShape(indices).back();
  const nn::AxisCounts counts = node.nn.getCounts(x);
  if (!counts.empty() && batches == 0 && coordinates > 0) {
    indices = countFromFront(node.nn, x, indices, /*first=*/0, coordinates);
    for (int64_t axis = 0; axis < coordinates; ++axis)
      if (counts[axis] && x)
        x = node.nn.fillUp(x, axis, node.nn.scalar(x, 0));
  }
  node.setResult(node.nn.infer<nn::GatherNdOp>(x, indices, batches));
}

/// Returns the operation that combines updates with elements, or `nullopt` after an error.
std::optional<nn::ScatterKind> getReduction(OperandBinder &node) {
  StringRef name = node.getChoice("reduction", {"none", "add", "mul", "max", "min"});
  const nn::ScatterKind kind = name == "none" ? nn::ScatterKind::Set : *nn::symbolizeScatterKind(name);
  if (node.hasFailed())
    return std::nullopt;
  if (getElementType(node.getOperand(0)).isInteger(1) &&
      (kind == nn::ScatterKind::Add || kind == nn::ScatterKind::Mul)) {
    node.error() << "attribute 'reduction' must be 'none', 'max' or 'min' for booleans, but is '" << name << "'";
    return std::nullopt;
  }
  return kind;
}

/// Sets the result to `x` with `updates` at `indices`, whose last axis holds coordinates of slices of `x`.
void scatterAt(OperandBinder &node, nn::ScatterKind kind, Value x, Value indices, Value updates) {
  auto scatter = [&](Value x, Value indices, Value updates) {
    return node.nn.infer<nn::ScatterNdOp>(kind, x, indices, updates);
  };
  const int64_t coordinates = getShape(indices).back();
  node.setResult(isAnyOpen(node) && coordinates > 0
                     ? scatterOpen(node.nn, x, indices, updates, /*axis=*/0, coordinates, scatter)
                     : scatter(x, indices, updates));
}

/// Returns the index of each row, [N, 1], if `indices` along axis 0 are the same in a whole row, because they were
/// broadcast. PyTorch writes such an Expand before ScatterElements. Returns null if they are not.
Value findRows(NnBuilder &nn, Value x, Value indices, Value updates) {
  auto broadcast = indices.getDefiningOp<nn::BroadcastOp>();
  if (!broadcast || getShape(indices) != getShape(updates) || getRank(broadcast.getOperand()) != getRank(indices) ||
      getShape(indices).drop_front() != getShape(x).drop_front())
    return {};
  const SmallVector<Size> from = nn.getSizes(broadcast.getOperand()), sizes = nn.getSizes(indices),
                          all = nn.getSizes(x);
  auto isOne = [](const Size &size) { return !size.count && size.bound == 1; };
  auto isOpen = [](const Size &size) { return bool(size.count); };
  if (from[0].bound != sizes[0].bound || from[0].count != sizes[0].count ||
      !llvm::all_of(ArrayRef(from).drop_front(), isOne) || llvm::any_of(ArrayRef(sizes).drop_front(), isOpen) ||
      llvm::any_of(ArrayRef(all).drop_front(), isOpen))
    return {};
  return nn.reshapeTo(broadcast.getOperand(), {sizes[0], Size{1, Value()}});
}

void importScatterElements(OperandBinder &node) {
  Value x = node.getOperand(0), indices = node.getOperand(1), updates = node.getOperand(2);
  std::optional<nn::ScatterKind> kind = getReduction(node);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(x));
  if (!kind || failed(axis) ||
      !checkRule(node, nn::scatterElementsShape(getShape(x), getShape(indices), getShape(updates), *axis)))
    return;
  if (*axis == 0)
    if (Value rows = findRows(node.nn, x, indices, updates))
      return scatterAt(node, *kind, x, rows, updates);
  auto scatter = [&](Value x, Value indices, Value updates) {
    return node.nn.infer<nn::ScatterElementsOp>(*kind, x, indices, updates, *axis);
  };
  node.setResult(isAnyOpen(node) ? scatterOpen(node.nn, x, indices, updates, *axis, /*coordinates=*/1, scatter)
                                 : scatter(x, indices, updates));
}

void importScatterNd(OperandBinder &node) {
  Value x = node.getOperand(0), indices = node.getOperand(1), updates = node.getOperand(2);
  std::optional<nn::ScatterKind> kind = getReduction(node);
  if (!kind || !checkRule(node, nn::scatterNdShape(getShape(x), getShape(indices), getShape(updates))))
    return;
  scatterAt(node, *kind, x, indices, updates);
}

/// Writes to a cache of keys or values, from a different position on for each sequence of the batch.
void importTensorScatter(OperandBinder &node) {
  Value cache = node.getOperand(0), update = node.getOperand(1), begins = node.getOperand(2);
  const bool circular = node.getChoice("mode", {"linear", "circular"}) == "circular";
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", -2), getRank(cache));
  if (failed(axis) || node.hasFailed())
    return;
  if (*axis == 0) {
    node.error() << "attribute 'axis' must not be the batch axis 0";
    return;
  }
  SmallVector<int64_t> wanted(getShape(cache));
  if (getRank(update) == getRank(cache))
    wanted[*axis] = std::min(wanted[*axis], getShape(update)[*axis]);
  if (!node.checkShape(1, wanted, "like the cache, and no longer along the axis") ||
      !node.checkShape(2, getShape(cache).take_front(1), "a start for each batch"))
    return;
  if (getShape(update)[*axis] == 0 || getShape(cache)[*axis] == 0) {
    node.setResult(cache);
    return;
  }
  for (int64_t size : getShape(update).take_front(*axis + 1))
    if (!node.allowsConstant(size, sizeof(int64_t)))
      return;
  if (!begins)
    begins = node.nn.splat(RankedTensorType::get(getShape(cache).take_front(1), node.nn.types().getI64Type()), 0);
  node.setResult(placeRows(node.nn, cache, update, begins, *axis, circular));
}

//===----------------------------------------------------------------------===//
// Inverse windows
//===----------------------------------------------------------------------===//

/// Returns the shape that the windows cover. The pooled tensor may have been larger.
FailureOr<SmallVector<int64_t>> inferUnpooled(OperandBinder &node) {
  Value x = node.getOperand(0);
  const size_t spatial = getRank(x) - 2;
  SmallVector<int64_t> kernel = node.getSizes("kernel_shape", spatial, 1, 1),
                       strides = node.getSizes("strides", spatial, 1, 1),
                       pads = node.getSizes("pads", 2 * spatial, 0, 0), shape(getShape(x).take_front(2));
  if (node.hasFailed())
    return failure();
  for (size_t axis = 0; axis < spatial; ++axis) {
    int64_t size;
    if (llvm::MulOverflow(getShape(x)[axis + 2] - 1, strides[axis], size))
      size = INT64_MAX / 2;
    shape.push_back(std::max<int64_t>(0, size + kernel[axis] - pads[axis] - pads[spatial + axis]));
  }
  return shape;
}

/// Returns the shape in the operand output_shape, whose spatial axes must be at least `least`. Returns `covered` if
/// that operand is missing.
FailureOr<SmallVector<int64_t>> readUnpooled(OperandBinder &node, Ints covered, Ints least) {
  if (!node.getOperand(2))
    return SmallVector<int64_t>(covered);
  FailureOr<SmallVector<int64_t>> wanted = node.getIntegers(2);
  if (failed(wanted))
    return failure();
  if (wanted->size() == least.size() && Ints(*wanted).take_front(2) == least.take_front(2) &&
      llvm::all_of(llvm::zip_equal(*wanted, least),
                   [](auto sizes) { return std::get<0>(sizes) >= std::get<1>(sizes); }))
    return wanted;
  return node.error() << node.nameOf(2) << " must be [" << least << "] or larger along spatial axes, but is ["
                      << Ints(*wanted) << "]";
}

/// Crops `x` to `shape` at the end, or pads it with zeros there.
Value fitTo(NnBuilder &nn, Value x, Ints shape) {
  if (!x || getShape(x) == shape)
    return x;
  SmallVector<int64_t> kept, zeros(shape.size(), 0), missing;
  for (auto [size, have] : llvm::zip_equal(shape, getShape(x))) {
    kept.push_back(std::min(size, have));
    missing.push_back(size - kept.back());
  }
  SmallVector<int64_t> steps(shape.size(), 1);
  return nn.pad(nn::PadMode::Constant, nn.slice(x, zeros, kept, steps), zeros, missing, 0);
}

/// Undoes a maximum pooling. Indices of a MaxPool are positions in its input. Other indices are positions in the shape
/// that the windows cover, as in ONNX's own test. ONNX Runtime and PyTorch interpret all indices in the shape of the
/// result. In a valid model, that is the shape of the input.
void importMaxUnpool(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), indices = node.getOperand(1);
  if (!node.checkRank(0, 3) || !node.checkShape(1, getShape(x), "the shape of the elements"))
    return;
  FailureOr<SmallVector<int64_t>> covered = inferUnpooled(node);
  if (failed(covered))
    return;
  // A reshape of the indices may have changed the planes, or even the number of axes.
  const Ints pooled = findIndexed(indices), outer = getShape(x).take_front(2);
  const bool hasSamePlanes =
      pooled.size() == covered->size() && nn::countElements(pooled.take_front(2)) == nn::countElements(outer);
  SmallVector<int64_t> counted(*covered), least(*covered);
  for (size_t axis = 2; hasSamePlanes && axis < counted.size(); ++axis) {
    counted[axis] = pooled[axis];
    least[axis] = std::min(least[axis], pooled[axis]);
  }
  FailureOr<SmallVector<int64_t>> shape = readUnpooled(node, *covered, least);
  if (failed(shape) || !node.checkFits(*shape))
    return;
  if (!pooled.empty() && nn::countElements(pooled) == nn::countElements(*shape))
    counted = *shape;
  if (!node.checkFits(counted) || !node.checkFits(outer, "the number of planes") ||
      !node.allowsConstant(*nn::countElements(outer), sizeof(int64_t)))
    return;
  if (counted != *shape)
    emitWarning(nn.getLoc()) << (hasSamePlanes
                                     ? "the indices are read in the shape of the tensor that was pooled, ["
                                     : "the indices do not come directly from a MaxPool of the model, so they are "
                                       "read in the shape that the windows cover, [")
                             << Ints(counted) << "]; ONNX Runtime reads them in the result's shape, [" << Ints(*shape)
                             << "]";
  node.setResult(fitTo(nn, unpool(nn, x, indices, Ints(counted).drop_front(2)), *shape));
}

/// Reads the sizes in operand `index`, one for each of `count` spatial axes.
FailureOr<SmallVector<int64_t>> getSpatialSizes(OperandBinder &node, size_t index, size_t count) {
  FailureOr<SmallVector<int64_t>> sizes = node.getIntegers(index);
  if (failed(sizes))
    return failure();
  if (sizes->size() != count || count == 0 ||
      llvm::any_of(*sizes, [](int64_t size) { return size < 1 || size > INT32_MAX; }))
    return node.error() << node.nameOf(index) << " must hold as many sizes of 1 or more as the image has spatial axes, "
                        << count << ", but holds [" << Ints(*sizes) << "]";
  return sizes;
}

void importCol2Im(OperandBinder &node) {
  Value columns = node.getOperand(0);
  const size_t spatial = getShape(node.getOperand(1)).size() == 1 ? getShape(node.getOperand(1)).front() : 0;
  FailureOr<SmallVector<int64_t>> image = getSpatialSizes(node, 1, spatial);
  if (failed(image))
    return;
  FailureOr<SmallVector<int64_t>> kernel = getSpatialSizes(node, 2, spatial);
  SmallVector<int64_t> strides = node.getSizes("strides", spatial, 1, 1),
                       dilations = node.getSizes("dilations", spatial, 1, 1),
                       pads = node.getSizes("pads", 2 * spatial, 0, 0);
  if (failed(kernel) || node.hasFailed() || !node.checkRank(0, 3, 3))
    return;
  const ColumnWindows windows{*image, *kernel, strides, pads, dilations};
  int64_t taps = 1, count = 1;
  for (size_t axis = 0; axis < spatial; ++axis)
    if (llvm::MulOverflow(taps, (*kernel)[axis], taps) ||
        llvm::MulOverflow(count, std::max<int64_t>(0, windows.count(axis)), count)) {
      node.error() << "the windows must fit into memory, but do not";
      return;
    }
  if (getShape(columns)[1] % taps != 0 || getShape(columns)[2] != count) {
    node.error() << node.nameOf(0) << " must have a multiple of " << taps << " rows and "
                 << describeCount(count, "column") << ", one for each window, but is " << describe(columns);
    return;
  }
  SmallVector<int64_t> whole = {getShape(columns)[0], getShape(columns)[1] / taps};
  llvm::append_range(whole, *image);
  int64_t places;
  if (!node.checkFits(whole) || llvm::MulOverflow(taps, count, places) || !node.allowsConstant(places, sizeof(int64_t)))
    return;
  node.setResult(columnsToImage(node.nn, columns, windows));
}

} // namespace

void registerScatters(ImportRegistry &registry) {
  const std::initializer_list<OperandRule> scattered = {
      {"data", Holds::Anything, 'T'}, {"indices", Holds::Indices}, {"updates", Holds::Anything, 'T'}};
  registry.add("Col2Im", 18,
               {{"input", Holds::Numbers}, {"image_shape", Holds::Integers}, {"block_shape", Holds::Integers}},
               importCol2Im);
  registry.add("GatherElements", 11, {{"data"}, {"indices", Holds::Indices}}, importGatherElements);
  registry.add("GatherND", 11, {{"data"}, {"indices", Holds::Indices}}, importGatherNd);
  registry.add("MaxUnpool", 9, {{"X", Holds::Floats}, {"I", Holds::Indices}, {"output_shape?", Holds::Integers}},
               importMaxUnpool);
  registry.add("Scatter", 9, scattered, importScatterElements);
  registry.add("ScatterElements", 11, scattered, importScatterElements);
  registry.add("ScatterND", 11, scattered, importScatterNd);
  registry.add(
      "TensorScatter", 24,
      {{"past_cache", Holds::Anything, 'T'}, {"update", Holds::Anything, 'T'}, {"write_indices?", Holds::Indices}},
      importTensorScatter);
}

} // namespace nacre::importer::onnx_format
