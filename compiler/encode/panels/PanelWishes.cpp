// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/panels/PanelWishes.h"

#include "codegen/cpu/tiles/ScratchProduct.h"
#include "codegen/cpu/tiles/TileTables.h"
#include "codegen/cpu/winograd/WinogradTables.h"
#include "codegen/form/fused/KernelHalves.h"
#include "codegen/form/fused/SeparableForm.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/Notes.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;
using nacre::encode::PanelLayout;
using nacre::encode::PanelWish;

namespace {

void setPanel(plan::KernelOp kernel, const PanelWish &wish) {
  MLIRContext *context = kernel.getContext();
  SmallVector<Attribute> encodings(kernel.getNumInputs(), UnitAttr::get(context));
  encodings[wish.input] = encode::encodingOf(context, wish);
  kernel.setEncodingsAttr(ArrayAttr::get(context, encodings));
}

/// Returns the columns of whole registers on all targets. The width of a panel of bytes or halves is a multiple of it.
int64_t columnsOfRegisters(ArrayRef<Target> targets, const ContractionShape &shape, const ProductTypes &types) {
  int64_t unit = 1;
  for (const Target &target : targets) {
    const MachineRow &row = machineOf(target, types, shape.isSingleRow());
    unit = std::max(unit, row.step.lanes * (row.hasMixedSums() ? 2 : 1));
  }
  return unit;
}

/// Rounds `width` up to whole registers of all targets. Tiles of bytes may be narrower than a panel and use a slice of
/// it.
int64_t inWholeRegisters(ArrayRef<Target> targets, const ContractionShape &shape, const ProductTypes &types,
                         int64_t width) {
  return llvm::alignTo(width, columnsOfRegisters(targets, shape, types));
}

/// Returns the panel width for floats. The width that the first target prefers is chosen if all other targets can hold
/// a row of such a tile in registers. Otherwise, the largest width that they can hold is chosen.
int64_t widthOfFloats(ArrayRef<Target> targets, const ContractionShape &shape, const ProductTypes &types) {
  const int64_t unit = columnsOfRegisters(targets, shape, types);
  int64_t width = inWholeRegisters(targets, shape, types,
                                   choosePanelWidth(machineOf(targets.front(), types, shape.isSingleRow()), shape));
  auto isHeldBy = [&](const Target &target) {
    const MachineRow &machine = machineOf(target, types, shape.isSingleRow());
    return tileFits(machine, /*rows=*/1, shape.parts * llvm::divideCeil(width, machine.step.lanes));
  };
  while (width > unit && !llvm::all_of(targets.drop_front(), isHeldBy))
    width -= unit;
  return width;
}

/// Returns the machine row that decides about the layout: the first target's for floats, the fastest for bytes.
const MachineRow &decidingRow(ArrayRef<Target> targets, const ContractionShape &shape, const ProductTypes &types) {
  const MachineRow *deciding = &machineOf(targets.front(), types, shape.isSingleRow());
  if (types.k == 1)
    return *deciding;
  for (const Target &target : targets.drop_front()) {
    const MachineRow &row = machineOf(target, types, shape.isSingleRow());
    if (row.productsPerCycle() > deciding->productsPerCycle())
      deciding = &row;
  }
  return *deciding;
}

/// Returns the panel width for all targets. For bytes, this is the width that the fastest target prefers.
int64_t widthForAll(ArrayRef<Target> targets, const ContractionShape &shape, const ProductTypes &types) {
  if (types.k == 1)
    return widthOfFloats(targets, shape, types);
  return inWholeRegisters(targets, shape, types, choosePanelWidth(decidingRow(targets, shape, types), shape));
}

/// Returns the groups of steps of the depth. For floats, a group is one step, except for words of bf16. The fastest
/// instructions among all targets decide, if every other target supports this number of steps. Returns `nullopt` if the
/// operands cannot be multiplied in such groups.
std::optional<DepthGroups> groupsForAll(ArrayRef<Target> targets, const PlainContraction &plain) {
  const Type columns = plain.rightType();
  if (!plain.isOfIntegers() && (!columns.isBF16() || !plain.leftType().isBF16() || plain.prologue))
    return DepthGroups();
  auto rowOf = [&](const Target &target, int64_t k) -> const MachineRow * {
    std::optional<ProductTypes> types = productsOf(plain, columns, k);
    return types ? bestRow(machineRows(), target.needs, *types, /*isSingleRow=*/false, target.inOrder) : nullptr;
  };
  std::optional<int64_t> best;
  double most = 0;
  for (int64_t k : {1, 2, 4, 8}) {
    if (k == 1 && plain.isOfIntegers())
      continue;
    if (!llvm::all_of(targets, [&](const Target &target) { return rowOf(target, k); }))
      continue;
    double products = 0;
    for (const Target &target : targets)
      products = std::max(products, rowOf(target, k)->productsPerCycle());
    if (products > most) {
      most = products;
      best = k;
    }
  }
  if (!best)
    return std::nullopt;
  std::optional<DepthGroups> groups = *best == 1 ? DepthGroups() : depthGroupsOf(plain, *best);
  // Floats that cannot lie in groups are multiplied one by one.
  return groups || plain.isOfIntegers() ? groups : DepthGroups();
}

bool isEmpty(const WinogradShape &shape) {
  return shape.images * shape.height * shape.width * shape.inputs * shape.outputs == 0;
}

/// Returns the machine row of `target` for the kernel by Winograd; null if no row can.
const MachineRow *winogradRowOf(const PanelWish &wish, const Target &target) {
  return winogradRow(target, wish.types.sum == Number::S32, wish.winogradTypes.shortSums);
}

/// Returns the best Winograd tile for the target, at most `largest`. Returns 0 if direct multiplication is faster.
int64_t bestTile(const PanelWish &wish, int64_t largest, const Target &target) {
  const MachineRow *row = winogradRowOf(wish, target);
  return row ? chooseWinogradTile(*row, machineOf(target, wish.types), *wish.winograd, target.model.l2Bytes, largest)
             : 0;
}

/// Returns the cycles of the kernel by Winograd with panels of `width` columns.
double winogradCyclesOf(const PanelWish &wish, int64_t width, const Target &target) {
  return winogradCycles(*winogradRowOf(wish, target), *wish.winograd, wish.winogradTile, width, target.model.l2Bytes);
}

/// Chooses the tile of a product of halves, if the first target multiplies halves. Transformed values are f16 or f32,
/// whichever is faster.
void wishForHalves(PanelWish &wish, ArrayRef<Target> targets) {
  PanelWish halves = wish;
  halves.winogradTypes = halvesOf(std::min(wish.types.shortSums, kMostWinogradSteps));
  halves.winogradTile = bestTile(halves, kLargestTileOfHalves, targets.front());
  const MachineRow *row = winogradRowOf(halves, targets.front());
  if (!halves.winogradTile || !isOfHalves(*row))
    return;
  auto preferredWidth = [&](const PanelWish &each) {
    return choosePanelWidth(*winogradRowOf(each, targets.front()), productShape(*each.winograd, each.winogradTile));
  };
  if (!wish.winogradTile || winogradCyclesOf(halves, preferredWidth(halves), targets.front()) <
                                winogradCyclesOf(wish, preferredWidth(wish), targets.front()))
    wish = halves;
}

/// Chooses the first target's best Winograd tile, and panels for it, if Winograd makes the kernel faster. For bytes,
/// other targets may multiply directly.
void wishForWinograd(PanelWish &wish, const PlainContraction &plain, ArrayRef<Target> targets) {
  const bool isOfBytes = plain.isOfIntegers();
  FailureOr<WinogradConvolution> convolution =
      byWinograd(plain, kWinogradTiles.front(), wish.width, isOfBytes ? wish.depth.k : 1);
  if (failed(convolution) || isEmpty(shapeOf(*convolution)))
    return;
  wish.winograd = shapeOf(*convolution);
  wish.winogradTile = bestTile(wish, isOfBytes ? kLargestTileOfBytes : kWinogradTiles.back(), targets.front());
  if (wish.types.shortSums > 0 && fitsHalves({kWinogradTiles.front(), convolution->method.taps}))
    wishForHalves(wish, targets);
  if (!wish.winogradTile)
    return;
  if (!isOfBytes) // Transformed floats do not lie in groups.
    wish.depth = DepthGroups();
  const ContractionShape product = productShape(*wish.winograd, wish.winogradTile);
  wish.width = isOfBytes ? inWholeRegisters(targets, product, wish.types,
                                            choosePanelWidth(*winogradRowOf(wish, targets.front()), product))
                         : widthOfFloats(targets, product, wish.winogradTypes);
}

/// Returns the types of the same operands in groups of `k` steps. Single bf16 values are multiplied as f32.
ProductTypes inGroupsOf(ProductTypes types, int64_t k) {
  if (types.lhs == Number::BF16 && k == 1)
    types.lhs = Number::F32;
  types.k = k;
  return types;
}

/// True if all targets can multiply in the groups of steps of `layout`, and the kernel can read them.
bool readsGroups(plan::KernelOp kernel, const PanelWish &wish, const PanelLayout &layout, ArrayRef<Target> targets) {
  const ProductTypes types = inGroupsOf(wish.types, layout.depth.k);
  auto hasRow = [&](const Target &target) {
    return bestRow(machineRows(), target.needs, types, wish.reading.shape.isSingleRow(), target.inOrder);
  };
  if (!llvm::all_of(targets, hasRow))
    return false;
  FailureOr<PlainContraction> plain = encode::readProduct(kernel);
  return succeeded(plain) && succeeded(inPanels(*plain, layout.width, layout.depth));
}

/// Returns the nanoseconds of a launch of a kernel with the wish `wish` that reads `layout`.
double priceIn(const PanelWish &wish, const PanelLayout &layout, bool repeats, ArrayRef<Target> targets) {
  if (wish.winogradTile && layout.depth == wish.depth)
    return winogradCyclesOf(wish, layout.width, targets.front()) / targets.front().model.gigahertz;
  const ContractionShape &shape = wish.reading.shape;
  const MachineRow &row = decidingRow(targets, shape, inGroupsOf(wish.types, layout.depth.k));
  encode::PanelReading reading = wish.reading;
  reading.repeats = repeats;
  return nanosecondsOf(row, reading, layout.depth.k == 1 ? layout.width : sliceOfPanel(row, shape, layout.width));
}

/// Adds the note that the CPU computes `kernel` by Winograd, with the panels of its wish.
void noteWinograd(plan::KernelOp kernel, const PanelWish &wish, const Target &first) {
  const double direct = directCycles(machineOf(first, wish.types), *wish.winograd, first.model.l2Bytes),
               cycles = winogradCyclesOf(wish, wish.width, first);
  plan::setWinograd(kernel, {wish.winogradTile, std::llround(direct), std::llround(std::ceil(cycles))});
  if (wish.winogradTypes.shortSums == 0)
    kernel->removeAttr(plan::kHalfSums); // Transforms widen to f32.
  // Shares of the rows must begin at a tile, also of CPUs that do not multiply halves.
  if (!wish.winograd->cutAmongImages)
    kernel.setGrain(wish.winogradTypes.shortSums > 0 ? kTileWithoutHalves : wish.winogradTile);
}

} // namespace

FailureOr<PlainContraction> encode::readProduct(plan::KernelOp kernel) {
  const bool isSeparable = kernel.getKind() == plan::KernelKind::Separable;
  FailureOr<PlainContraction> product = failure();
  if (!isSeparable)
    product = readContraction(kernel);
  else if (FailureOr<SeparableForm> separable = parseSeparable(kernel); succeeded(separable))
    product = std::move(separable->pointwise);
  if (failed(product) || product->depthwise || ((isSeparable || product->prologue) && !hasHalves(kernel)))
    return failure();
  return product;
}

std::optional<encode::PanelWish> encode::readWish(plan::KernelOp kernel, ArrayRef<Target> targets, Accuracy accuracy) {
  FailureOr<PlainContraction> plain = readProduct(kernel);
  if (failed(plain))
    return std::nullopt;

  PanelWish wish;
  wish.input = plain->operands[Contraction::Rhs].argument;
  const MatrixProduct product = asProduct(*plain);
  wish.work = product.multiplyAdds();
  wish.cut = product.cut;
  std::optional<DepthGroups> depth = groupsForAll(targets, *plain);
  if (!depth)
    return std::nullopt;
  wish.depth = *depth;
  wish.types = *productsOf(*plain, plain->rightType(), depth->k);
  wish.isUnsignedLeft = plain->isUnsignedLhs;
  wish.reading.shape = shapeOf(product);
  wish.reading.products = double(iterationsOf(product.outer));
  wish.reading.bytes = double(storedBytes(cast<RankedTensorType>(kernel.getBody().getArgument(wish.input).getType())));
  wish.width = widthForAll(targets, wish.reading.shape, wish.types);
  if (wish.input >= kernel.getNumInputs() || failed(inPanels(*plain, wish.width, wish.depth)))
    return std::nullopt;
  wish.parts = plain->parts;
  wish.groups = plain->rhsShape.back() / (product.columns.size * plain->parts);
  if (accuracy == Accuracy::Fast && kernel.getKind() == plan::KernelKind::Contraction && !plain->prologue)
    wishForWinograd(wish, *plain, targets);
  return wish;
}

void encode::limitWinograd(PanelWish &wish, int64_t largest, ArrayRef<Target> targets) {
  if (wish.winogradTile > largest)
    wish.winogradTile = bestTile(wish, largest, targets.front());
}

void encode::takeSingleSteps(PanelWish &wish, ArrayRef<Target> targets) {
  if (wish.depth.k == 1 || wish.types.lhs != Number::BF16)
    return;
  wish.depth = DepthGroups();
  wish.types = inGroupsOf(wish.types, 1);
  wish.width = widthForAll(targets, wish.reading.shape, wish.types);
}

std::optional<encode::PanelOffer> encode::offerOf(plan::KernelOp kernel, const PanelWish &wish,
                                                  const PanelLayout &layout, bool repeats, ArrayRef<Target> targets) {
  const double preferred = priceIn(wish, wish, repeats, targets);
  if (layout == wish)
    return PanelOffer{layout, preferred};
  if (layout.groups != wish.groups || layout.parts != wish.parts)
    return std::nullopt;
  if (layout.depth != wish.depth && !readsGroups(kernel, wish, layout, targets))
    return std::nullopt;
  const ProductTypes types = inGroupsOf(wish.types, layout.depth.k);
  if ((types.k > 1 || types.shortSums > 0) &&
      layout.width % columnsOfRegisters(targets, wish.reading.shape, types) != 0)
    return std::nullopt;
  return PanelOffer{layout, std::max(preferred, priceIn(wish, layout, repeats, targets))};
}

plan::EncodingAttr encode::encodingOf(MLIRContext *context, const PanelLayout &layout) {
  return plan::EncodingAttr::get(context, plan::EncodingKind::Panel, layout.width, layout.groups, layout.parts,
                                 layout.depth.k, layout.depth.k == 1 ? 0 : layout.depth.run);
}

void encode::grant(plan::KernelOp kernel, const PanelWish &wish, ArrayRef<Target> targets) {
  setPanel(kernel, wish);
  // Shares of the columns must begin at a panel.
  if (wish.cut == LoopedContraction::Cut::Columns)
    kernel.setGrain(wish.width);
  if (wish.winogradTile)
    noteWinograd(kernel, wish, targets.front());
}

void encode::grant(plan::KernelOp kernel, PanelWish wish, const PanelLayout &chosen, ArrayRef<Target> targets) {
  if (chosen.depth != wish.depth) // The tile was chosen for the preferred groups of steps.
    wish.winogradTile = 0;
  static_cast<PanelLayout &>(wish) = chosen;
  grant(kernel, wish, targets);
}

void encode::alignShares(plan::KernelOp kernel, ArrayRef<Target> targets) {
  if (kernel.getEncodings() || plan::winogradOf(kernel))
    return;
  FailureOr<PlainContraction> plain = readProduct(kernel);
  if (failed(plain))
    return;
  const MatrixProduct product = asProduct(*plain);
  if (product.cut != LoopedContraction::Cut::Columns)
    return;
  int64_t grain = 1;
  for (const Target &target : targets)
    if (!product.isOfIntegers() || canMultiply(target, product))
      grain = std::lcm(grain, widthInScratch(target, product));
  kernel.setGrain(grain);
}

bool encode::noteGradient(plan::KernelOp kernel, ArrayRef<Target> targets, Accuracy accuracy) {
  if (plan::winogradOf(kernel))
    return true;
  if (accuracy != Accuracy::Fast || kernel.getKind() != plan::KernelKind::Contraction || kernel.getEncodings())
    return false;
  FailureOr<PlainContraction> plain = readContraction(kernel);
  if (failed(plain))
    return false;
  FailureOr<WinogradGradient> gradient = byWinogradGradient(*plain, kWinogradTiles.front());
  if (failed(gradient))
    return false;
  const Target &first = targets.front();
  const MachineRow &machine = machineOf(first, kWinogradTypes);
  const WinogradShape shape = shapeOf(*gradient);
  const int64_t tile = chooseGradientTile(machine, shape, first.model.l2Bytes);
  if (!tile)
    return false;
  plan::setWinograd(kernel, {tile, std::llround(directCycles(machine, shape, first.model.l2Bytes)),
                             std::llround(std::ceil(gradientCycles(machine, shape, tile, first.model.l2Bytes)))});
  // All taps of a channel are computed together, so the kernel cannot be cut.
  kernel.setGrain(kernel.getCutExtent());
  return true;
}
