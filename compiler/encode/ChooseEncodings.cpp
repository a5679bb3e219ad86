// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  decides how wide the panels of each contraction are, and packs the weights that it reads accordingly.
// Why:   a weight has one layout, and a kernel one form, but several kernels may read a weight, a kernel many weights,
//        and code for several CPUs the same bytes.
// How:   1. every contraction names the operand it wants packed, and the width it would like;
//        2. kernels and weights that meet at a launch are of one class; a class with a reader that knows no panels
//        stays plain;
//        3. in each class the kernel with the most work decides;
//        4. a convolution that is faster by Winograd is noted to be computed so by the CPU; the weight knows nothing
//        of it.

#include "codegen/TargetOptions.h"
#include "codegen/cpu/contraction/TileTables.h"
#include "codegen/cpu/contraction/WinogradTables.h"
#include "codegen/form/KernelHalves.h"
#include "codegen/form/SeparableForm.h"
#include "compiler/encode/Passes.h"
#include "dialects/plan/Notes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace nacre::encode {
#define GEN_PASS_DEF_CHOOSEENCODINGSPASS
#include "compiler/encode/Passes.h.inc"
} // namespace nacre::encode

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;

namespace {

/// What a contraction would like of the operand that gives its columns.
struct Wish {
  unsigned input = 0;
  int64_t width = 0, groups = 1, parts = 1;
  std::optional<WinogradShape> winograd; ///< Of a kernel that may be computed so,
  int64_t winogradTile = 0;              ///< and is, in such tiles; 0 where not.
  double work = 0;
  LoopedContraction::Cut cut = LoopedContraction::Cut::None;
};

plan::EncodingAttr encodingOf(MLIRContext *context, const Wish &wish) {
  return plan::EncodingAttr::get(context, plan::EncodingKind::Panel, wish.width, wish.groups, wish.parts);
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
  const MachineRow &first = machineOf(targets.front(), types, shape.isSingleRow());
  const int64_t lanes = first.lanes;
  int64_t width = choosePanelWidth(first, shape);
  auto isHeldBy = [&](const Target &target) {
    const MachineRow &machine = machineOf(target, types, shape.isSingleRow());
    return tileFits(machine, /*rows=*/1, shape.parts * llvm::divideCeil(width, machine.lanes));
  };
  while (width > lanes && !llvm::all_of(targets.drop_front(), isHeldBy))
    width -= lanes;
  return width;
}

bool isEmpty(const WinogradShape &shape) {
  return shape.images * shape.height * shape.width * shape.inputs * shape.outputs == 0;
}

/// Where the kernel may be computed by Winograd and gains by it, the tile that is best for the first target, and the
/// panels for it.
void wishForWinograd(Wish &wish, const PlainContraction &plain, ArrayRef<Target> targets) {
  FailureOr<WinogradConvolution> convolution = byWinograd(plain, kWinogradTiles.front(), wish.width);
  if (failed(convolution) || isEmpty(shapeOf(*convolution)))
    return;
  wish.winograd = shapeOf(*convolution);
  const Target &first = targets.front();
  wish.winogradTile = chooseWinogradTile(machineOf(first, kWinogradTypes), *wish.winograd, first.l2Bytes);
  if (wish.winogradTile)
    wish.width = widthForAll(targets, productShape(*wish.winograd, wish.winogradTile), kWinogradTypes);
}

/// The product of `kernel`. One whose left operand is made by the kernel the CPU computes in halves.
FailureOr<PlainContraction> readProduct(plan::KernelOp kernel) {
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

/// None where the operand cannot be packed.
std::optional<Wish> readWish(plan::KernelOp kernel, ArrayRef<Target> targets, Accuracy accuracy) {
  FailureOr<PlainContraction> plain = readProduct(kernel);
  if (failed(plain))
    return std::nullopt;

  Wish wish;
  wish.input = plain->operands[Contraction::Rhs].argument;
  const MatrixProduct product = asProduct(*plain);
  wish.work = product.multiplyAdds();
  wish.cut = product.cut;
  const Type columns = plain->operands[Contraction::Rhs].elementType;
  wish.width = widthForAll(targets, shapeOf(product), productsOf(plain->accumulatorType, columns));
  if (wish.input >= kernel.getNumInputs() || failed(inPanels(*plain, wish.width)))
    return std::nullopt;
  wish.parts = plain->parts;
  wish.groups = plain->rhsShape.back() / (product.columns.size * plain->parts);
  if (accuracy == Accuracy::Fast && kernel.getKind() == plan::KernelKind::Contraction && !plain->prologue)
    wishForWinograd(wish, *plain, targets);
  return wish;
}

class EncodingChooser {
public:
  EncodingChooser(ModuleOp module, ArrayRef<Target> targets, Accuracy accuracy)
      : module(module), targets(targets), accuracy(accuracy), symbols(module) {}

  LogicalResult choose() {
    for (auto kernel : module.getOps<plan::KernelOp>())
      if (kernel.getKind() == plan::KernelKind::Contraction || kernel.getKind() == plan::KernelKind::Separable)
        if (std::optional<Wish> wish = readWish(kernel, targets, accuracy)) {
          wishes[kernel] = *wish;
          classes.insert(kernel);
        }
    for (auto weight : module.getOps<plan::WeightOp>())
      classes.insert(weight);
    if (failed(joinByLaunches()))
      return failure();
    decide();
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
      if (at->second.groups != wish.groups || at->second.parts != wish.parts)
        refused.insert(leader);
      if (wish.work > at->second.work)
        at->second = wish;
    }
    for (Operation *leader : refused)
      chosen.erase(leader);
    for (auto &[kernel, wish] : wishes) {
      Operation *leader = classes.getLeaderValue(kernel);
      auto decided = chosen.find(leader);
      if (decided == chosen.end())
        continue;
      wish.width = decided->second.width;
      setPanel(cast<plan::KernelOp>(kernel), wish);
      // A share of the columns begins with a panel.
      if (wish.cut == LoopedContraction::Cut::Columns)
        cast<plan::KernelOp>(kernel).setGrain(wish.width);
      noteWinograd(cast<plan::KernelOp>(kernel), wish);
    }
    for (auto weight : module.getOps<plan::WeightOp>()) {
      Operation *leader = classes.getLeaderValue(weight);
      auto decided = chosen.find(leader);
      if (decided != chosen.end())
        weight.setEncodingAttr(encodingOf(module.getContext(), decided->second));
    }
  }

  /// 4. With the panels that its class has got.
  void noteWinograd(plan::KernelOp kernel, const Wish &wish) {
    if (!wish.winogradTile)
      return;
    const MachineRow &machine = machineOf(targets.front(), kWinogradTypes);
    const uint64_t cacheBytes = targets.front().l2Bytes;
    const double direct = directCycles(machine, *wish.winograd, cacheBytes),
                 cycles = winogradCycles(machine, *wish.winograd, wish.winogradTile, wish.width, cacheBytes);
    plan::setWinograd(kernel, {wish.winogradTile, std::llround(direct), std::llround(std::ceil(cycles))});
    // A share of the rows begins with a tile.
    if (!wish.winograd->cutAmongImages)
      kernel.setGrain(wish.winogradTile);
  }

  ModuleOp module;
  ArrayRef<Target> targets;
  const Accuracy accuracy;
  SymbolTable symbols;
  llvm::MapVector<Operation *, Wish> wishes; ///< By kernel.
  llvm::EquivalenceClasses<Operation *> classes;
  llvm::DenseSet<Operation *> plain;
};

struct ChooseEncodings : encode::impl::ChooseEncodingsPassBase<ChooseEncodings> {
  using ChooseEncodingsPassBase::ChooseEncodingsPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Target, 1>> targets = readTargetOptions(getOperation(), target, cpu);
    const std::optional<Accuracy> wanted = parseAccuracy(accuracy);
    if (!wanted)
      getOperation().emitError("accuracy must be fast or strict, but is '") << accuracy.getValue() << "'";
    if (failed(targets) || !wanted || failed(EncodingChooser(getOperation(), *targets, *wanted).choose()))
      signalPassFailure();
  }
};

} // namespace
