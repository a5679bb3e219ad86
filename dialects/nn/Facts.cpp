// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts of operators that depend on attributes or types. NnOps.td states all other facts.

#include "dialects/nn/NnDialect.h"
#include "dialects/nn/ResampleTables.h"

#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;

namespace nacre::nn {

/// A slice with steps of one is a view.
WorkKind SliceOp::getWorkKind() {
  return llvm::all_of(getSteps(), [](int64_t step) { return step == 1; }) ? WorkKind::Boundary : WorkKind::Nest;
}

/// A bitcast between types of equal width is elementwise, except for f16 and bf16, which are computed in f32.
WorkKind BitcastOp::getWorkKind() {
  auto isHalf = [](RankedTensorType type) { return type.getElementType().isF16() || type.getElementType().isBF16(); };
  return keepsShape() && !isHalf(getOperand().getType()) && !isHalf(getType()) ? WorkKind::Elementwise : WorkKind::Nest;
}

/// A constant padding is the halo of a storage.
WorkKind PadOp::getWorkKind() { return getMode() == PadMode::Constant ? WorkKind::Boundary : WorkKind::Indexed; }

Width UnaryOp::getWidth() { return getFacts(getKind()).is(FunctionFacts::bounded) ? Width::Bounded : Width::Same; }

/// An outer product, such as positions by frequencies, adds up nothing, so it keeps the width of its operands. Other
/// products belong to the network itself. Integer inputs, such as an image, must not make them wide.
Width MatMulOp::getWidth() { return getLhs().getType().getShape().back() == 1 ? Width::Same : Width::Free; }

/// Sums of codes are exact, and their scores are f32.
Width AttentionOp::getWidth() { return isOfCodes() ? Width::Full : Width::Free; }

CodesAttr AttentionOp::getCodesOf(Part part) { return llvm::cast<CodesAttr>((*getCodes())[part]); }

double AttentionOp::getScoreFactor() {
  const double scale = getScale().convertToDouble();
  if (!isOfCodes())
    return scale;
  auto scaleOf = [&](Part part) { return static_cast<float>(getCodesOf(part).getScale().convertToDouble()); };
  return static_cast<float>(double(scaleOf(Queries) * scaleOf(Keys)) * scale);
}

bool isTableOfMoves(DenseElementsAttr weights) {
  if (weights.getType().getShape().back() != 1)
    return false;
  return weights.empty() || (weights.isSplat() && weights.getSplatValue<float>() == 1);
}

bool ResampleOp::isMove(size_t index) { return isTableOfMoves(cast<DenseElementsAttr>(getWeights()[index])); }

bool ResampleOp::keepsSplats() {
  return llvm::all_of(llvm::seq<size_t>(0, getAxes().size()), [&](size_t index) { return isMove(index); });
}

/// Returns an upper bound. Axes are resampled one after another, which reads at most as many elements as one pass over
/// all axes.
int64_t ResampleOp::countReducedElements() {
  if (keepsSplats())
    return 0;
  int64_t elements = std::max(getType().getNumElements(), getOperand().getType().getNumElements()), steps;
  return llvm::MulOverflow(elements, maxReads, steps) ? std::numeric_limits<int64_t>::max() : steps;
}

/// Keeps positions wide. In f16, positions from 1,024 on have errors of half a pixel.
bool SampleOp::readsWide(unsigned operand) { return operand == 1; }

int64_t MatMulOp::countReducedElements() {
  int64_t elements = getType().getNumElements(), depth = getLhs().getType().getShape().back(), steps;
  return llvm::MulOverflow(elements, depth, steps) ? std::numeric_limits<int64_t>::max() : steps;
}

} // namespace nacre::nn
