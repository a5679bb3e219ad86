// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/noise/KernelNoise.h"

#include "codegen/cpu/tiles/TileTables.h"
#include "codegen/cpu/winograd/WinogradTables.h"
#include "codegen/form/ContractionForm.h"
#include "dialects/plan/Notes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <functional>
#include <numeric>

using namespace mlir;

namespace nacre::encode {

//===----------------------------------------------------------------------===//
// 1. Values
//===----------------------------------------------------------------------===//

TensorNoise TensorNoise::get(TensorMoments moments) {
  TensorNoise tensor;
  tensor.shape = moments.shape;
  tensor.moments = std::make_shared<TensorMoments>(std::move(moments));
  return tensor;
}

HalfSum halfSumOf(plan::KernelOp kernel, ArrayRef<int64_t> loops, bool hasSingleRow, bool isDepthwise) {
  const int64_t most = plan::halfSumsOf(kernel);
  if (most == 0)
    return {};
  if (FailureOr<codegen::WinogradConvolution> convolution = codegen::parseWinograd(kernel); succeeded(convolution))
    return {std::min({convolution->channels.size, most, codegen::cpu::kMostWinogradSteps}),
            convolution->method.outputs};
  const int64_t depth = std::accumulate(loops.begin(), loops.end(), int64_t(1), std::multiplies<>());
  if (isDepthwise || depth <= most)
    return {depth};
  // A single row is multiplied by a register of its numbers at a time.
  constexpr int64_t lanesOfHalves = 8;
  const codegen::cpu::SumBlocks blocks =
      codegen::cpu::chooseSumBlocks(loops, hasSingleRow ? lanesOfHalves : 1, most, most);
  int64_t steps = blocks.steps;
  for (int64_t loop : loops.drop_front(blocks.level + 1))
    steps *= loop;
  return {std::min(steps, depth)};
}

const TensorMoments &KernelNoise::momentsOf(Value value) {
  TensorNoise &tensor = values[value];
  if (tensor.moments)
    return *tensor.moments;
  TensorMoments moments;
  if (tensor.lanes) {
    moments.shape = tensor.lanes->shape;
    moments.kept = tensor.lanes->kept;
    for (const Lanes &lanes : tensor.lanes->numbers)
      moments.numbers.push_back(encode::momentsOf(lanes));
  } else if (tensor.weight) {
    constexpr size_t mostNumbers = 1 << 18;
    if (tensor.weight->numbers.size() > mostNumbers) {
      moments = TensorMoments::uniform(tensor.shape, tensor.weight->merged());
    } else {
      moments.shape = moments.kept = tensor.shape;
      for (size_t place = 0; place < tensor.weight->numbers.size(); ++place)
        moments.numbers.push_back(tensor.weight->at(int64_t(place)));
    }
  } else { // Uninitialized memory.
    moments = TensorMoments::uniform(cast<ShapedType>(value.getType()).getShape(), {0, 0, 0, 0, 0});
  }
  tensor.moments = std::make_shared<TensorMoments>(std::move(moments));
  return *tensor.moments;
}

const TensorLanes &KernelNoise::lanesOf(Value value) {
  if (!values[value].lanes) {
    const TensorMoments &moments = momentsOf(value);
    auto lanes = std::make_shared<TensorLanes>();
    lanes->shape = moments.shape;
    lanes->kept = moments.kept;
    lanes->numbers.reserve(moments.numbers.size());
    std::vector<double> signs(moments.kept.empty() ? 1 : moments.kept.back());
    for (double &sign : signs)
      sign = draws.sign();
    for (auto [place, number] : llvm::enumerate(moments.numbers))
      lanes->numbers.push_back(draws.draw(number, signs[place % signs.size()]));
    values[value].lanes = lanes;
  }
  return *values[value].lanes;
}

//===----------------------------------------------------------------------===//
// 2. Operations
//===----------------------------------------------------------------------===//

std::vector<TensorMoments> KernelNoise::run(ArrayRef<TensorNoise> arguments) {
  values.clear();
  unknownNoise = 0;
  for (auto [argument, tensor] : llvm::zip_equal(kernel.getBody().getArguments(), arguments)) {
    values[argument] = tensor;
    if (!tensor.moments || argument.getArgNumber() >= kernel.getNumInputs())
      continue;
    if (const Moments all = tensor.moments->merged(); all.power() > 0)
      unknownNoise = std::max(unknownNoise, all.noisePower() / all.power());
  }
  for (Operation &op : kernel.getBody().front().without_terminator())
    run(op);
  std::vector<TensorMoments> results;
  for (Value result : kernel.getBody().front().getTerminator()->getOperands())
    results.push_back(momentsOf(result));
  return results;
}

/// Returns the offsets, sizes and strides of a slice if all are constants.
template <typename SliceOp>
static std::optional<std::array<SmallVector<int64_t>, 3>> sliceOf(SliceOp op, RankedTensorType part) {
  if (ShapedType::isDynamicShape(op.getStaticOffsets()) || ShapedType::isDynamicShape(op.getStaticSizes()) ||
      ShapedType::isDynamicShape(op.getStaticStrides()) ||
      int64_t(op.getStaticSizes().size()) != part.getRank()) // The slice drops axes.
    return std::nullopt;
  return std::array<SmallVector<int64_t>, 3>{llvm::to_vector(op.getStaticOffsets()),
                                             llvm::to_vector(op.getStaticSizes()),
                                             llvm::to_vector(op.getStaticStrides())};
}

/// True if there is one window along an axis of a padded tensor. Then it has all of the border.
static bool isOneWindow(Value padded, int64_t axis) {
  return llvm::all_of(padded.getUses(), [&](OpOperand &use) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reader)
      return false;
    const AffineExpr index = reader.getMatchingIndexingMap(&use).getResult(axis);
    const SmallVector<int64_t> extents = reader.getStaticLoopRanges();
    const SmallVector<utils::IteratorType> iterators = reader.getIteratorTypesArray();
    for (size_t loop = 0; loop < extents.size(); ++loop)
      if (index.isFunctionOfDim(loop) && iterators[loop] == utils::IteratorType::parallel && extents[loop] > 1)
        return false;
    return true;
  });
}

void KernelNoise::setUnknown(Operation &op) {
  for (Value result : op.getResults())
    if (auto type = dyn_cast<RankedTensorType>(result.getType()); type && type.hasStaticShape())
      set(result, TensorMoments::uniform(type.getShape(), {0, 1, 0, unknownNoise, 1}));
}

void KernelNoise::run(Operation &op) {
  auto constantOf = [](Value value) -> std::optional<double> {
    FloatAttr constant;
    return matchPattern(value, m_Constant(&constant)) ? std::optional(constant.getValueAsDouble()) : std::nullopt;
  };
  auto fill = [&](Value result, double number) {
    set(result, TensorMoments::uniform(cast<ShapedType>(result.getType()).getShape(),
                                       {number, 0, 0, 0, number != 0 ? 1.0 : 0.0}));
  };
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](linalg::GenericOp generic) { runGeneric(generic); })
      .Case([&](linalg::FillOp filled) {
        std::optional<double> number = constantOf(filled.getInputs().front());
        number ? fill(filled.getResult(0), *number) : setUnknown(op);
      })
      .Case([&](tensor::EmptyOp) {})
      .Case([&](arith::ConstantOp constant) {
        auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
        if (splat && isa<FloatType>(splat.getElementType()))
          fill(constant, splat.getSplatValue<APFloat>().convertToDouble());
        else
          setUnknown(op);
      })
      .Case([&](tensor::PadOp pad) {
        Value number = pad.getConstantPaddingValue();
        const std::optional<double> padding = number ? constantOf(number) : std::nullopt;
        if (!padding || ShapedType::isDynamicShape(pad.getStaticLow()))
          return setUnknown(op);
        const SmallVector<int64_t> steps(pad.getResultType().getRank(), 1);
        TensorMoments around =
            TensorMoments::uniform(pad.getResultType().getShape(), {*padding, 0, 0, 0, *padding != 0 ? 1.0 : 0.0});
        for (size_t axis = 0; axis < around.shape.size(); ++axis)
          if (isOneWindow(pad.getResult(), int64_t(axis))) {
            around.kept[axis] = around.shape[axis];
            around.numbers.resize(around.numbers.size() * around.shape[axis], around.numbers.front());
          }
        set(pad.getResult(), around.withPart(momentsOf(pad.getSource()), pad.getStaticLow(), steps));
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        auto place = sliceOf(slice, slice.getType());
        place ? set(slice.getResult(), momentsOf(slice.getSource()).sliced((*place)[0], (*place)[1], (*place)[2]))
              : setUnknown(op);
      })
      .Case([&](tensor::InsertSliceOp slice) {
        auto place = sliceOf(slice, slice.getSourceType());
        if (!place)
          return setUnknown(op);
        const TensorMoments part = momentsOf(slice.getSource());
        set(slice.getResult(), momentsOf(slice.getDest()).withPart(part, (*place)[0], (*place)[2]));
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto reshape) {
        TensorNoise tensor = values[reshape.getSrc()];
        if (!tensor.weight)
          return set(reshape.getResult(), momentsOf(reshape.getSrc()).reshaped(reshape.getResultType().getShape()));
        tensor.shape = llvm::to_vector<4>(reshape.getResultType().getShape());
        tensor.moments = nullptr;
        tensor.lanes = nullptr;
        values[reshape.getResult()] = tensor;
      })
      .Default([&](Operation *) { setUnknown(op); });
}

} // namespace nacre::encode
