// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  decides how wide the panels of each contraction are, and packs the weights that it reads accordingly.
// Why:   a weight has one layout, and a kernel one form, but several kernels may read a weight, a kernel many weights,
//        and code for several CPUs the same bytes.
// How:   1. every contraction names the operand it wants packed, and the width it would like;
//        2. kernels and weights that meet at a launch are of one class; a class with a reader that knows no panels
//        stays plain;
//        3. in each class the kernel with the most work decides;
//        4. a launch that is cut among the columns is cut where a panel begins.

#include "codegen/cpu/Passes.h"
#include "codegen/cpu/TargetOptions.h"
#include "codegen/cpu/TileTables.h"
#include "codegen/form/ContractionForm.h"

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
  double work = 0;
  Contraction::Cut cut = Contraction::Cut::None;
};

void setPanel(plan::KernelOp kernel, const Wish &wish) {
  MLIRContext *context = kernel.getContext();
  SmallVector<Attribute> encodings(kernel.getNumInputs(), UnitAttr::get(context));
  encodings[wish.input] = plan::EncodingAttr::get(context, plan::EncodingKind::Panel, wish.width, wish.groups);
  kernel.setEncodingsAttr(ArrayAttr::get(context, encodings));
}

/// As wide as the first target would like, where the others' registers hold a row of such a tile; else as wide as they
/// do.
int64_t widthForAll(ArrayRef<Target> targets, const Contraction &contraction) {
  const unsigned bytes = contraction.accumulatorType.getIntOrFloatBitWidth() / 8;
  const int64_t lanes = targets.front().lanes(bytes);
  int64_t width = choosePanelWidth(targets.front().isa, shapeOf(contraction), lanes);
  auto isHeldBy = [&](const Target &target) {
    return tileFits(target.isa, /*rows=*/1, llvm::divideCeil(width, target.lanes(bytes)));
  };
  while (width > lanes && !llvm::all_of(targets.drop_front(), isHeldBy))
    width -= lanes;
  return width;
}

/// None where the operand cannot be packed.
std::optional<Wish> readWish(plan::KernelOp kernel, ArrayRef<Target> targets) {
  FailureOr<KernelForm> form = parseKernel(kernel);
  if (failed(form))
    return std::nullopt;
  FailureOr<Contraction> plain = parseContraction(kernel, *form);
  if (failed(plain) || plain->depthwise)
    return std::nullopt;

  Wish wish;
  wish.input = plain->operands[Contraction::Rhs].argument;
  wish.work = plain->multiplyAdds();
  wish.cut = plain->cut;
  wish.width = widthForAll(targets, *plain);
  auto type = cast<RankedTensorType>(kernel.getBody().getArgument(wish.input).getType());
  if (type.getRank() == 0 || wish.input >= kernel.getNumInputs())
    return std::nullopt;
  wish.groups = type.getShape().back() / plain->columns.size;

  // Whether the operand's last axis is the columns is the parser's to say.
  setPanel(kernel, wish);
  FailureOr<Contraction> packed = parseContraction(kernel, *form);
  kernel.removeEncodingsAttr();
  if (failed(packed))
    return std::nullopt;
  return wish;
}

class TileChooser {
public:
  TileChooser(ModuleOp module, ArrayRef<Target> targets) : module(module), targets(targets), symbols(module) {}

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
    for (auto &[kernel, wish] : wishes) {
      Operation *leader = classes.getLeaderValue(kernel);
      if (refused.contains(leader))
        continue;
      wish.width = chosen[leader].width;
      setPanel(cast<plan::KernelOp>(kernel), wish);
      // A share of the columns begins with a panel.
      if (wish.cut == Contraction::Cut::Columns)
        cast<plan::KernelOp>(kernel).setGrain(wish.width);
    }
    for (auto weight : module.getOps<plan::WeightOp>()) {
      Operation *leader = classes.getLeaderValue(weight);
      auto decided = chosen.find(leader);
      if (decided != chosen.end() && !refused.contains(leader))
        weight.setEncodingAttr(plan::EncodingAttr::get(module.getContext(), plan::EncodingKind::Panel,
                                                       decided->second.width, decided->second.groups));
    }
  }

  /// 4. Placement knew no panels. Both engines would write what they share of one.
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
  SymbolTable symbols;
  llvm::MapVector<Operation *, Wish> wishes; ///< By kernel.
  llvm::EquivalenceClasses<Operation *> classes;
  llvm::DenseSet<Operation *> plain;
};

struct ChooseTiles : codegen::cpu::impl::ChooseTilesPassBase<ChooseTiles> {
  using ChooseTilesPassBase::ChooseTilesPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Target, 1>> targets = readTargetOptions(getOperation(), target, cpu);
    if (failed(targets) || failed(chooseTiles(getOperation(), *targets)))
      signalPassFailure();
  }
};

} // namespace

LogicalResult codegen::cpu::chooseTiles(ModuleOp module, ArrayRef<Target> targets) {
  return TileChooser(module, targets).choose();
}
