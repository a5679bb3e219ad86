// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the panels of each contraction and packs the weights accordingly.
// Why: a weight has one layout and a kernel has one form. But several kernels may read a weight, a kernel may read
//      several weights, and code for several CPUs reads the same data.
// How: 1. each contraction selects the operand that it wants packed, and the layout that it prefers;
//      2. kernels and weights that meet at a launch form a class. A class stays plain if one of its readers does not
//         support panels. States can be in panels, too: other readers get a row-major copy (nacre-pack-states), and
//         only elementwise kernels and contractions may write them;
//      3. in each class, every kernel offers each of these layouts for a price. The layout with the least sum over all
//         launches of a run wins (PanelPrices.h). Writers of states get the same layout;
//      4. if engines share the columns of a kernel without panels, the cut is aligned to the CPU's own panels;
//      5. a convolution that is faster by Winograd on the CPU gets a note. The weight's layout does not depend on it.

#include "codegen/TargetOptions.h"
#include "compiler/encode/ExactTiles.h"
#include "compiler/encode/PairsFit.h"
#include "compiler/encode/Passes.h"
#include "compiler/encode/SplitByEngine.h"
#include "compiler/encode/panels/ElementwiseKernels.h"
#include "compiler/encode/panels/PanelUpdates.h"
#include "compiler/encode/panels/PanelWishes.h"
#include "compiler/encode/panels/TrainedStates.h"
#include "dialects/plan/ControlFlow.h"
#include "dialects/plan/Notes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace nacre::encode {
#define GEN_PASS_DEF_CHOOSEENCODINGSPASS
#include "compiler/encode/Passes.h.inc"
} // namespace nacre::encode

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::encode;

namespace {

/// Launches of a kernel that read its operand in panels.
struct KernelLaunches {
  /// Expected number of launches in a run, times the weights of their entries.
  double outsideOfLoops = 0, inLoops = 0;
  bool mayBeOnGpu = false;
};

/// True if the code of GPUs reads `layout` fast, for a kernel with the wish `wish`. It multiplies words of four bytes.
bool isForGpus(const PanelWish &wish, const PanelLayout &layout) {
  const bool isOfBytes = wish.types.sum == codegen::cpu::Number::S32;
  return layout.depth.k == 1 || (isOfBytes && layout.depth.k % 4 == 0);
}

class EncodingChooser {
public:
  EncodingChooser(ModuleOp module, ArrayRef<Target> targets, Accuracy accuracy)
      : module(module), targets(targets), accuracy(accuracy), symbols(module) {}

  LogicalResult choose() {
    notePairsFit(module);
    for (auto kernel : module.getOps<plan::KernelOp>())
      if (!kernel.getEncodings() &&
          (kernel.getKind() == plan::KernelKind::Contraction || kernel.getKind() == plan::KernelKind::Separable))
        if (std::optional<PanelWish> wish = readWish(kernel, targets, accuracy)) {
          wishes[kernel] = *wish;
          classes.insert(kernel);
        }
    splitWishes();
    for (auto weight : module.getOps<plan::WeightOp>())
      classes.insert(weight);
    if (failed(joinByLaunches()))
      return failure();
    for (auto &[kernel, wish] : wishes) // A GPU's code cannot read words of bf16.
      if (launchesOf[kernel].mayBeOnGpu)
        takeSingleSteps(wish, targets);
    decide();
    for (plan::KernelOp kernel : shared)
      alignShares(kernel, targets);
    return success();
  }

private:
  /// Copies kernels whose groups GPUs do not read, for weights that only the CPU reads. The copies have the
  /// wishes of their originals.
  void splitWishes() {
    auto groupedInput = [&](plan::KernelOp kernel) -> std::optional<unsigned> {
      auto wish = wishes.find(kernel);
      return wish != wishes.end() && !isForGpus(wish->second, wish->second) ? std::optional(wish->second.input)
                                                                            : std::nullopt;
    };
    for (auto [kernel, copy] : splitByEngine(module, symbols, groupedInput)) {
      const PanelWish wish = wishes[kernel];
      wishes[copy] = wish;
      classes.insert(copy);
    }
  }

  /// Step 2: builds the classes, and collects the members that must stay plain.
  LogicalResult joinByLaunches() {
    WalkResult walk = module.walk([&](plan::LaunchOp launch) -> WalkResult {
      auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
      if (!kernel)
        return launch.emitOpError("must name a kernel of the module, but '") << launch.getKernel() << "' is not one";
      auto wish = wishes.find(kernel);
      for (auto [input, value] : llvm::enumerate(launch.getInputs())) {
        auto use = value.getDefiningOp<plan::UseOp>();
        const bool wanted = wish != wishes.end() && wish->second.input == input;
        if (wanted)
          noteReading(launch, kernel);
        if (wanted && wish->second.winogradTile && wish->second.depth.k > 1)
          limitWinograd(wish->second, exactTile(use, wish->second.isUnsignedLeft), targets);
        if (use && wanted)
          classes.unionSets(kernel, weightOf(use));
        else if (wanted && plan::isOnCpu(launch) && canLieInPanels(wish->second, value))
          classes.unionSets(kernel, trainedOf(findTrained(value)));
        else if (use)
          plain.insert(weightOf(use));
        else if (wanted)
          plain.insert(kernel);
      }
      if (!plan::isOnCpu(launch)) {
        refuse(launch->getOperands());
        shared.insert(kernel);
      } else if (isElementwise(kernel))
        joinOperands(launch, kernel);
      else if (!joinUpdated(launch, kernel))
        refuse(launch.getOutputs());
      return WalkResult::advance();
    });
    module.walk([&](plan::UseOp use) {
      if (!llvm::all_of(use->getUsers(), [](Operation *user) { return isa<plan::LaunchOp>(user); }))
        plain.insert(weightOf(use));
    });
    return failure(walk.wasInterrupted());
  }

  /// Counts the launch among those of its kernel, and notes whether a GPU may compute it.
  void noteReading(plan::LaunchOp launch, plan::KernelOp kernel) {
    KernelLaunches &launches = launchesOf[kernel];
    launches.mayBeOnGpu |= !plan::isOnCpu(launch);
    (isInLoop(launch) ? launches.inLoops : launches.outsideOfLoops) +=
        plan::entryWeightOf(launch->getParentOfType<plan::EntryOp>()) * plan::countExecutions(launch);
  }

  static bool isInLoop(plan::LaunchOp launch) {
    return launch->getParentOfType<plan::ForOp>() || launch->getParentOfType<plan::WhileOp>();
  }

  /// Returns the largest exact Winograd tile for the weight of `use`. Returns 0 if `use` is null, because the values of
  /// the weight are then unknown.
  int64_t exactTile(plan::UseOp use, bool isUnsignedLeft) {
    if (!use)
      return 0;
    auto [known, isNew] = exactTiles.try_emplace({weightOf(use), isUnsignedLeft}, 0);
    if (isNew)
      if (FailureOr<nn::ConstantView> view = nn::ConstantView::get(cast<plan::WeightOp>(weightOf(use)).getValue());
          succeeded(view))
        known->second = largestExactTile(*view, isUnsignedLeft);
    return known->second;
  }

  Operation *weightOf(plan::UseOp use) { return symbols.lookup(use.getWeight()); }

  /// Returns one storage that represents all storages of a trained state, or null for other memory.
  Operation *trainedOf(plan::StorageOp storage) {
    return isTrained(storage) ? trained.try_emplace(*storage.getName(), storage).first->second : nullptr;
  }

  /// Joins the tensors that an elementwise launch maps: states, and temporaries that only elementwise launches use.
  void joinOperands(plan::LaunchOp launch, plan::KernelOp kernel) {
    Operation *first = nullptr;
    for (auto [number, operand] : llvm::enumerate(launch->getOperands())) {
      auto storage = operand.getDefiningOp<plan::StorageOp>();
      Operation *member = trainedOf(storage);
      if (!isMapped(kernel, number) || (!member && !isElementwiseAlone(storage)))
        continue;
      member = member ? member : storage.getOperation();
      if (first)
        classes.unionSets(first, member);
      first = member;
    }
  }

  /// Joins the states that a contraction updates. All launches of its kernel must update the same arguments. Returns
  /// true if the kernel updates states.
  bool joinUpdated(plan::LaunchOp launch, plan::KernelOp kernel) {
    const SmallVector<unsigned> arguments = findUpdated(launch, kernel);
    if (arguments.empty())
      return false;
    PanelUpdate &update = updates[kernel];
    plan::StorageOp state = findTrained(launch->getOperand(arguments.back()));
    if (update.launches.empty()) {
      update.arguments = arguments;
      update.state = state;
    } else if (update.arguments != arguments) {
      plain.insert(trainedOf(update.state));
    }
    update.launches.push_back(launch);
    for (unsigned argument : arguments)
      classes.unionSets(trainedOf(update.state), trainedOf(findTrained(launch->getOperand(argument))));
    return true;
  }

  bool isElementwiseAlone(plan::StorageOp storage) {
    if (!storage || storage.getRole() != plan::Role::Temporary)
      return false;
    // The result is cached, because every user of a storage asks for it.
    auto [known, isNew] = elementwiseAlone.try_emplace(storage);
    if (isNew)
      known->second = llvm::all_of(storage->getUsers(), [&](Operation *user) {
        auto launch = dyn_cast<plan::LaunchOp>(user);
        auto kernel = launch ? symbols.lookup<plan::KernelOp>(launch.getKernel()) : plan::KernelOp();
        return kernel && isElementwise(kernel);
      });
    return known->second;
  }

  /// Keeps states plain if other kinds of launches write them, or if a GPU may access them.
  void refuse(ValueRange operands) {
    for (Value operand : operands)
      if (Operation *member = trainedOf(plan::rootOf(operand).getDefiningOp<plan::StorageOp>()))
        plain.insert(member);
  }

  //===--------------------------------------------------------------------===//
  // 3. The choice
  //===--------------------------------------------------------------------===//

  /// Returns the launches of a run that read the class of `members`, and the offers of their kernels. A kernel
  /// that a GPU may compute offers only the groups of steps that GPUs read.
  SmallVector<PanelReader> readersOf(ArrayRef<plan::KernelOp> members) {
    SmallVector<PanelLayout> layouts;
    for (plan::KernelOp kernel : members)
      if (!llvm::is_contained(layouts, wishes[kernel]))
        layouts.push_back(wishes[kernel]);
    SmallVector<PanelReader> readers;
    for (plan::KernelOp kernel : members) {
      const PanelWish &wish = wishes[kernel];
      const KernelLaunches &launches = launchesOf[kernel];
      auto add = [&](double count, bool repeats) {
        PanelReader &reader = readers.emplace_back();
        reader.launches = count;
        auto offer = [&](const PanelLayout &layout) {
          if (launches.mayBeOnGpu && !isForGpus(wish, layout))
            return;
          if (std::optional<PanelOffer> offered = offerOf(kernel, wish, layout, repeats, targets))
            reader.offers.push_back(*offered);
        };
        offer(wish);
        for (const PanelLayout &layout : layouts)
          if (!(layout == wish))
            offer(layout);
      };
      if (launches.outsideOfLoops > 0 || launches.inLoops == 0)
        add(launches.outsideOfLoops, /*repeats=*/false);
      if (launches.inLoops > 0)
        add(launches.inLoops, /*repeats=*/true);
    }
    return readers;
  }

  /// Chooses the layout of each class. The result has the layouts by the leader of each class.
  llvm::MapVector<Operation *, PanelLayout> chooseLayouts() {
    llvm::DenseSet<Operation *> refused;
    for (Operation *member : plain) {
      classes.insert(member);
      refused.insert(classes.getLeaderValue(member));
    }
    llvm::MapVector<Operation *, SmallVector<plan::KernelOp>> members;
    for (const auto &[kernel, wish] : wishes)
      if (Operation *leader = classes.getLeaderValue(kernel); !refused.contains(leader))
        members[leader].push_back(cast<plan::KernelOp>(kernel));
    llvm::MapVector<Operation *, PanelLayout> chosen;
    for (auto &[leader, kernels] : members) {
      // Of equal sums, the kernel with the most work decides.
      llvm::stable_sort(kernels, [&](plan::KernelOp a, plan::KernelOp b) { return wishes[a].work > wishes[b].work; });
      if (std::optional<PanelLayout> layout = choosePanels(readersOf(kernels)))
        chosen.insert({leader, *layout});
    }
    return chosen;
  }

  void decide() {
    const llvm::MapVector<Operation *, PanelLayout> chosen = chooseLayouts();
    auto layoutOf = [&](Operation *member) -> const PanelLayout * {
      auto leader = classes.findLeader(member);
      const auto *found = leader == classes.member_end() ? chosen.end() : chosen.find(*leader);
      return found == chosen.end() ? nullptr : &found->second;
    };
    for (auto &[kernel, wish] : wishes)
      if (const PanelLayout *layout = layoutOf(kernel))
        grant(cast<plan::KernelOp>(kernel), wish, *layout, targets);
    for (auto weight : module.getOps<plan::WeightOp>())
      if (const PanelLayout *layout = layoutOf(weight))
        weight.setEncodingAttr(encodingOf(module.getContext(), *layout));
    auto encodingOfStorage = [&](plan::StorageOp storage) {
      Operation *member = trainedOf(storage);
      const PanelLayout *layout = layoutOf(member ? member : storage.getOperation());
      return layout ? encodingOf(module.getContext(), *layout) : plan::EncodingAttr();
    };
    grantUpdates(symbols, updates, [&](const PanelUpdate &update) { return encodingOfStorage(update.state); });
    module.walk([&](plan::StorageOp storage) {
      if (plan::EncodingAttr encoding = encodingOfStorage(storage))
        storage->setAttr(plan::kPanels, encoding);
    });
  }

  ModuleOp module;
  ArrayRef<Target> targets;
  const Accuracy accuracy;
  llvm::DenseMap<Operation *, bool> elementwiseAlone; ///< Results of `isElementwiseAlone`, by storage.
  /// Results of `exactTile`, by weight and by signedness of the input.
  llvm::DenseMap<llvm::PointerIntPair<Operation *, 1, bool>, int64_t> exactTiles;
  SymbolTable symbols;
  llvm::MapVector<Operation *, PanelWish> wishes;         ///< Wishes by kernel.
  llvm::DenseMap<Operation *, KernelLaunches> launchesOf; ///< Launches by kernel.
  llvm::EquivalenceClasses<Operation *> classes;
  llvm::DenseSet<Operation *> plain;
  llvm::SetVector<plan::KernelOp> shared; ///< Kernels of which a GPU may compute a share.
  PanelUpdates updates;
  llvm::StringMap<Operation *> trained; ///< Representative storage of each variable, by name.
};

struct ChooseEncodings : encode::impl::ChooseEncodingsPassBase<ChooseEncodings> {
  using ChooseEncodingsPassBase::ChooseEncodingsPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Target, 1>> targets = readTargetOptions(getOperation(), target, cpu);
    if (failed(targets) || failed(EncodingChooser(getOperation(), *targets, accuracy).choose()))
      signalPassFailure();
  }
};

} // namespace
