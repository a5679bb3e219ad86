// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: adds up what an unpool places instead of the image that it places it in.
// Why:  the gradient of a bias before a pool is such a sum, and an image has several elements for each window, most of them zeros.
// How:  a value with a code has exactly one place in the image, so both sums have the same terms, but for zeros.

#include "compiler/kernels/Passes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/Sequence.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_SUMEARLYPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The unpool that places all of `image` that is not zero; null if there is none.
nn::UnpoolOp findUnpool(Value image) {
  auto isNegative = [](int64_t amount) { return amount < 0; };
  auto pad = image.getDefiningOp<nn::PadOp>();
  if (pad && pad.getMode() == nn::PadMode::Constant && isa<FloatAttr>(pad.getValue()) &&
      cast<FloatAttr>(pad.getValue()).getValue().isZero() && llvm::none_of(pad.getLow(), isNegative) &&
      llvm::none_of(pad.getHigh(), isNegative))
    image = pad.getOperand();
  auto reshape = image.getDefiningOp<nn::ReshapeOp>();
  auto unpool = reshape ? reshape.getOperand().getDefiningOp<nn::UnpoolOp>() : nn::UnpoolOp();
  // Channels stay last.
  const bool keepsChannels = unpool && typeOf(image).getRank() == typeOf(unpool.getOperand()).getRank() &&
                             typeOf(image).getShape().back() == typeOf(unpool.getOperand()).getShape().back();
  return keepsChannels ? unpool : nn::UnpoolOp();
}

struct SumEarly : kernels::impl::SumEarlyPassBase<SumEarly> {
  void runOnOperation() override {
    getOperation().walk([](nn::ReduceOp sum) {
      const int64_t rank = typeOf(sum.getOperand()).getRank();
      if (sum.getKind() != nn::ReduceKind::Sum || !plan::isOnGpu(sum) ||
          !llvm::equal(sum.getAxes(), llvm::seq<int64_t>(0, rank - 1)))
        return;
      if (nn::UnpoolOp unpool = findUnpool(sum.getOperand()))
        addUpWindows(sum, unpool);
    });
  }

  static void addUpWindows(nn::ReduceOp sum, nn::UnpoolOp unpool) {
    OpBuilder builder(sum);
    const Location loc = sum.getLoc();
    auto constant = [&](Type element, Attribute value) {
      auto type = RankedTensorType::get({}, element);
      return nn::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value));
    };
    constexpr int64_t noCell = 255;
    Type code = typeOf(unpool.getCode()).getElementType(), element = typeOf(sum.getOperand()).getElementType();
    Value none = constant(code, builder.getIntegerAttr(code, noCell));
    Value zero = constant(element, builder.getZeroAttr(element));
    auto isNowhere = nn::BinaryOp::create(builder, loc, nn::BinaryKind::Equal, unpool.getCode(), none);
    auto placed = nn::SelectOp::create(builder, loc, isNowhere, zero, unpool.getOperand());
    plan::copyEngine(sum, isNowhere);
    plan::copyEngine(sum, placed);
    sum.getOperandMutable().assign(placed);
  }
};

} // namespace
