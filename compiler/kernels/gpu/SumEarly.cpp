// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums the operand of an unpool instead of its result, an image. The gradient of a bias before a pool is such a sum. An
// image has several elements for each window, most of them zeros. Each value occurs at exactly one position of the
// image, so both sums have the same terms except zeros.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/SumParts.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/shapes/ShapeRules.h"
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

/// Returns the f16 operand if `image` is the result of a cast to f32. Otherwise, returns `image`.
Value readThroughWidening(Value image) {
  auto cast = image.getDefiningOp<nn::CastOp>();
  const bool widens =
      cast && typeOf(cast.getOperand()).getElementType().isF16() && typeOf(image).getElementType().isF32();
  return widens ? cast.getOperand() : image;
}

/// Returns the unpool that computes `image`, perhaps before a pad with zeros. Returns null if there is no such unpool.
nn::UnpoolOp findUnpool(Value image) {
  auto isNegative = [](int64_t amount) { return amount < 0; };
  auto pad = image.getDefiningOp<nn::PadOp>();
  if (pad && pad.getMode() == nn::PadMode::Constant && isa<FloatAttr>(pad.getValue()) &&
      cast<FloatAttr>(pad.getValue()).getValue().isZero() && llvm::none_of(pad.getLow(), isNegative) &&
      llvm::none_of(pad.getHigh(), isNegative))
    image = pad.getOperand();
  auto reshape = image.getDefiningOp<nn::ReshapeOp>();
  auto unpool = reshape ? reshape.getOperand().getDefiningOp<nn::UnpoolOp>() : nn::UnpoolOp();
  // Channels must stay last.
  const bool keepsChannels = unpool && typeOf(image).getRank() == typeOf(unpool.getOperand()).getRank() &&
                             typeOf(image).getShape().back() == typeOf(unpool.getOperand()).getShape().back();
  return keepsChannels ? unpool : nn::UnpoolOp();
}

struct SumEarly : kernels::impl::SumEarlyPassBase<SumEarly> {
  void runOnOperation() override {
    for (nn::ReduceOp sum : listGiven<nn::ReduceOp>()) {
      const int64_t rank = typeOf(sum.getOperand()).getRank();
      const bool isOfChannels = llvm::equal(sum.getAxes(), llvm::seq<int64_t>(0, rank - 1));
      if (sum.getKind() != nn::ReduceKind::Sum || !isOfChannels)
        continue;
      Operation *former = sum.getOperand().getDefiningOp();
      nn::UnpoolOp unpool = findUnpool(readThroughWidening(sum.getOperand()));
      if (!unpool)
        continue;
      addUpWindows(sum, unpool);
      // Operators without other readers would still be launched, so erase them.
      for (bool isLast = false; !isLast && former->use_empty();) {
        Operation *before = former->getOperand(0).getDefiningOp();
        isLast = former == unpool;
        former->erase();
        former = before;
      }
    }
  }

  static void addUpWindows(nn::ReduceOp sum, nn::UnpoolOp unpool) {
    OpBuilder builder(sum);
    const Location loc = sum.getLoc();
    auto constant = [&](Type element, Attribute value) {
      return nn::ConstantOp::create(builder, loc, DenseElementsAttr::get(RankedTensorType::get({}, element), value));
    };
    const RankedTensorType type = typeOf(unpool.getOperand());
    Type code = typeOf(unpool.getCode()).getElementType(), element = type.getElementType();
    const Type summed = typeOf(sum.getOperand()).getElementType();
    Value none = constant(code, builder.getIntegerAttr(code, nn::codeOfNoCell));
    Value zero = constant(element, builder.getZeroAttr(element));
    auto isNowhere = nn::BinaryOp::create(builder, loc, nn::BinaryKind::Equal, unpool.getCode(), none);
    Value placed = nn::SelectOp::create(builder, loc, isNowhere, zero, unpool.getOperand());
    plan::copyEngine(sum, isNowhere);
    plan::copyEngine(sum, placed.getDefiningOp());
    if (summed != element) {
      placed = nn::CastOp::create(builder, loc, RankedTensorType::get(type.getShape(), summed), placed);
      plan::copyEngine(sum, placed.getDefiningOp());
    }
    // Each term needs two loads, so the sum is divided under the same conditions as the sum of the image.
    const ArrayRef<int64_t> image = typeOf(sum.getOperand()).getShape(), axes = sum.getAxes();
    if (kernels::isSummedByImages(image.back(), image.front(), llvm::product_of(image.drop_back()))) {
      placed = nn::ReduceOp::create(builder, loc, sum.getKind(), placed, axes.drop_front(), sum.getKeepDims());
      plan::copyEngine(sum, placed.getDefiningOp());
      sum.setAxes(axes.take_front());
    }
    sum.getOperandMutable().assign(placed);
  }
};

} // namespace
