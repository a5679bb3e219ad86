// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multiplies flattened images by a matrix position by position. A model flattens images channel by channel, but kernels
// store the channels of a pixel side by side. Without this pass, a launch would reorder each image before the product,
// and another one would reorder its gradient.
//
// 1. Forward: the rows of the matrix that belong to one position form one matrix of a batch. The results of the batch
//    are added like the parts of a long sum.
// 2. Backward: the columns of the transposed matrix form such a batch. Its results lie side by side in each pixel.
// Both directions read and write through transposes, which move no data.

#include "compiler/kernels/MadeOfConstants.h"
#include "compiler/kernels/Passes.h"
#include "compiler/kernels/SumParts.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/Sequence.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_BATCHPOSITIONSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;
using namespace nacre::kernels;

namespace {

/// Sizes of images that are flattened channel by channel. In memory, channels come last: `[images, positions...,
/// channels]`.
struct Flattening {
  int64_t images, positions, channels;
};

/// Returns the sizes of `pixels` if `order` moves the channels from the last axis to the second (forward) or back.
/// Otherwise, returns `nullopt`.
std::optional<Flattening> readFlattening(ArrayRef<int64_t> pixels, ArrayRef<int64_t> order, bool isForward) {
  const int64_t rank = pixels.size();
  if (rank < 3 || order.front() != 0)
    return std::nullopt;
  const ArrayRef<int64_t> kept = isForward ? order.drop_front(2) : order.drop_front().drop_back();
  const int64_t channels = isForward ? order[1] : order.back();
  if (channels != (isForward ? rank - 1 : 1) ||
      !llvm::equal(kept, llvm::seq<int64_t>(isForward ? 1 : 2, isForward ? rank - 1 : rank)))
    return std::nullopt;
  return Flattening{pixels.front(), llvm::product_of(pixels.drop_front().drop_back()), pixels.back()};
}

/// Creates operators before `op`, for the same engine as `op`.
class Writer {
public:
  explicit Writer(Operation *op) : builder(op), op(op) {}

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return add(nn::ReshapeOp::create(builder, op->getLoc(), typeOf(value).clone(shape), value));
  }
  Value transpose(Value value, ArrayRef<int64_t> order) {
    return add(nn::TransposeOp::create(builder, op->getLoc(), value, order));
  }
  Value multiply(Value left, Value right) { return add(nn::MatMulOp::create(builder, op->getLoc(), left, right)); }
  Value sum(Value value, ArrayRef<int64_t> axes) {
    return add(nn::ReduceOp::create(builder, op->getLoc(), nn::ReduceKind::Sum, value, axes, /*keepDims=*/false));
  }

private:
  Value add(Operation *created) {
    plan::copyEngine(op, created);
    return created->getResult(0);
  }

  OpBuilder builder;
  Operation *op;
};

/// True if `op` is a product of floats by a matrix that is not constant. Constant matrices are excluded
/// because they are packed for kernels that read the whole matrix.
bool isProduct(nn::MatMulOp op) {
  Type element = typeOf(op.getResult()).getElementType();
  return shapeOf(op.getLhs()).size() == 2 && shapeOf(op.getRhs()).size() == 2 && (element.isF32() || element.isF16()) &&
         !isMadeOfConstants(op.getRhs());
}

//===----------------------------------------------------------------------===//
// 1. Forward
//===----------------------------------------------------------------------===//

/// Returns the number of parts into which the channels of one position are divided. The total for all positions is at
/// most `parts`, if possible.
int64_t choosePartsOfChannels(const Flattening &flattening, int64_t parts) {
  constexpr int64_t leastDepth = 32;
  int64_t chosen = 1;
  for (int64_t count = 2; count * flattening.positions <= parts; ++count)
    if (flattening.channels % count == 0 && flattening.channels / count >= leastDepth)
      chosen = count;
  return chosen;
}

void batchForward(nn::MatMulOp op) {
  auto flat = op.getLhs().getDefiningOp<nn::ReshapeOp>();
  auto turned = flat ? flat.getOperand().getDefiningOp<nn::TransposeOp>() : nn::TransposeOp();
  if (!turned || !isProduct(op))
    return;
  Value pixels = turned.getOperand();
  std::optional<Flattening> found = readFlattening(shapeOf(pixels), turned.getPermutation(), /*isForward=*/true);
  const ArrayRef<int64_t> left = shapeOf(op.getLhs());
  if (!found || left.front() != found->images)
    return;
  const auto [images, positions, channels] = *found;
  const int64_t columns = shapeOf(op.getRhs()).back(), parts = choosePartsOfProduct(images, columns, left.back());
  // If there are many more positions than a GPU needs parts, the partial results are larger than the images.
  if (parts == 1 || positions > 2 * parts)
    return;
  const int64_t cuts = choosePartsOfChannels(*found, parts), depth = channels / cuts;
  Writer write(op);
  Value x = write.transpose(write.reshape(pixels, {images, positions, cuts, depth}), {1, 2, 0, 3});
  Value w = write.transpose(write.reshape(op.getRhs(), {cuts, depth, positions, columns}), {2, 0, 1, 3});
  op.replaceAllUsesWith(write.sum(write.multiply(x, w), {0, 1}));
  for (Operation *former : std::initializer_list<Operation *>{op, flat, turned})
    if (former->use_empty())
      former->erase();
}

//===----------------------------------------------------------------------===//
// 2. Backward
//===----------------------------------------------------------------------===//

/// Returns the only reader of the result of `op` if it is of type `Reader`. Otherwise, returns null.
template <typename Reader> Reader getOnlyReader(Operation *op) {
  return op->hasOneUse() ? dyn_cast<Reader>(*op->user_begin()) : Reader();
}

void batchBackward(nn::MatMulOp op) {
  auto matrix = op.getRhs().getDefiningOp<nn::TransposeOp>();
  auto images = getOnlyReader<nn::ReshapeOp>(op);
  auto turned = images ? getOnlyReader<nn::TransposeOp>(images) : nn::TransposeOp();
  if (!matrix || !turned || !isProduct(op))
    return;
  std::optional<Flattening> found =
      readFlattening(shapeOf(turned.getResult()), turned.getPermutation(), /*isForward=*/false);
  const ArrayRef<int64_t> left = shapeOf(op.getLhs());
  if (!found || left.front() != found->images ||
      shapeOf(matrix.getOperand()).front() != found->positions * found->channels)
    return;
  const auto [rows, positions, channels] = *found;
  Writer write(op);
  Value dy = write.reshape(op.getLhs(), {1, rows, left.back()});
  Value w = write.transpose(write.reshape(matrix.getOperand(), {channels, positions, left.back()}), {1, 2, 0});
  Value pixels = write.transpose(write.multiply(dy, w), {1, 0, 2});
  turned.replaceAllUsesWith(write.reshape(pixels, shapeOf(turned.getResult())));
  for (Operation *former : std::initializer_list<Operation *>{turned, images, op, matrix})
    if (former->use_empty())
      former->erase();
}

struct BatchPositions : kernels::impl::BatchPositionsPassBase<BatchPositions> {
  void runOnOperation() override {
    llvm::for_each(listGiven<nn::MatMulOp>(), batchBackward);
    llvm::for_each(listGiven<nn::MatMulOp>(), batchForward);
  }
};

} // namespace
