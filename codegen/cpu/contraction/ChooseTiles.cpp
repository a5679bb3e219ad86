// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  decides how wide the panels of each contraction are, and packs the weights that it reads accordingly.
// Why:   a weight has one layout, and a kernel one form, but several kernels may read a weight, a kernel many weights,
//        and code for several CPUs the same bytes.
// How:   1. every contraction names the operand it wants packed, and the width it would like;
//        2. kernels and weights that meet at a launch are of one class; a class with a reader that knows no panels
//        stays plain;
//        3. in each class the kernel with the most work decides;
//        4. classes of 3x3 convolutions that the CPU alone computes are transformed for Winograd, those first that save
//           the most time for what their weights grow by, until all weights have grown as much as they may;
//        5. a launch is cut where a panel, or a row of tiles, begins.

#include "codegen/cpu/Passes.h"
#include "codegen/cpu/TargetOptions.h"
#include "codegen/cpu/contraction/EmitWinograd.h"
#include "codegen/cpu/contraction/TileTables.h"
#include "codegen/form/PlainContraction.h"
#include "dialects/plan/PlanDialect.h"
#include "dialects/plan/StoredBytes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace nacre::codegen::cpu {
#define GEN_PASS_DEF_CHOOSETILESPASS
#include "codegen/cpu/Passes.h.inc"
} // namespace nacre::codegen::cpu

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;

namespace {

/// What a contraction would like of the operand that gives its columns.
struct Wish {
  unsigned input = 0;
  int64_t width = 0, groups = 1;
  int64_t winogradTile = 0; ///< 0 where panels hold the weight as it is.
  std::optional<WinogradShape> winograd;
  double work = 0;
  LoopedContraction::Cut cut = LoopedContraction::Cut::None;
};

plan::EncodingAttr encodingOf(MLIRContext *context, const Wish &wish) {
  const auto kind = wish.winogradTile ? plan::EncodingKind::Winograd : plan::EncodingKind::Panel;
  return plan::EncodingAttr::get(context, kind, wish.width, wish.groups, wish.winogradTile);
}

void setPanel(plan::KernelOp kernel, const Wish &wish) {
  MLIRContext *context = kernel.getContext();
  SmallVector<Attribute> encodings(kernel.getNumInputs(), UnitAttr::get(context));
  encodings[wish.input] = encodingOf(context, wish);
  kernel.setEncodingsAttr(ArrayAttr::get(context, encodings));
}

/// As wide as the first target would like, where the others' registers hold a row of such a tile; else as wide as they
/// do.
int64_t widthForAll(ArrayRef<Target> targets, const ContractionShape &shape, const ProductTypes &types) {
  const MachineRow &first = machineOf(targets.front(), types);
  const int64_t lanes = first.lanes;
  int64_t width = choosePanelWidth(first, shape);
  auto isHeldBy = [&](const Target &target) {
    const MachineRow &machine = machineOf(target, types);
    return tileFits(machine, /*rows=*/1, llvm::divideCeil(width, machine.lanes));
  };
  while (width > lanes && !llvm::all_of(targets.drop_front(), isHeldBy))
    width -= lanes;
  return width;
}

/// None where the operand cannot be packed.
std::optional<Wish> readWish(plan::KernelOp kernel, ArrayRef<Target> targets) {
  FailureOr<PlainContraction> plain = readContraction(kernel);
  if (failed(plain) || plain->depthwise)
    return std::nullopt;

  Wish wish;
  wish.input = plain->operands[Contraction::Rhs].argument;
  const MatrixProduct product = asProduct(*plain);
  wish.work = product.multiplyAdds();
  wish.cut = product.cut;
  wish.width = widthForAll(targets, shapeOf(product), productsOf(plain->accumulatorType));
  if (wish.input >= kernel.getNumInputs() || failed(inPanels(*plain, wish.width)))
    return std::nullopt;
  wish.groups = plain->rhsShape.back() / product.columns.size;
  FailureOr<WinogradConvolution> winograd = byWinograd(*plain, kWinogradTiles.front(), wish.width);
  if (succeeded(winograd))
    wish.winograd = shapeOf(*winograd);
  return wish;
}

class TileChooser {
public:
  TileChooser(ModuleOp module, ArrayRef<Target> targets, double growth)
      : module(module), targets(targets), growth(growth), symbols(module) {}

  LogicalResult choose() {
    for (auto kernel : module.getOps<plan::KernelOp>())
      if (kernel.getKind() == plan::KernelKind::Contraction)
        if (std::optional<Wish> wish = readWish(kernel, targets)) {
          wishes[kernel] = *wish;
          classes.insert(kernel);
        }
    for (auto weight : module.getOps<plan::WeightOp>())
      classes.insert(weight);
    if (failed(joinByLaunches()))
      return failure();
    decide();
    moveCuts();
    return success();
  }

private:
  /// 2. Classes, and the members that must stay plain.
  LogicalResult joinByLaunches() {
    WalkResult walk = module.walk([&](plan::LaunchOp launch) -> WalkResult {
      auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
      if (!kernel)
        return launch.emitOpError("must name a kernel of the module, but '") << launch.getKernel() << "' is none";
      auto wish = wishes.find(kernel);
      for (auto [input, value] : llvm::enumerate(launch.getInputs())) {
        auto use = value.getDefiningOp<plan::UseOp>();
        const bool wanted = wish != wishes.end() && wish->second.input == input;
        if (use && wanted)
          classes.unionSets(kernel, weightOf(use));
        else if (use)
          plain.insert(weightOf(use));
        else if (wanted)
          plain.insert(kernel);
      }
      return WalkResult::advance();
    });
    module.walk([&](plan::UseOp use) {
      if (!llvm::all_of(use->getUsers(), [](Operation *user) { return isa<plan::LaunchOp>(user); }))
        plain.insert(weightOf(use));
    });
    return failure(walk.wasInterrupted());
  }

  Operation *weightOf(plan::UseOp use) { return symbols.lookup(use.getWeight()); }

  /// 3. The widths.
  void decide() {
    llvm::MapVector<Operation *, Wish> chosen; // by leader
    llvm::DenseSet<Operation *> refused;
    for (Operation *member : plain)
      refused.insert(classes.getLeaderValue(member));
    for (const auto &[kernel, wish] : wishes) {
      Operation *leader = classes.getLeaderValue(kernel);
      auto [at, first] = chosen.try_emplace(leader, wish);
      if (first)
        continue;
      if (at->second.groups != wish.groups)
        refused.insert(leader);
      if (wish.work > at->second.work)
        at->second = wish;
    }
    for (Operation *leader : refused)
      chosen.erase(leader);
    if (growth > 0)
      offerWinograd(chosen);
    for (auto &[kernel, wish] : wishes) {
      Operation *leader = classes.getLeaderValue(kernel);
      auto decided = chosen.find(leader);
      if (decided == chosen.end())
        continue;
      wish.width = decided->second.width;
      wish.winogradTile = decided->second.winogradTile;
      setPanel(cast<plan::KernelOp>(kernel), wish);
      // A share of the columns begins with a panel, one of the rows with a tile.
      if (wish.winogradTile && !wish.winograd->cutAmongImages)
        cast<plan::KernelOp>(kernel).setGrain(wish.winogradTile);
      else if (wish.cut == LoopedContraction::Cut::Columns)
        cast<plan::KernelOp>(kernel).setGrain(wish.width);
    }
    for (auto weight : module.getOps<plan::WeightOp>()) {
      Operation *leader = classes.getLeaderValue(weight);
      auto decided = chosen.find(leader);
      if (decided != chosen.end())
        weight.setEncodingAttr(encodingOf(module.getContext(), decided->second));
    }
  }

  /// 4. Which of the `chosen` classes, and in tiles of which size.
  void offerWinograd(llvm::MapVector<Operation *, Wish> &chosen) {
    llvm::DenseSet<Operation *> declined; // by leader
    for (const auto &[kernel, wish] : wishes)
      if (!wish.winograd)
        declined.insert(classes.getLeaderValue(kernel));
    // What is saved, by leader and by tile, and the weights' bytes.
    llvm::MapVector<Operation *, SmallVector<double, 2>> saved;
    module.walk([&](plan::LaunchOp launch) {
      auto wish = wishes.find(symbols.lookup(launch.getKernel()));
      if (wish == wishes.end())
        return;
      Operation *leader = classes.getLeaderValue(wish->first);
      if (launch.getGpu() && (*launch.getGpu())[0] != (*launch.getGpu())[1])
        declined.insert(leader); // its GPU reads the same bytes
      if (!chosen.contains(leader) || declined.contains(leader))
        return;
      SmallVector<double, 2> &sums = saved[leader];
      sums.resize(kWinogradTiles.size());
      for (auto [sum, tile] : llvm::zip_equal(sums, kWinogradTiles))
        sum += cyclesSaved(*wish->second.winograd, tile);
    });
    llvm::DenseMap<Operation *, double> bytes;
    for (auto weight : module.getOps<plan::WeightOp>())
      if (classes.contains(weight))
        bytes[classes.getLeaderValue(weight)] += double(plan::storedBytes(weight.getValue().getShapedType()));

    SmallVector<WinogradOffers> offers;
    for (const auto &[leader, sums] : saved) {
      WinogradOffers &ofClass = offers.emplace_back();
      for (auto [sum, tile] : llvm::zip_equal(sums, kWinogradTiles))
        if (!declined.contains(leader))
          ofClass.push_back({tile, sum, bytes[leader] * (winogradGrowth(tile) - 1)});
    }
    for (auto [number, tile] : llvm::enumerate(spendGrowth(offers, growth))) {
      if (tile == 0)
        continue;
      Wish &wish = chosen[(saved.begin() + number)->first];
      wish.winogradTile = tile;
      wish.width = widthForAll(targets, productShape(*wish.winograd, tile), kWinogradTypes);
    }
  }

  double cyclesSaved(const WinogradShape &shape, int64_t tile) const {
    const MachineRow &machine = machineOf(targets.front(), kWinogradTypes);
    const double direct = directCycles(machine, shape), winograd = winogradCycles(machine, shape, tile);
    // What is nearly as fast is not worth its bytes, nor its rounding.
    constexpr double worthwhile = 0.85;
    return winograd < direct * worthwhile ? direct - winograd : 0;
  }

  /// 5. Placement knew no panels. Both engines would write what they share of one.
  void moveCuts() {
    module.walk([&](plan::LaunchOp launch) {
      if (!launch.getGpu() || !launch.getCpu())
        return;
      auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
      const int64_t extent = kernel.getCutExtent(), at = (*launch.getGpu())[1];
      if (at == extent || at % int64_t(kernel.getGrain()) == 0)
        return;
      const int64_t moved = at - at % int64_t(kernel.getGrain());
      launch.setGpu(ArrayRef<int64_t>{0, moved});
      launch.setCpu(ArrayRef<int64_t>{moved, extent});
    });
  }

  ModuleOp module;
  ArrayRef<Target> targets;
  const double growth; ///< Of all weights, in bytes, at most.
  SymbolTable symbols;
  llvm::MapVector<Operation *, Wish> wishes; ///< By kernel.
  llvm::EquivalenceClasses<Operation *> classes;
  llvm::DenseSet<Operation *> plain;
};

struct ChooseTiles : codegen::cpu::impl::ChooseTilesPassBase<ChooseTiles> {
  using ChooseTilesPassBase::ChooseTilesPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Target, 1>> targets = readTargetOptions(getOperation(), target, cpu);
    if (failed(targets) || failed(chooseTiles(getOperation(), *targets, double(winogradBytes))))
      signalPassFailure();
  }
};

} // namespace

LogicalResult codegen::cpu::chooseTiles(ModuleOp module, ArrayRef<Target> targets, double growth) {
  return TileChooser(module, targets, growth).choose();
}
