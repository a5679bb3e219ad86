// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. sizes; 2. recognize a Winograd convolution or the gradient of its filter; 3. read the kernel's note.

#include "codegen/form/WinogradForm.h"

#include "codegen/form/PlainContraction.h"

#include "dialects/plan/Notes.h"
#include "dialects/plan/PlanDialect.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-contraction-form"

using namespace mlir;

namespace nacre::codegen {

static LogicalResult misfit(const char *reason) {
  LDBG() << reason;
  return failure();
}

//===----------------------------------------------------------------------===//
// 1. Sizes
//===----------------------------------------------------------------------===//

double WinogradConvolution::multiplyAdds() const { return planOf(*this).multiplyAdds(); }

double WinogradGradient::multiplyAdds() const { return planOf(*this).multiplyAdds(); }

WinogradShape shapeOf(const WinogradConvolution &convolution) {
  WinogradShape shape;
  shape.taps = convolution.method.taps;
  shape.images = convolution.images.size;
  shape.height = convolution.down.size;
  shape.width = convolution.across.size;
  shape.groups = convolution.groups.size;
  shape.inputs = convolution.channels.size;
  shape.outputs = convolution.columns.size;
  shape.cutAmongImages = convolution.cutAmongImages;
  return shape;
}

WinogradShape shapeOf(const WinogradGradient &gradient) { return shapeOf(convolutionOf(gradient)); }

WinogradPlan planOf(const WinogradConvolution &convolution) {
  return {shapeOf(convolution), convolution.method.outputs};
}

WinogradPlan planOf(const WinogradGradient &gradient) { return planOf(convolutionOf(gradient)); }

WinogradConvolution convolutionOf(const WinogradGradient &gradient) {
  WinogradConvolution convolution;
  static_cast<Contraction &>(convolution) = gradient;
  convolution.images = gradient.images;
  convolution.down = gradient.down;
  convolution.across = gradient.across;
  convolution.channels = gradient.channels;
  convolution.groups = {1, SmallVector<int64_t, 6>(gradient.operands.size(), 0)};
  convolution.method = gradient.method;
  convolution.cutAmongImages = true;
  return convolution;
}

//===----------------------------------------------------------------------===//
// 2. Convolutions and gradients
//===----------------------------------------------------------------------===//

/// True if each axis i is walked only by the loop `loops[i]`, in steps of one. The loop `groups`, if given, also walks
/// the last axis, in steps of `columns`, the columns of a group.
static bool areWalkedBy(ArrayRef<WalkedAxis> axes, ArrayRef<unsigned> loops, std::optional<unsigned> groups,
                        int64_t columns) {
  if (axes.size() != loops.size())
    return false;
  for (auto [number, axis] : llvm::enumerate(axes)) {
    const bool hasGroups = groups && number + 1 == axes.size();
    for (auto [loop, coefficient] : llvm::enumerate(axis.coefficients))
      if (coefficient != (loop == loops[number] ? 1 : hasGroups && loop == *groups ? columns : 0))
        return false;
    if (axis.constant != 0)
      return false;
  }
  return true;
}

/// Fails unless transformed values fit into 16 bits, and `channels` consists of whole groups of an even number of
/// steps.
static LogicalResult checkIntegers(const PlainContraction &plain, const winograd::Method &method, int64_t channels,
                                   int64_t k) {
  for (unsigned operand : {Contraction::Lhs, Contraction::Rhs})
    if (!plain.operands[operand].elementType.isInteger(8))
      return misfit("a Winograd convolution of integers must be of 8 bits");
  if (plain.isUnsignedRhs)
    return misfit("a Winograd convolution of integers must have signed filters");
  if (!method.fitsIntegers())
    return misfit("numbers of larger tiles or filters do not fit 16 bits");
  return k % 2 == 0 && channels % k == 0 ? success() : misfit("channels of bytes must be whole groups");
}

/// Recognizes y(n, h, w, [g] o) += x(n, h + i, w + j, [g] c) * f(i, j, c, [g] o). The filter must be square. Rows and
/// pixels may have any stride.
FailureOr<WinogradConvolution> byWinograd(const PlainContraction &plain, int64_t tile, int64_t width, int64_t k) {
  enum Loop : unsigned { Image, Down, Across, Column, TapDown, TapAcross, Channel, Count };
  SmallVector<ProductLoop, 0> loops = plain.loops;
  // If there is a loop over groups, it precedes the loop over columns.
  std::optional<unsigned> groups;
  ContractionLoop groupLoop = {1, SmallVector<int64_t, 6>(plain.operands.size(), 0)};
  if (loops.size() == Count + 1) {
    groups = Column;
    groupLoop = loops[*groups];
    if (!loops[*groups].parallel || !loops[*groups].movesLhs || groupLoop.size == 0)
      return misfit("Winograd requires groups of channels and columns");
    loops.erase(loops.begin() + *groups);
  }
  auto numberOf = [&](Loop loop) { return groups && loop >= *groups ? loop + 1 : unsigned(loop); };
  auto isInPlace = [&](unsigned number) {
    const ProductLoop &loop = loops[number];
    return loop.parallel == (number <= Column) && loop.movesLhs == (number != Column) && loop.size != 0;
  };
  auto areWalked = [&](ArrayRef<WalkedAxis> axes, ArrayRef<Loop> by) {
    return areWalkedBy(axes, llvm::map_to_vector(by, numberOf), groups, loops[Column].size);
  };
  if (plain.depthwise || plain.parts != 1 || loops.size() != Count ||
      !llvm::all_of(llvm::seq<unsigned>(0, Count), isInPlace) || plain.rhsShape.size() != 4 ||
      plain.operands[Contraction::Rhs].offset != 0 ||
      !areWalked(plain.rhsAxes, {TapDown, TapAcross, Channel, Column}) ||
      !areWalked(plain.resultAxes, {Image, Down, Across, Column}))
    return misfit("Winograd supports only 2D convolutions");
  auto lhsStride = [&](Loop loop) { return loops[loop].strides[Contraction::Lhs]; };
  const winograd::Method method = {tile, loops[TapDown].size};
  if (!method.exists() || loops[TapAcross].size != method.taps || lhsStride(Down) != lhsStride(TapDown) ||
      lhsStride(Across) != lhsStride(TapAcross) || lhsStride(Channel) != 1 ||
      loops[Column].strides[Contraction::Result] != 1)
    return misfit("Winograd supports only small square filters with stride 1");
  if (plain.isOfIntegers()) {
    if (failed(checkIntegers(plain, method, loops[Channel].size, k)))
      return failure();
  } else {
    for (const ContractionOperand &operand : plain.operands)
      if (!operand.elementType.isF32() && !operand.elementType.isF16() && !operand.elementType.isBF16())
        return misfit("a Winograd convolution of floats must be f32, f16 or bf16");
  }
  if (plain.cutAxis > Down || (plain.cutAxis == Down && loops[Image].size != 1))
    return misfit("a Winograd convolution must be cut along its images or rows");

  WinogradConvolution result;
  static_cast<Contraction &>(result) = plain;
  result.images = loops[Image];
  result.down = loops[Down];
  result.across = loops[Across];
  result.columns = loops[Column];
  result.channels = loops[Channel];
  result.groups = groupLoop;
  result.method = method;
  result.panels = {width, method.taps * method.taps * result.channels.size * width, k};
  result.cutAmongImages = plain.cutAxis == Image;
  return result;
}

/// Recognizes f'(i, j, c, o) += x(n, h + i, w + j, c) * y'(n, h, w, o).
FailureOr<WinogradGradient> byWinogradGradient(const PlainContraction &plain, int64_t tile, bool mayBeParts) {
  enum Loop : unsigned { TapDown, TapAcross, Channel, Column, Image, Down, Across, Count };
  ArrayRef<ProductLoop> loops = plain.loops;
  size_t parts = 0;
  for (; mayBeParts && loops.size() > Count && loops.front().parallel; ++parts) {
    if (loops.front().size != 1 && (!loops.front().movesLhs || !loops.front().movesRhs))
      return misfit("parts of a filter's gradient must be sums over different images or rows");
    loops = loops.drop_front();
  }
  if (plain.depthwise || plain.prologue || plain.parts != 1 || loops.size() != Count ||
      plain.column != parts + Column || plain.written->haloValue)
    return misfit("the gradient of a filter must have taps and channels by columns");
  for (auto [number, loop] : llvm::enumerate(loops))
    if (loop.parallel != (number <= Column) || loop.movesLhs != (number != Column) ||
        loop.movesRhs != (number >= Column) || loop.size == 0)
      return misfit("the gradient of a filter must be summed over images and pixels");
  auto lhsStride = [&](Loop loop) { return loops[loop].strides[Contraction::Lhs]; };
  const winograd::Method method = {tile, loops[TapDown].size};
  if (!method.exists() || loops[TapAcross].size != method.taps || lhsStride(Down) != lhsStride(TapDown) ||
      lhsStride(Across) != lhsStride(TapAcross) || lhsStride(Channel) != 1 ||
      loops[Column].strides[Contraction::Rhs] != 1 || loops[Column].strides[Contraction::Result] != 1)
    return misfit("Winograd supports only small square filters with stride 1");
  for (const ContractionOperand &operand : plain.operands)
    if (!operand.elementType.isF32())
      return misfit("a Winograd gradient must be f32");

  WinogradGradient result;
  static_cast<Contraction &>(result) = plain;
  result.images = loops[Image];
  result.down = loops[Down];
  result.across = loops[Across];
  result.tapsDown = loops[TapDown];
  result.tapsAcross = loops[TapAcross];
  result.channels = loops[Channel];
  result.columns = loops[Column];
  result.method = method;
  return result;
}

//===----------------------------------------------------------------------===//
// 3. The kernel's note
//===----------------------------------------------------------------------===//

FailureOr<WinogradConvolution> parseWinograd(plan::KernelOp kernel) {
  const std::optional<plan::WinogradNote> note = plan::winogradOf(kernel);
  if (!note)
    return failure();
  FailureOr<PlainContraction> plain = readContraction(kernel);
  if (failed(plain))
    return failure();
  plan::EncodingAttr encoding = kernel.getEncoding(plain->operands[Contraction::Rhs].argument);
  if (!encoding || encoding.getKind() != plan::EncodingKind::Panel)
    return misfit("Winograd requires filters in panels");
  return byWinograd(*plain, note->tile, encoding.getWidth(), encoding.getK());
}

FailureOr<WinogradGradient> parseWinogradGradient(plan::KernelOp kernel) {
  const std::optional<plan::WinogradNote> note = plan::winogradOf(kernel);
  if (!note)
    return failure();
  FailureOr<PlainContraction> plain = readContraction(kernel);
  if (succeeded(plain))
    plain = withResultsInPanels(*plain, kernel);
  if (failed(plain) || kernel.getEncoding(plain->operands[Contraction::Rhs].argument))
    return failure();
  return byWinogradGradient(*plain, note->tile);
}

} // namespace nacre::codegen
