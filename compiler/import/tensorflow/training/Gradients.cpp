// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of convolutions, poolings, normalizations, slices and resizes.
//
// Each node is the gradient of another operator, which has a handler. That handler runs in the region of an
// `nn.gradient`, with the attributes of the node. The phase `train` generates the backward pass. Some nodes have only
// the shape of an operand, because the gradient does not depend on its elements. Such an operand is zeros.

#include "compiler/import/control/RegionBuilder.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/tensorflow/training/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// The operator that a node differentiates.
struct Forward {
  const char *op;
  ImportRegistry::Entry entry;
};

/// Operands at which an operator is differentiated, and the operator's incoming gradient. Operands are null after an
/// error.
struct Point {
  SmallVector<Value, 5> operands;
  SmallVector<size_t, 3> wanted; ///< operands whose gradients are the node's first results
  size_t gradient;               ///< index of the node's operand that is the gradient of the operator's first result
};

void differentiate(OperandBinder &node, const Forward &forward, Point at) {
  NnBuilder &nn = node.nn;
  if (llvm::is_contained(at.operands, Value()))
    return node.fail();
  Value dy = node.getOperand(at.gradient);
  SmallVector<Value> point = llvm::map_to_vector(at.wanted, [&](size_t index) { return at.operands[index]; });
  point.push_back(dy);
  auto compute = [&](ArrayRef<Value> inside) -> FailureOr<SmallVector<Value>> {
    for (auto [index, value] : llvm::zip(at.wanted, inside))
      at.operands[index] = value;
    Node other = node.describeAs(forward.op, at.operands);
    FailureOr<SmallVector<Value>> results = runHandler(forward.entry, other, nn);
    if (failed(results))
      return failure();
    Value y = results->front();
    if (getShape(y) != getShape(dy))
      return node.error() << node.nameOf(at.gradient) << " must have the shape of the result of " << forward.op << ", "
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

/// Returns zeros with the element type of `like`. Their shape is the value of the operand `index`. Returns null after
/// an error.
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

/// Operands: input, filter_sizes, out_backprop.
void importFilterGradient(OperandBinder &node, const Forward &forward) {
  Value x = node.getOperand(0);
  differentiate(node, forward, {{x, zerosOfShape(node, 1, x)}, {1}, 2});
}

/// Operands: input_sizes, filter, out_backprop.
void importInputGradient(OperandBinder &node, const Forward &forward) {
  Value filter = node.getOperand(1);
  differentiate(node, forward, {{zerosOfShape(node, 0, filter), filter}, {0}, 2});
}

/// Operands: orig_input_shape, grad.
void importAverageGradient(OperandBinder &node, const Forward &forward) {
  differentiate(node, forward, {{zerosOfShape(node, 0, node.getOperand(1))}, {0}, 1});
}

/// Operands: orig_input, orig_output, grad.
void importMaximumGradient(OperandBinder &node, const Forward &forward) {
  differentiate(node, forward, {{node.getOperand(0)}, {0}, 2});
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

/// Operands: y_backprop, x, scale, reserve_space_1, reserve_space_2. The last two are the moments, which are only used
/// if the attribute `is_training` is false.
void importBatchNormGradient(OperandBinder &node, const Forward &forward) {
  NnBuilder &nn = node.nn;
  Value scale = node.getOperand(2);
  differentiate(
      node, forward,
      {{node.getOperand(1), scale, zerosLike(nn, scale), node.getOperand(3), node.getOperand(4)}, {0, 1, 2}, 0});
  // The last two results are unused; only TensorFlow's kernels fill them.
  for (size_t result : {3, 4})
    if (node.wantsResult(result))
      node.setResult(result, nn.splat(RankedTensorType::get({}, getElementType(scale)), 0));
}

/// Operands: input_grads, input_image, output_image.
void importLrnGradient(OperandBinder &node, const Forward &forward) {
  differentiate(node, forward, {{node.getOperand(1)}, {0}, 0});
}

//===----------------------------------------------------------------------===//
// Slices, resizes and pads
//===----------------------------------------------------------------------===//

/// Operands: shape, begin, end, strides, dy.
void importStridedSliceGradient(OperandBinder &node, const Forward &forward) {
  Value x = zerosOfShape(node, 0, node.getOperand(4));
  differentiate(node, forward, {{x, node.getOperand(1), node.getOperand(2), node.getOperand(3)}, {0}, 4});
}

/// Returns the numbers of rows and columns of the operand `index`, an image. Fails after an error.
FailureOr<SmallVector<int64_t>> readImage(OperandBinder &node, size_t index) {
  if (!node.checkRank(index, 4, 4))
    return failure();
  return SmallVector<int64_t>(getShape(node.getOperand(index)).slice(1, 2));
}

/// Operands: grads, original_image.
void importResizeGradient(OperandBinder &node, const Forward &forward) {
  FailureOr<SmallVector<int64_t>> sizes = readImage(node, 0);
  if (succeeded(sizes))
    differentiate(node, forward, {{node.getOperand(1), node.nn.integers(*sizes)}, {0}, 0});
}

/// Operands: grads, size. `size` contains the numbers of rows and columns of the image.
void importNearestGradient(OperandBinder &node, const Forward &forward) {
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
  differentiate(node, forward, {{image, node.nn.integers(*sizes)}, {0}, 0});
}

/// Operands: input, paddings. Adds the gradients of mirrored elements to the gradients of the original elements.
void importMirrorPadGradient(OperandBinder &node, const Forward &forward) {
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
  differentiate(node, forward, {{x, node.getOperand(1)}, {0}, 0});
}

} // namespace

void registerGradients(ImportRegistry &registry) {
  auto add = [&](StringRef op, const char *forward, const Signature &signature,
                 void (*import)(OperandBinder &, const Forward &)) {
    const ImportRegistry::Entry *entry = registry.find(forward, /*version=*/0);
    assert(entry && "the operators that are differentiated must be registered before");
    registry.add(op, 1, signature, [import, of = Forward{forward, *entry}](OperandBinder &node) { import(node, of); });
  };
  const Signature filter{
      {"input", Holds::Floats, 'T'}, {"filter_sizes", Holds::Indices}, {"out_backprop", Holds::Floats, 'T'}};
  const Signature input{
      {"input_sizes", Holds::Indices}, {"filter", Holds::Floats, 'T'}, {"out_backprop", Holds::Floats, 'T'}};
  const Signature average{{"orig_input_shape", Holds::Indices}, {"grad", Holds::Floats}};
  const Signature maximum{
      {"orig_input", Holds::Floats, 'T'}, {"orig_output", Holds::Floats, 'T'}, {"grad", Holds::Floats, 'T'}};
  add("Conv2DBackpropFilter", "Conv2D", filter, importFilterGradient);
  add("Conv3DBackpropFilterV2", "Conv3D", filter, importFilterGradient);
  add("DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNative", filter, importFilterGradient);
  add("DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNative", input, importInputGradient);
  add("AvgPoolGrad", "AvgPool", average, importAverageGradient);
  add("AvgPool3DGrad", "AvgPool3D", average, importAverageGradient);
  add("MaxPoolGrad", "MaxPool", maximum, importMaximumGradient);
  add("MaxPool3DGrad", "MaxPool3D", maximum, importMaximumGradient);
  const Signature batch{{"y_backprop", Holds::Floats, 'T'},      {"x", Holds::Floats, 'T'},
                        {"scale", Holds::Floats, 'U'},           {"reserve_space_1", Holds::Floats, 'U'},
                        {"reserve_space_2", Holds::Floats, 'U'}, {"reserve_space_3?", Holds::Floats}};
  for (const char *op : {"FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"})
    add(op, "FusedBatchNormV3", batch, importBatchNormGradient);
  add("LRNGrad", "LRN",
      {{"input_grads", Holds::Floats, 'T'}, {"input_image", Holds::Floats, 'T'}, {"output_image", Holds::Floats, 'T'}},
      importLrnGradient);
  add("StridedSliceGrad", "StridedSlice",
      {{"shape", Holds::Indices},
       {"begin", Holds::Integers},
       {"end", Holds::Integers},
       {"strides", Holds::Integers},
       {"dy", Holds::Floats}},
      importStridedSliceGradient);
  const Signature image{{"grads", Holds::Floats}, {"original_image", Holds::Floats}};
  add("ResizeBilinearGrad", "ResizeBilinear", image, importResizeGradient);
  add("ResizeBicubicGrad", "ResizeBicubic", image, importResizeGradient);
  add("ResizeNearestNeighborGrad", "ResizeNearestNeighbor", {{"grads", Holds::Floats}, {"size", Holds::Indices}},
      importNearestGradient);
  add("MirrorPadGrad", "MirrorPad", {{"input", Holds::Floats}, {"paddings", Holds::Indices}}, importMirrorPadGradient);
}

} // namespace nacre::importer::tensorflow_format
