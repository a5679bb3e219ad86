// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds a note with the speed of a kernel's products on the first target, relative to f32 (plan::setProductRate).
// Why: an instruction multiplies four times as many bytes as floats, and half as many doubles. Placement, the schedule
//      and the report compute prices of launches, but don't know a CPU's instructions.
// How: the tables for choosing tiles give both times.
//      1. products of matrices;
//      2. depthwise convolutions;
//      3. attention.

#include "codegen/TargetOptions.h"
#include "codegen/cpu/depthwise/TapProducts.h"
#include "codegen/cpu/tiles/ScratchProduct.h"
#include "codegen/cpu/tiles/TileTables.h"
#include "codegen/form/AttentionForm.h"
#include "compiler/encode/Passes.h"
#include "compiler/encode/panels/PanelWishes.h"
#include "dialects/plan/Notes.h"

namespace nacre::encode {
#define GEN_PASS_DEF_RATEPRODUCTSPASS
#include "compiler/encode/Passes.h.inc"
} // namespace nacre::encode

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;

//===----------------------------------------------------------------------===//
// 1. Products of matrices
//===----------------------------------------------------------------------===//

/// Returns the cycles of an f32 product divided by the cycles of a product of `types`. Returns 1 for an empty product,
/// or if no instruction of the target multiplies these types.
static double rateOf(const Target &target, ContractionShape shape, const ProductTypes &types) {
  const bool isSingleRow = shape.isSingleRow();
  const MachineRow *row = bestRow(machineRows(), target.needs, types, isSingleRow, target.inOrder);
  if (!row || shape.rows * shape.columns * shape.depth == 0)
    return 1;
  const double cycles = runCycles(*row, shape);
  shape.rowBytes = shape.rowBytes / bytesOf(types.lhs) * bytesOf(Number::F32);
  return runCycles(machineOf(target, ProductTypes(), isSingleRow), shape) / cycles;
}

/// Returns the type of the right operand in panels, and the number of steps of the depth in a group.
static std::pair<Type, int64_t> panelsOf(plan::KernelOp kernel, const Target &target, const MatrixProduct &product) {
  const ContractionOperand &right = product.operands[Contraction::Rhs];
  if (ArrayAttr encodings = kernel.getEncodingsAttr(); encodings && right.argument < encodings.size())
    if (auto encoding = dyn_cast<plan::EncodingAttr>(encodings[right.argument]))
      return {product.rightType(), encoding.getK()};
  return {typeInScratch(target, product), inScratch(target, product).groups.k};
}

static double rateOfProduct(plan::KernelOp kernel, const Target &target, const PlainContraction &plain) {
  const MatrixProduct product = asProduct(plain);
  if (product.isOfIntegers() && !canMultiply(target, product))
    return 1;
  auto [type, k] = panelsOf(kernel, target, product);
  const std::optional<ProductTypes> types = productsOf(product, type, k);
  if (!types)
    return 1;
  // Operands that are widened one by one take the time of f32 products.
  const bool isOfSingles = types->sum == Number::F32 && types->k == 1 &&
                           !machineOf(target, *types, shapeOf(product).isSingleRow()).hasShortSums();
  return isOfSingles ? 1 : rateOf(target, shapeOf(product), *types);
}

//===----------------------------------------------------------------------===//
// 2. Depthwise convolutions
//===----------------------------------------------------------------------===//

static double rateOfDepthwise(const Target &target, const PlainContraction &plain) {
  if (plain.accumulatorType.isF64()) // A vector has half as many lanes of f64 as of f32.
    return 0.5;
  const DepthwiseConvolution convolution = asDepthwise(plain);
  const MachineRow &floats = machineOf(target, ProductTypes());
  if (!plain.isOfIntegers()) { // Loads, products and stores all have as many lanes.
    const MachineRow &row = machineOf(target, productsOf(convolution));
    return row.hasShortSums() ? double(row.step.lanes) / double(floats.step.lanes) : 1;
  }
  const bool isOfBytes = plain.operands[Contraction::Lhs].elementType.isInteger(8) &&
                         plain.operands[Contraction::Rhs].elementType.isInteger(8);
  if (!isOfBytes)
    return 1;
  TapWindow window;
  window.high = convolution.depth.front().size;
  window.wide = iterationsOf(ArrayRef(convolution.depth).drop_front());
  if (const int64_t step = convolution.depth.back().strides[Contraction::Lhs]; window.wide > 1 && step != 0)
    window.stride = std::max<int64_t>(1, std::abs(convolution.rows.back().strides[Contraction::Lhs] / step));
  return tapRate(target, convolution.isUnsignedLhs, convolution.isUnsignedRhs, window, floats.step.lanes);
}

//===----------------------------------------------------------------------===//
// 3. Attention
//===----------------------------------------------------------------------===//

/// Returns the rate of attention. The product of weights and values has the same types as the product of queries and
/// keys.
static double rateOfAttention(plan::KernelOp kernel, const Target &target) {
  FailureOr<AttentionForm> form = parseAttention(kernel);
  if (failed(form) || !form->isOfCodes)
    return 1;
  const Type element = form->operands[AttentionForm::Queries].elementType;
  MatrixProduct scores;
  scores.accumulatorType = IntegerType::get(kernel.getContext(), 32);
  scores.operands = {{0, 0, element}, {0, 0, element}, {0, 0, scores.accumulatorType}};
  scores.isUnsignedLhs = form->isUnsignedQueries;
  scores.isUnsignedRhs = form->isUnsignedKeys;
  scores.rows = {{form->rows.size, {0, 0, 0}}};
  scores.depth = {{form->depth.size, {1, 0, 0}}};
  scores.columns = {form->keys.size, {0, 1, 1}};
  if (!canMultiply(target, scores))
    return 1;
  return rateOf(target, shapeOf(scores), *productsOf(scores, element, inScratch(target, scores).groups.k));
}

static double rateOf(plan::KernelOp kernel, const Target &target) {
  if (kernel.getKind() == plan::KernelKind::Attention)
    return rateOfAttention(kernel, target);
  if (kernel.getKind() != plan::KernelKind::Contraction && kernel.getKind() != plan::KernelKind::Separable)
    return 1;
  if (FailureOr<PlainContraction> product = encode::readProduct(kernel); succeeded(product))
    return rateOfProduct(kernel, target, *product);
  FailureOr<PlainContraction> plain = readContraction(kernel);
  return succeeded(plain) && plain->depthwise ? rateOfDepthwise(target, *plain) : 1;
}

namespace {

struct RateProducts : encode::impl::RateProductsPassBase<RateProducts> {
  using RateProductsPassBase::RateProductsPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Target, 1>> targets = readTargetOptions(getOperation(), target, cpu);
    if (failed(targets))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<plan::KernelOp>())
      plan::setProductRate(kernel, rateOf(kernel, targets->front()));
  }
};

} // namespace
