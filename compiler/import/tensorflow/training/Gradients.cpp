// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of convolutions, poolings, normalizations, slices and resizes.
//
// How:  a node asks for the gradient of another operator, which has a handler. That handler runs in the region of an
//       `nn.gradient`, with the attributes of the node, and the phase `train` writes the backward pass. If the
//       node has only the shape of an operand, that operand is zeros: the gradient does not depend on its elements.

#include "compiler/import/control/RegionBuilder.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/tensorflow/Operators.h"
#include "compiler/import/tensorflow/training/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// An operator at a point, and what to differentiate there. Null operands follow after an error.
struct Differentiated {
  const char *op;
  SmallVector<Value, 5> operands;
  SmallVector<size_t, 3> wanted; ///< operands whose gradients are the node's first results
  size_t gradient;               ///< the node's operand that is the gradient of the operator's first result
};

void importGradient(OperandBinder &node, Differentiated at) {
  NnBuilder &nn = node.nn;
  if (llvm::is_contained(at.operands, Value()))
    return node.fail();
  const ImportRegistry::Entry &entry = *getOperators().find(at.op, /*version=*/0);
  Value dy = node.getOperand(at.gradient);
  SmallVector<Value> point = llvm::map_to_vector(at.wanted, [&](size_t index) { return at.operands[index]; });
  point.push_back(dy);
  auto compute = [&](ArrayRef<Value> inside) -> FailureOr<SmallVector<Value>> {
    for (auto [index, value] : llvm::zip(at.wanted, inside))
      at.operands[index] = value;
    Node forward = node.describeAs(at.op, at.operands, /*numResults=*/1);
    FailureOr<SmallVector<Value>> results = runHandler(entry, forward, nn);
    if (failed(results))
      return failure();
    Value y = results->front();
    if (getShape(y) != getShape(dy))
      return node.error() << node.nameOf(at.gradient) << " must have the shape of the result of " << at.op << ", "
                          << describe(y) << ", but is " << describe(dy);
    if (getElementType(y) != getElementType(dy))
      y = nn.cast(y, getElementType(dy));
    return SmallVector<Value>{nn.mul(y, inside.back())};
  };
  FailureOr<SmallVector<Value>> gradients = RegionBuilder(nn).buildGradient(point, at.wanted.size(), compute);
  if (failed(gradients))
    return node.fail();
  for (auto [result, gradient] : llvm::enumerate(*gradients))
    node.setResult(result, gradient);
}

/// Zeros of the shape that operand `index` holds, of the type of `like`; null after an error.
Value zerosOfShape(OperandBinder &node, size_t index, Value like) {
  FailureOr<SmallVector<int64_t>> shape = node.getIntegers(index);
  if (failed(shape))
    return {};
  if (shape->size() > size_t(maxRank) ||
      llvm::any_of(*shape, [](int64_t size) { return size < 0 || size > INT32_MAX; })) {
    node.error() << node.nameOf(index) << " must be a shape of at most " << maxRank << " sizes from 0 to " << INT32_MAX
                 << ", but is [" << Ints(*shape) << "]";
    return {};
  }
  return node.checkFits(*shape) ? node.nn.splat(RankedTensorType::get(*shape, getElementType(like)), 0) : Value();
}

Value zerosLike(NnBuilder &nn, Value like) { return nn.splat(getType(like), 0); }

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// (input, filter_sizes, out_backprop)
void importFilterGradient(OperandBinder &node, const char *op) {
  Value x = node.getOperand(0);
  importGradient(node, {op, {x, zerosOfShape(node, 1, x)}, {1}, 2});
}

/// (input_sizes, filter, out_backprop)
void importInputGradient(OperandBinder &node, const char *op) {
  Value filter = node.getOperand(1);
  importGradient(node, {op, {zerosOfShape(node, 0, filter), filter}, {0}, 2});
}

/// (orig_input_shape, grad)
void importAverageGradient(OperandBinder &node, const char *op) {
  importGradient(node, {op, {zerosOfShape(node, 0, node.getOperand(1))}, {0}, 1});
}

/// (orig_input, orig_output, grad)
void importMaximumGradient(OperandBinder &node, const char *op) {
  importGradient(node, {op, {node.getOperand(0)}, {0}, 2});
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

/// (y_backprop, x, scale, reserve_space_1, reserve_space_2): the moments count only if the node does not train.
void importBatchNormGradient(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value scale = node.getOperand(2);
  importGradient(node, {"FusedBatchNormV3",
                        {node.getOperand(1), scale, zerosLike(nn, scale), node.getOperand(3), node.getOperand(4)},
                        {0, 1, 2},
                        0});
  // TensorFlow fills the last two, which nothing reads.
  for (size_t result : {3, 4})
    if (node.wantsResult(result))
      node.setResult(result, nn.splat(RankedTensorType::get({}, getElementType(scale)), 0));
}

/// (input_grads, input_image, output_image)
void importLrnGradient(OperandBinder &node) { importGradient(node, {"LRN", {node.getOperand(1)}, {0}, 0}); }

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// (shape, begin, end, strides, dy)
void importStridedSliceGradient(OperandBinder &node) {
  Value x = zerosOfShape(node, 0, node.getOperand(4));
  importGradient(node, {"StridedSlice", {x, node.getOperand(1), node.getOperand(2), node.getOperand(3)}, {0}, 4});
}

/// The rows and columns of an image; fails after an error.
FailureOr<SmallVector<int64_t>> readImage(OperandBinder &node, size_t index) {
  if (!node.checkRank(index, 4, 4))
    return failure();
  return SmallVector<int64_t>(getShape(node.getOperand(index)).slice(1, 2));
}

/// (grads, original_image)
void importResizeGradient(OperandBinder &node, const char *op) {
  FailureOr<SmallVector<int64_t>> sizes = readImage(node, 0);
  if (succeeded(sizes))
    importGradient(node, {op, {node.getOperand(1), node.nn.integers(*sizes)}, {0}, 0});
}

/// (grads, size): the image's rows and columns.
void importNearestGradient(OperandBinder &node) {
  FailureOr<SmallVector<int64_t>> sizes = readImage(node, 0);
  if (failed(sizes) || !node.checkShape(1, 2, "rows and columns"))
    return;
  Value image = zerosOfShape(node, 1, node.getOperand(0));
  if (!image)
    return node.fail();
  SmallVector<int64_t> shape(getShape(node.getOperand(0)));
  llvm::copy(getShape(image), shape.begin() + 1);
  if (!node.checkFits(shape))
    return;
  image = node.nn.splat(RankedTensorType::get(shape, getElementType(image)), 0);
  importGradient(node, {"ResizeNearestNeighbor", {image, node.nn.integers(*sizes)}, {0}, 0});
}

/// (input, paddings): what was mirrored is added to what it came from.
void importMirrorPadGradient(OperandBinder &node) {
  Value dy = node.getOperand(0);
  if (!node.checkShape(1, {getRank(dy), 2}, "two numbers for each axis"))
    return;
  FailureOr<SmallVector<int64_t>> pads = node.getIntegers(1, /*mostAxes=*/2);
  if (failed(pads))
    return;
  SmallVector<int64_t> shape(getShape(dy));
  for (auto [index, amount] : llvm::enumerate(*pads)) {
    if (amount < 0 || amount > shape[index / 2]) {
      node.error() << node.nameOf(1) << " must hold amounts that " << node.nameOf(0) << " has room for, but is ["
                   << Ints(*pads) << "] for " << describe(dy);
      return;
    }
    shape[index / 2] -= amount;
  }
  Value x = node.nn.splat(RankedTensorType::get(shape, getElementType(dy)), 0);
  importGradient(node, {"MirrorPad", {x, node.getOperand(1)}, {0}, 0});
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

void registerWindows(ImportRegistry &registry) {
  const Signature filter{
      {"input", Holds::Floats, 'T'}, {"filter_sizes", Holds::Indices}, {"out_backprop", Holds::Floats, 'T'}};
  const Signature input{
      {"input_sizes", Holds::Indices}, {"filter", Holds::Floats, 'T'}, {"out_backprop", Holds::Floats, 'T'}};
  const Signature average{{"orig_input_shape", Holds::Indices}, {"grad", Holds::Floats}};
  const Signature maximum{
      {"orig_input", Holds::Floats, 'T'}, {"orig_output", Holds::Floats, 'T'}, {"grad", Holds::Floats, 'T'}};
  using Import = void (*)(OperandBinder &, const char *);
  struct Row {
    const char *op, *forward;
    const Signature &signature;
    Import import;
  };
  const Row rows[] = {
      {"Conv2DBackpropFilter", "Conv2D", filter, importFilterGradient},
      {"Conv3DBackpropFilterV2", "Conv3D", filter, importFilterGradient},
      {"DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNative", filter, importFilterGradient},
      {"DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNative", input, importInputGradient},
      {"AvgPoolGrad", "AvgPool", average, importAverageGradient},
      {"AvgPool3DGrad", "AvgPool3D", average, importAverageGradient},
      {"MaxPoolGrad", "MaxPool", maximum, importMaximumGradient},
      {"MaxPool3DGrad", "MaxPool3D", maximum, importMaximumGradient},
  };
  for (const Row &row : rows)
    registry.add(row.op, 1, row.signature,
                 [import = row.import, forward = row.forward](OperandBinder &node) { import(node, forward); });
}

} // namespace

void registerGradients(ImportRegistry &registry) {
  registerWindows(registry);
  const Signature batch{{"y_backprop", Holds::Floats, 'T'},
                        {"x", Holds::Floats, 'T'},
                        {"scale", Holds::Floats, 'U'},
                        {"reserve_space_1", Holds::Floats, 'U'},
                        {"reserve_space_2", Holds::Floats, 'U'},
                        {"reserve_space_3?", Holds::Floats}};
  for (const char *op : {"FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"})
    registry.add(op, 1, batch, importBatchNormGradient);
  registry.add("LRNGrad", 1,
               {{"input_grads", Holds::Floats, 'T'},
                {"input_image", Holds::Floats, 'T'},
                {"output_image", Holds::Floats, 'T'}},
               importLrnGradient);
  registry.add("StridedSliceGrad", 1,
               {{"shape", Holds::Indices},
                {"begin", Holds::Integers},
                {"end", Holds::Integers},
                {"strides", Holds::Integers},
                {"dy", Holds::Floats}},
               importStridedSliceGradient);
  const Signature image{{"grads", Holds::Floats}, {"original_image", Holds::Floats}};
  registry.add("ResizeBilinearGrad", 1, image,
               [](OperandBinder &node) { importResizeGradient(node, "ResizeBilinear"); });
  registry.add("ResizeBicubicGrad", 1, image, [](OperandBinder &node) { importResizeGradient(node, "ResizeBicubic"); });
  registry.add("ResizeNearestNeighborGrad", 1, {{"grads", Holds::Floats}, {"size", Holds::Indices}},
               importNearestGradient);
  registry.add("MirrorPadGrad", 1, {{"input", Holds::Floats}, {"paddings", Holds::Indices}}, importMirrorPadGradient);
}

} // namespace nacre::importer::tensorflow_format
