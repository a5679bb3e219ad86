// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Averages.h.

#include "compiler/graph/quantized/Averages.h"

#include "compiler/graph/Matching.h"
#include "compiler/graph/MovedCodes.h"
#include "compiler/graph/quantized/Flips.h"
#include "compiler/graph/quantized/Numbers.h"
#include "compiler/graph/quantized/Quantizations.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/IndexedCopy.h"
#include "dialects/nn/evaluate/SumOrder.h"

#include <limits>

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::BinaryKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Sums of bytes
//===----------------------------------------------------------------------===//

/// Replaces `op`, the average of `count` values that `codes` dequantizes. `sums` are the 32-bit sums of the codes,
/// which are then scaled.
void replaceBySums(PatternRewriter &rewriter, Operation *op, nn::DequantizeOp codes, Value sums, int64_t count) {
  const double zero = readNumbers(codes.getZero())->front(), scale = readNumbers(codes.getScale())->front();
  Location loc = op->getLoc();
  Type integer = rewriter.getI32Type(), real = rewriter.getF32Type();
  if (zero != 0) {
    Value offset = createNumber(rewriter, loc, integer, -zero * static_cast<double>(count));
    sums = nn::BinaryOp::create(rewriter, loc, BinaryKind::Add, sums, offset);
  }
  Value reals = nn::CastOp::create(rewriter, loc, typeOf(sums).clone(real), sums, false, nn::ScaleRounding::Up);
  Value factor = createNumber(rewriter, loc, real, scale / static_cast<double>(count));
  rewriter.replaceOpWithNewOp<nn::BinaryOp>(op, BinaryKind::Mul, reals, factor);
}

/// Largest number of bytes in a 32-bit sum.
constexpr int64_t mostSummed = std::numeric_limits<int32_t>::max() / 255;

struct MeanOfCodes : OpRewritePattern<nn::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ReduceOp op, PatternRewriter &rewriter) const override {
    nn::DequantizeOp codes = op.getKind() == nn::ReduceKind::Mean ? findCodes(op.getOperand()) : nn::DequantizeOp();
    const int64_t count = op.getOperand().getType().getNumElements() / op.getType().getNumElements();
    if (!codes || !isByte(codes.getOperand().getType()) || count > mostSummed)
      return rewriter.notifyMatchFailure(op, "expected a mean of dequantized bytes");
    Value bytes = moveCodes(rewriter, op.getOperand());
    Type wide = typeOf(bytes).clone(rewriter.getI32Type());
    Value integers = nn::CastOp::create(rewriter, op.getLoc(), wide, bytes, false, nn::ScaleRounding::Up);
    Value sums =
        nn::ReduceOp::create(rewriter, op.getLoc(), nn::ReduceKind::Sum, integers, op.getAxes(), op.getKeepDims());
    replaceBySums(rewriter, op, codes, sums, count);
    return success();
  }
};

bool isZero(int64_t number) { return number == 0; }

/// Largest number of cells of a window whose sum may be written cell by cell. Larger windows are always added as bytes.
constexpr int64_t mostCells = 64;

/// True if all windows count the same number of cells.
bool countsAll(nn::PoolOp op) {
  return llvm::all_of(op.getOverhang(), isZero) && (op.getCountPadding() || llvm::all_of(op.getPads(), isZero));
}

/// True if the codes of averages depend on the order in which f32 values are added.
bool dependsOnOrder(nn::PoolOp op, nn::DequantizeOp codes) {
  const int64_t count = llvm::product_of(op.getKernel());
  if (count > mostCells)
    return false;
  std::optional<Steps> steps = readSteps(codes);
  return llvm::any_of(findCoders(op.getResult()), [&](const Coder &coder) {
    return !countsAll(op) || !steps || !isAverageFarFromMiddles(*steps, count, coder);
  });
}

/// Replaces an average of codes. A depthwise convolution with ones computes the sums of the windows.
struct AverageOfCodes : OpRewritePattern<nn::PoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::PoolOp op, PatternRewriter &rewriter) const override {
    nn::DequantizeOp codes =
        op.getKind() == nn::PoolKind::Average && countsAll(op) ? findCodes(op.getInput()) : nn::DequantizeOp();
    const int64_t count = llvm::product_of(op.getKernel());
    if (!codes || !isByte(codes.getOperand().getType()) || count > mostSummed || dependsOnOrder(op, codes))
      return rewriter.notifyMatchFailure(op, "expected averages of as many dequantized bytes each, in any order");
    Value bytes = moveCodes(rewriter, op.getInput());
    const int64_t channels = typeOf(bytes).getShape().back();
    SmallVector<int64_t> shape(op.getKernel());
    shape.append({1, channels});
    auto ones = DenseElementsAttr::get(RankedTensorType::get(shape, rewriter.getI8Type()), APInt(8, 1));
    Value filter = nn::ConstantOp::create(rewriter, op.getLoc(), ones);
    const auto padValue = static_cast<int64_t>(readNumbers(codes.getZero())->front());
    const bool isPadded = !llvm::all_of(op.getPads(), isZero);
    Value sums = nn::ConvOp::create(rewriter, op.getLoc(), bytes, filter, op.getStrides(), op.getPads(),
                                    op.getDilations(), channels, isPadded ? padValue : 0);
    replaceBySums(rewriter, op, codes, sums, count);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// 2. Windows in f32
//===----------------------------------------------------------------------===//

/// Writes the sum of each window of reals, adding one cell after the other.
class WindowSums {
public:
  WindowSums(OpBuilder &builder, nn::PoolOp op, nn::DequantizeOp codes)
      : builder(builder), op(op), codes(codes), spatial(op.getKernel().size()) {}

  Value write(Value bytes) {
    pad(bytes);
    SmallVector<int64_t> outer(op.getKernel());
    const int64_t columns = outer.pop_back_val();
    const bool columnsFirst = op->hasAttr(nn::kColumnsFirst);
    Value sum;
    for (int64_t column = 0; columnsFirst && column < columns; ++column) {
      Value ofColumn;
      nn::forEachIndex(outer, [&](ArrayRef<int64_t> index) {
        SmallVector<int64_t> cell(index);
        cell.push_back(column);
        ofColumn = add(ofColumn, read(cell));
      });
      sum = add(sum, ofColumn);
    }
    if (!columnsFirst)
      nn::forEachIndex(op.getKernel(), [&](ArrayRef<int64_t> cell) { sum = add(sum, read(cell)); });
    return sum;
  }

private:
  /// Pads the input with the code of 0.
  void pad(Value bytes) {
    SmallVector<int64_t> low = {0}, high = {0}, shape(typeOf(bytes).getShape());
    for (size_t axis = 0; axis < spatial; ++axis) {
      low.push_back(op.getPads()[axis]);
      high.push_back(op.getPads()[spatial + axis] + op.getOverhang()[axis]);
    }
    low.push_back(0);
    high.push_back(0);
    padded = bytes;
    if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
      return;
    for (auto [axis, size] : llvm::enumerate(shape))
      size += low[axis] + high[axis];
    Type code = typeOf(bytes).getElementType();
    const auto zero = static_cast<int64_t>(readNumbers(codes.getZero())->front());
    const APInt bits(code.getIntOrFloatBitWidth(), static_cast<uint64_t>(zero), /*isSigned=*/true,
                     /*implicitTrunc=*/true);
    padded = nn::PadOp::create(builder, op.getLoc(), typeOf(bytes).clone(shape), nn::PadMode::Constant, bytes, low,
                               high, IntegerAttr::get(code, bits));
  }

  /// Returns the reals of the cell at index `cell` of every window.
  Value read(ArrayRef<int64_t> cell) {
    SmallVector<int64_t> starts = {0}, steps = {1}, sizes(op.getType().getShape());
    for (size_t axis = 0; axis < spatial; ++axis) {
      starts.push_back(cell[axis] * op.getDilations()[axis]);
      steps.push_back(op.getStrides()[axis]);
    }
    starts.push_back(0);
    steps.push_back(1);
    Value bytes = nn::SliceOp::create(builder, op.getLoc(), padded, starts, sizes, steps);
    return nn::DequantizeOp::create(builder, op.getLoc(), bytes, codes.getScale(), codes.getZero(), 0, 0);
  }

  Value add(Value a, Value b) {
    return a ? nn::BinaryOp::create(builder, op.getLoc(), BinaryKind::Add, a, b).getResult() : b;
  }

  OpBuilder &builder;
  nn::PoolOp op;
  nn::DequantizeOp codes;
  size_t spatial;
  Value padded;
};

/// Returns, for each window along an axis, the number of cells that it counts.
SmallVector<double> countCells(nn::PoolOp op, size_t axis) {
  const size_t spatial = op.getKernel().size();
  const int64_t low = op.getPads()[axis], high = op.getPads()[spatial + axis];
  const int64_t begin = op.getCountPadding() ? -low : 0,
                end = typeOf(op.getInput()).getDimSize(axis + 1) + (op.getCountPadding() ? high : 0);
  SmallVector<double> counts(op.getType().getDimSize(axis + 1), 0);
  for (auto [place, count] : llvm::enumerate(counts))
    for (int64_t cell = 0; cell < op.getKernel()[axis]; ++cell) {
      const int64_t at = static_cast<int64_t>(place) * op.getStrides()[axis] - low + cell * op.getDilations()[axis];
      count += at >= begin && at < end;
    }
  return counts;
}

/// Returns a constant with the number of cells that each window counts, or a scalar if all numbers are equal.
Value createCounts(OpBuilder &builder, nn::PoolOp op) {
  SmallVector<double> counts = {1};
  SmallVector<int64_t> shape;
  for (size_t axis = 0; axis < op.getKernel().size(); ++axis) {
    SmallVector<double> products;
    const SmallVector<double> ofAxis = countCells(op, axis);
    for (double outer : counts)
      for (double inner : ofAxis)
        products.push_back(outer * inner);
    shape.push_back(static_cast<int64_t>(ofAxis.size()));
    counts = std::move(products);
  }
  Value constant = createNumbers(builder, op.getLoc(), builder.getF32Type(), counts);
  if (typeOf(constant).getRank() == 0)
    return constant;
  shape.push_back(1);
  return builder.createOrFold<nn::ReshapeOp>(op.getLoc(), typeOf(constant).clone(shape), constant);
}

/// Dequantization of averaged codes, and the codes as `bytes`.
struct AveragedCodes {
  nn::DequantizeOp codes;
  Value bytes;
};

/// Returns the codes that `op` averages, or null. Before a Relu, codes below the zero point are replaced by the zero
/// point.
AveragedCodes findAveragedCodes(PatternRewriter &rewriter, nn::PoolOp op) {
  nn::UnaryOp relu = getUnary(op.getInput(), UnaryKind::Relu);
  Value reals = relu && relu->hasOneUse() ? relu.getOperand() : op.getInput();
  nn::DequantizeOp codes = op.getKind() == nn::PoolKind::Average ? findCodes(reals) : nn::DequantizeOp();
  if (!codes || !dependsOnOrder(op, codes))
    return {};
  Value bytes = moveCodes(rewriter, reals);
  if (reals != op.getInput())
    bytes = nn::BinaryOp::create(rewriter, op.getLoc(), BinaryKind::Max, bytes, codes.getZero());
  return {codes, bytes};
}

/// Computes averages in f32: the sum of each window, divided by its number of cells.
struct AverageInFloats : OpRewritePattern<nn::PoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::PoolOp op, PatternRewriter &rewriter) const override {
    const AveragedCodes averaged = findAveragedCodes(rewriter, op);
    if (!averaged.codes)
      return rewriter.notifyMatchFailure(op, "expected averages of dequantized codes whose order matters");
    Value sum = WindowSums(rewriter, op, averaged.codes).write(averaged.bytes);
    rewriter.replaceOpWithNewOp<nn::BinaryOp>(op, BinaryKind::Div, sum, createCounts(rewriter, op));
    return success();
  }
};

} // namespace

void addAverages(RewritePatternSet &patterns) {
  patterns.add<MeanOfCodes, AverageOfCodes, AverageInFloats>(patterns.getContext());
}

} // namespace nacre::graph
