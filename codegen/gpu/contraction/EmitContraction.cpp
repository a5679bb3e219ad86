// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits matrix products and convolutions, also separable ones: tiles in registers, by implicit GEMM.
// Why:   models spend most of their time in contractions.
// How:   1. read the form, and decline it if the templates cannot compute it;
//        2. get the list of variants from the tile tables;
//        3. divide the work into tiles, write the halo, and let the tile's template fill the rest.

#include "codegen/form/fused/SeparableForm.h"
#include "codegen/gpu/Emitters.h"
#include "codegen/gpu/Halo.h"
#include "codegen/gpu/InlineBody.h"
#include "codegen/gpu/ParseGpuTile.h"
#include "codegen/gpu/contraction/LeftPrologue.h"
#include "codegen/gpu/contraction/LeftWindows.h"
#include "codegen/gpu/contraction/Templates.h"
#include "codegen/gpu/contraction/TileTables.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/PlanDialect.h"

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::gpu;

namespace {

bool isKnown(Type type) { return type.isF32() || type.isF16() || type.isF64(); }
bool isKnownInteger(Type type) { return type.isInteger(8) || type.isInteger(16) || type.isInteger(32); }

/// True if cooperative matrices may multiply the operands as f16. That is exact for f16 operands; for others, the user
/// must request it. bf16 operands would keep their digits, but lose their range.
bool mayMultiplyHalves(const LoopedContraction &contraction, const GpuOptions &options) {
  const Type lhs = contraction.leftType();
  const Type rhs = contraction.rightType();
  if (!contraction.accumulatorType.isF32() || lhs.isBF16() || rhs.isBF16())
    return false;
  return options.precision == GpuPrecision::F16 || (lhs.isF16() && rhs.isF16());
}

/// The product as a convolution or as a gradient that Winograd's method can compute, if it is one.
struct ByWinograd {
  std::optional<WinogradConvolution> convolution;
  std::optional<WinogradGradient> gradient;

  /// Sets the tile by which the product is computed, if it is one of Winograd.
  void setTile(const GpuTile &tile) {
    if (const auto *pixels = tile.as<GpuTile::Winograd>(); pixels && convolution)
      convolution->method.outputs = pixels->outputs;
    if (const auto *block = tile.as<GpuTile::WinogradBlock>(); block && convolution)
      convolution->method.outputs = block->outputs;
    if (const auto *block = tile.as<GpuTile::WinogradGradient>(); block && gradient)
      gradient->method.outputs = block->outputs;
  }
};

TileRequest requestOf(const LoopedContraction &contraction, bool depthwise, bool isOfWords, const ByWinograd &winograd,
                      const GpuOptions &options) {
  TileRequest request;
  request.blocks = iterationsOf(contraction.outer);
  request.rows = iterationsOf(contraction.rows);
  request.columns = contraction.columns.size;
  request.depth = contraction.depthSize();
  request.depthwise = depthwise;
  request.taps = contraction.prologue ? contraction.prologue->taps.size() : 0;
  request.bytes = bytesOfElement(contraction.accumulatorType);
  request.halves = mayMultiplyHalves(contraction, options);
  request.words = isOfWords && !contraction.isUnsignedRhs;
  request.turnsLeft = !contraction.prologue && contraction.rows.back().strides[Contraction::Lhs] == 1 &&
                      contraction.depth.back().strides[Contraction::Lhs] != 1;
  request.mayBePlayed = options.mayBePlayed;
  request.mayBePhone = options.mayBePhone;
  if (winograd.convolution && options.accuracy == Accuracy::Fast)
    request.winograd = shapeOf(*winograd.convolution);
  if (winograd.gradient && options.accuracy == Accuracy::Fast)
    request.gradient = shapeOf(*winograd.gradient);
  return request;
}

/// Returns the product as a Winograd convolution. Returns `nullopt` if it is no such convolution, or if the template
/// cannot divide it.
std::optional<WinogradConvolution> convolutionOf(plan::KernelOp kernel, const LoopedContraction &product) {
  FailureOr<PlainContraction> plain = readContraction(kernel);
  if (failed(plain) || plain->prologue || !product.outer.empty())
    return std::nullopt;
  // Both are preliminary: tables choose the tile later (setTile()), and the product has the layout of its columns.
  constexpr int64_t tile = 2, width = 4;
  FailureOr<WinogradConvolution> convolution = byWinograd(*plain, tile, width);
  if (failed(convolution) || convolution->method.taps != kWinogradTaps)
    return std::nullopt;
  WinogradConvolution found = std::move(*convolution);
  return found;
}

/// Returns the product as the gradient of a filter, or as parts of one, that the template computes. Returns `nullopt`
/// if it is no such gradient.
std::optional<WinogradGradient> gradientOf(plan::KernelOp kernel, KernelFunction &function,
                                           const MatrixProduct &product) {
  FailureOr<PlainContraction> plain = readContraction(kernel);
  const bool isWhole = product.cut == LoopedContraction::Cut::Outer || product.cut == LoopedContraction::Cut::None;
  const ContractionGrid grid(function, product, product.panels, 4, /*mayTurn=*/true);
  // The template loads channels and columns in quads.
  if (failed(plain) || !isWhole || grid.reach(Contraction::Lhs) != Reach::Rows ||
      grid.reach(Contraction::Rhs) == Reach::Depth)
    return std::nullopt;
  FailureOr<WinogradGradient> gradient = byWinogradGradient(*plain, winogradGradient().outputs, /*mayBeParts=*/true);
  if (failed(gradient) || gradient->method.taps != kWinogradTaps)
    return std::nullopt;
  WinogradGradient found = std::move(*gradient);
  return found;
}

/// Emits the halo of the share's part. All workgroups of a row do this work together.
void emitHaloOfRow(KernelFunction &function, const Contraction &contraction) {
  IndexBuilder build(function.builder, function.loc);
  Value low = build.add(function.shareBegin, build.multiply(function.row, function.unitExtent));
  Value high = build.least(build.add(low, function.unitExtent), function.shareEnd);
  emitHalo(function, *contraction.written, contraction.cutAxis, low, high);
}

/// Returns the reason why the templates cannot compute the form; empty if they can. Factors of integers are not checked
/// here.
std::string obstacleOf(const Contraction &contraction) {
  const bool isOfIntegers = contraction.isOfIntegers();
  if (isOfIntegers && contraction.prologue)
    return "the left operand of a product of integers is not in memory";
  if (contraction.parts != 1)
    return "the epilogue reads the product in parts";
  if (contraction.prologue && !isKnown(contraction.prologue->elementType))
    return "the left operand is not computed as a 16-, 32- or 64-bit float";
  if (contraction.prologue && !canMakeLeft(*contraction.prologue))
    return "the left operand is computed by an operation that SPIR-V lacks";
  for (auto [number, operand] : llvm::enumerate(contraction.operands)) {
    const bool isFactor = (number == Contraction::Lhs && !contraction.prologue) || number == Contraction::Rhs;
    const Type type = operand.elementType;
    if (!isKnown(type) && !(isFactor && type.isBF16()) && !(isOfIntegers && isKnownInteger(type)))
      return "an operand is not a 16-, 32- or 64-bit float";
  }
  if (contraction.epilogue && !canInlineOnGpu(*contraction.epilogue->body))
    return "the epilogue has an operation that SPIR-V lacks";
  return "";
}

bool divide(ContractionGrid &grid, const GpuTile &tile, const ByWinograd &winograd) {
  std::string &declined = grid.function.declined;
  const std::optional<WinogradConvolution> &convolution = winograd.convolution;
  auto divideInTiles = [&](const auto &kind) {
    if (!convolution)
      declined = "Winograd supports only 3x3 convolutions with stride 1 and no groups";
    return declined.empty() && grid.divideInto(countWinogradTiles(shapeOf(*convolution), kind), kind.tileColumns());
  };
  if (const auto *pixels = tile.as<GpuTile::Winograd>())
    return divideInTiles(*pixels);
  if (const auto *block = tile.as<GpuTile::WinogradBlock>()) {
    if (convolution && convolution->channels.size % block->depth != 0)
      declined = "the channels do not fill the parts of a Winograd block";
    return divideInTiles(*block);
  }
  if (const auto *block = tile.as<GpuTile::WinogradGradient>())
    if (!winograd.gradient || !dividesGradient(shapeOf(*winograd.gradient), *block))
      declined = "a Winograd block supports only gradients of 3x3 filters whose images and channels it divides evenly";
  return declined.empty() && grid.divide(tile.tileRows(), tile.tileColumns(), tile.band);
}

void emitTile(ContractionGrid &grid, const GpuTile::Direct &tile, const ByWinograd &) { emitDirectTile(grid, tile); }
void emitTile(ContractionGrid &grid, const GpuTile::Shared &tile, const ByWinograd &) { emitSharedTile(grid, tile); }
void emitTile(ContractionGrid &grid, const GpuTile::Split &tile, const ByWinograd &) { emitSplitTile(grid, tile); }
void emitTile(ContractionGrid &grid, const GpuTile::Cooperative &tile, const ByWinograd &) {
  emitCooperativeTile(grid, tile);
}
void emitTile(ContractionGrid &grid, const GpuTile::Winograd &tile, const ByWinograd &winograd) {
  emitWinogradTile(grid, tile, *winograd.convolution);
}
void emitTile(ContractionGrid &grid, const GpuTile::WinogradBlock &tile, const ByWinograd &winograd) {
  emitWinogradBlock(grid, tile, *winograd.convolution);
}
void emitTile(ContractionGrid &grid, const GpuTile::WinogradGradient &tile, const ByWinograd &winograd) {
  emitWinogradGradientBlock(grid, tile, *winograd.gradient);
}

/// Emits the tiles of a contraction. `panels` are the panels of Rhs, if it is packed. `words` is the contraction if it
/// is a product of words, otherwise null.
LogicalResult emitTiles(KernelFunction &function, const LoopedContraction &contraction,
                        const std::optional<Panels> &panels, bool depthwise, ByWinograd winograd = {},
                        const WordProduct *words = nullptr) {
  TileRequest request = requestOf(contraction, depthwise, words != nullptr, winograd, function.options);
  SmallVector<GpuTile, 4> tiles = chooseGpuTiles(request);
  if (!function.options.tile.empty()) // The driver has checked that it is a tile.
    tiles = {llvm::cantFail(parseGpuTile(function.options.tile)), tiles.back()};
  const GpuTile &tile = tiles[function.variant];
  winograd.setTile(tile);
  function.variants = tiles.size();
  function.families = tile.families;
  function.workgroupSize = tile.invocations();
  const bool isCooperative = tile.is<GpuTile::Cooperative>();
  if (isCooperative && words && !request.words) {
    function.declined = "matrices do not multiply unsigned bytes of the right operand";
    return failure();
  }
  ContractionGrid grid(function, contraction, panels, isCooperative ? 8 : 4,
                       /*mayTurn=*/isCooperative || tile.is<GpuTile::Shared>() || tile.is<GpuTile::WinogradGradient>(),
                       words);
  if (!divide(grid, tile, winograd))
    return failure();
  emitHaloOfRow(function, contraction);
  std::unique_ptr<LeftSource> left = makeLeftSource(grid, tile);
  grid.left = left.get();
  grid.build.onlyIf(grid.active,
                    [&] { std::visit([&](const auto &kind) { emitTile(grid, kind, winograd); }, tile.shape); });
  return success();
}

LogicalResult emitWords(KernelFunction &function, const MatrixProduct &product) {
  std::optional<WordProduct> words = inWords(product, function);
  if (!words || failed(emitTiles(function, *words, words->panels, /*depthwise=*/false, {}, &*words)))
    return failure();
  function.flops = 2 * product.multiplyAdds(); // A step has four multiply-adds of each sum.
  return success();
}

LogicalResult emit(plan::KernelOp kernel, KernelFunction &function, const MatrixProduct &product) {
  if (product.isOfIntegers())
    return emitWords(function, product);
  return emitTiles(function, product, product.panels, /*depthwise=*/false,
                   {convolutionOf(kernel, product), gradientOf(kernel, function, product)});
}

LogicalResult emit(plan::KernelOp, KernelFunction &function, const DepthwiseConvolution &convolution) {
  if (convolution.isOfIntegers()) {
    function.declined = "a depthwise product of integers has no words";
    return failure();
  }
  return emitTiles(function, convolution, std::nullopt, /*depthwise=*/true);
}

/// Returns the second half of a separable convolution. Its weight is in panels if the kernel's encoding says so.
FailureOr<MatrixProduct> productOf(plan::KernelOp kernel, const PlainContraction &plain) {
  plan::EncodingAttr encoding = kernel.getEncoding(plain.operands[Contraction::Rhs].argument);
  if (encoding && encoding.getKind() == plan::EncodingKind::Panel)
    return inPanels(plain, encoding.getWidth());
  return asProduct(plain);
}

} // namespace

LogicalResult nacre::codegen::gpu::emitSeparable(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<SeparableForm> form = parseSeparable(kernel);
  if (failed(form))
    return failure();
  FailureOr<PlainContraction> plain = throughWindows(*form, kMostTaps);
  if (failed(plain)) {
    function.declined = "its windows are too large, or the operations after them are not per-channel";
    return failure();
  }
  FailureOr<MatrixProduct> product = productOf(kernel, *plain);
  if (failed(product))
    return failure();
  function.declined = product->isOfIntegers() ? "the product is of integers" : obstacleOf(*product);
  if (!function.declined.empty() || failed(emitTiles(function, *product, product->panels, /*depthwise=*/false)))
    return failure();
  function.flops += 2 * asDepthwise(form->depthwise).multiplyAdds();
  return success();
}

LogicalResult nacre::codegen::gpu::emitContraction(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<ContractionForm> contraction = parseContraction(kernel);
  if (failed(contraction))
    return failure();
  return std::visit(
      [&](const auto &kind) {
        function.declined = obstacleOf(kind);
        return function.declined.empty() ? emit(kernel, function, kind) : failure();
      },
      *contraction);
}
