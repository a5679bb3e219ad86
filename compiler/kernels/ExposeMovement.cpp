// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves data movement out of other operators into separate operators, in the simplest form. A separate pad can become
// the halo of its operand's storage, and a separate slice or reshape can become a view. This is impossible inside of
// another operator.
//
// 1. Pads of a convolution become an `nn.pad` before it.
// 2. A pad with negative amounts becomes a slice and a pad.
// 3. A slice with steps that also crops other axes becomes two slices. The first one crops. The second one keeps the
//    other axes whole.
// 4. A transpose that moves only axes of size 1 becomes a reshape.

#include "compiler/kernels/Passes.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_EXPOSEMOVEMENTPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

bool isZero(int64_t value) { return value == 0; }

//===----------------------------------------------------------------------===//
// 1. Convolutions
//===----------------------------------------------------------------------===//

void exposePads(nn::ConvOp conv) {
  ArrayRef<int64_t> pads = conv.getPads();
  if (llvm::all_of(pads, isZero))
    return;
  OpBuilder builder(conv);
  auto type = typeOf(conv.getInput());
  size_t spatial = pads.size() / 2;
  SmallVector<int64_t> low = {0}, high = {0}, shape(type.getShape());
  llvm::append_range(low, pads.take_front(spatial));
  llvm::append_range(high, pads.drop_front(spatial));
  low.push_back(0);
  high.push_back(0);
  for (auto [axis, size] : llvm::enumerate(shape))
    size += low[axis] + high[axis];
  Type element = type.getElementType();
  auto border = isa<FloatType>(element) ? cast<TypedAttr>(builder.getZeroAttr(element))
                                        : builder.getIntegerAttr(element, static_cast<int64_t>(conv.getPadValue()));
  Value padded = nn::PadOp::create(builder, conv.getLoc(), type.clone(shape), nn::PadMode::Constant, conv.getInput(),
                                   low, high, border);
  conv.getInputMutable().assign(padded);
  conv.setPads(SmallVector<int64_t>(pads.size(), 0));
  conv.setPadValue(0);
}

//===----------------------------------------------------------------------===//
// 2. Pads
//===----------------------------------------------------------------------===//

void exposeCrop(nn::PadOp pad) {
  if (pad.getMode() != nn::PadMode::Constant)
    return;
  auto isCrop = [](int64_t amount) { return amount < 0; };
  OpBuilder builder(pad);
  auto type = typeOf(pad.getOperand());
  SmallVector<int64_t> low(pad.getLow()), high(pad.getHigh());
  if (llvm::any_of(low, isCrop) || llvm::any_of(high, isCrop)) {
    SmallVector<int64_t> starts, sizes, steps(type.getRank(), 1);
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      starts.push_back(std::max<int64_t>(0, -low[axis]));
      sizes.push_back(type.getDimSize(axis) - starts.back() - std::max<int64_t>(0, -high[axis]));
      low[axis] = std::max<int64_t>(0, low[axis]);
      high[axis] = std::max<int64_t>(0, high[axis]);
    }
    if (llvm::any_of(sizes, [](int64_t size) { return size <= 0; })) {
      // No element of the operand is left.
      auto value = DenseElementsAttr::get(pad.getType(), ArrayRef<Attribute>(pad.getValue()));
      pad.replaceAllUsesWith(nn::ConstantOp::create(builder, pad.getLoc(), value).getResult());
      pad.erase();
      return;
    }
    pad.getOperandMutable().assign(
        nn::SliceOp::create(builder, pad.getLoc(), type.clone(sizes), pad.getOperand(), starts, sizes, steps));
    pad.setLow(low);
    pad.setHigh(high);
  }
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero)) {
    pad.replaceAllUsesWith(pad.getOperand());
    pad.erase();
  }
}

//===----------------------------------------------------------------------===//
// 3. Slices
//===----------------------------------------------------------------------===//

/// Splits a slice, because a kernel that reads with steps must read axes without a step completely.
void exposeUnitSteps(nn::SliceOp slice) {
  auto type = typeOf(slice.getOperand());
  SmallVector<int64_t> cropStarts(type.getRank(), 0), cropSizes(type.getShape()), starts(slice.getStarts());
  bool hasSteps = false;
  for (auto [axis, step] : llvm::enumerate(slice.getSteps())) {
    hasSteps |= step != 1;
    if (step != 1)
      continue;
    cropSizes[axis] = slice.getSizes()[axis];
    std::swap(cropStarts[axis], starts[axis]);
  }
  if (!hasSteps || ArrayRef(cropSizes) == type.getShape())
    return;
  OpBuilder builder(slice);
  SmallVector<int64_t> ones(type.getRank(), 1);
  slice.getOperandMutable().assign(nn::SliceOp::create(builder, slice.getLoc(), type.clone(cropSizes),
                                                       slice.getOperand(), cropStarts, cropSizes, ones));
  slice.setStarts(starts);
}

//===----------------------------------------------------------------------===//
// 4. Transposes
//===----------------------------------------------------------------------===//

void exposeReshape(nn::TransposeOp transpose) {
  auto type = typeOf(transpose.getOperand());
  int64_t last = -1;
  for (int64_t axis : transpose.getPermutation()) {
    if (type.getDimSize(axis) == 1)
      continue;
    if (axis < last)
      return;
    last = axis;
  }
  OpBuilder builder(transpose);
  transpose.replaceAllUsesWith(
      nn::ReshapeOp::create(builder, transpose.getLoc(), transpose.getType(), transpose.getOperand()).getResult());
  transpose.erase();
}

struct ExposeMovement : kernels::impl::ExposeMovementPassBase<ExposeMovement> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      TypeSwitch<Operation *>(op)
          .Case([](nn::ConvOp conv) { exposePads(conv); })
          .Case([](nn::PadOp pad) { exposeCrop(pad); })
          .Case([](nn::SliceOp slice) { exposeUnitSteps(slice); })
          .Case([](nn::TransposeOp transpose) { exposeReshape(transpose); });
    });
  }
};

} // namespace
