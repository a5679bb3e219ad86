// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds launches that pack right operands into panels. Weights are excluded.
// Why: a contraction then reads any operand like a weight, with the same tiles, the same units, and Winograd.
// How: 1. find the operand of each contraction's launch, and its source if other launches only move it (PanelSource.h);
// 2. decide whether a launch saves time (PackTrade.h); 3. add the launch, outside of as many loops as its source
// allows. It packs for all launches that read the same operand; 4. erase launches whose results are no longer read.

#include "codegen/TargetOptions.h"
#include "compiler/encode/PackTrade.h"
#include "compiler/encode/Passes.h"
#include "compiler/encode/panels/PackKernels.h"
#include "compiler/encode/panels/PanelSource.h"
#include "compiler/encode/panels/PanelWishes.h"
#include "compiler/encode/panels/TrainedStates.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

namespace nacre::encode {
#define GEN_PASS_DEF_PACKOPERANDSPASS
#include "compiler/encode/Passes.h.inc"
} // namespace nacre::encode

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::encode;

namespace {

/// Contraction that may read its right operand in panels.
struct Candidate {
  RightLoops right;
  RankedTensorType packed; ///< Type of the packed operand, with the sizes of the loops `right`.
  RewiredKernel rewired;   ///< Kernel that reads the panels; no launch uses it yet.
  PanelWish wish;
  std::optional<PanelWish> wishBefore; ///< Wish of the original kernel for its unpacked operand.
  unsigned input = 0;                  ///< Index of the operand in the original kernel.
  int64_t rows = 1, rowBytes = 0;      ///< Number of rows of the left operand in each batch or group, and their size.
};

/// Pack launch, the elements that it reads, and the panels that it writes.
struct Packed {
  plan::LaunchOp launch;
  PanelSource source;
  Value panels; ///< Array of panels, with the type that contractions read.
};

class OperandPacker {
public:
  OperandPacker(ModuleOp module, ArrayRef<Target> targets, Accuracy accuracy)
      : module(module), targets(targets), accuracy(accuracy), symbols(module) {}

  /// Packs for launches for which `isGiven` returns true.
  void pack(llvm::function_ref<bool(plan::LaunchOp)> isGiven) {
    launched = launchedKernels();
    for (auto entry : module.getOps<plan::EntryOp>()) {
      packed.clear();
      SmallVector<plan::LaunchOp> launches;
      entry.walk([&](plan::LaunchOp launch) {
        if (isGiven(launch))
          launches.push_back(launch);
      });
      for (plan::LaunchOp launch : launches)
        packFor(entry, launch);
      eraseUnread(entry);
    }
    eraseUnused();
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. Contractions
  //===--------------------------------------------------------------------===//

  /// Returns the candidate of a launch. Returns null if the kernel has no operand to pack, or if this operand of
  /// `launch` is a weight.
  Candidate *candidateOf(plan::LaunchOp launch) {
    auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
    if (!kernel || kernel.getKind() != plan::KernelKind::Contraction || kernel.getEncodings() ||
        llvm::all_of(launch.getInputs(), isWeight) || noteGradient(kernel, targets, accuracy))
      return nullptr;
    auto [read, isNew] = products.try_emplace(kernel, failure());
    if (isNew)
      read->second = readContraction(kernel);
    const FailureOr<PlainContraction> &plain = read->second;
    if (failed(plain) || plain->isOfIntegers() || plain->depthwise || plain->prologue || plain->parts != 1 ||
        plain->operands[Contraction::Rhs].argument >= kernel.getNumInputs() ||
        isWeight(launch.getInputs()[plain->operands[Contraction::Rhs].argument]))
      return nullptr;
    auto [found, isFirst] = candidates.try_emplace(kernel, std::nullopt);
    if (isFirst)
      found->second = makeCandidate(kernel, *plain);
    return found->second ? &*found->second : nullptr;
  }

  static bool isWeight(Value operand) { return bool(plan::rootOf(operand).getDefiningOp<plan::UseOp>()); }

  std::optional<Candidate> makeCandidate(plan::KernelOp kernel, const PlainContraction &plain) {
    Candidate candidate{rightLoopsOf(plain), {}, {}, {}, {}, 0, 1, 0};
    candidate.input = plain.operands[Contraction::Rhs].argument;
    SmallVector<int64_t> sizes;
    for (const StridedLoop &loop : candidate.right.read.loops)
      sizes.push_back(loop.size);
    candidate.packed = RankedTensorType::get(sizes, plain.operands[Contraction::Rhs].elementType);
    // Overlapping windows are excluded, because they would be written several times.
    int64_t elements = 1;
    for (int64_t size : plain.rhsShape)
      elements *= size;
    if (candidate.packed.getNumElements() > elements || candidate.packed.getNumElements() == 0)
      return std::nullopt;
    candidate.rewired = readFromPacked(kernel, plain, candidate.right, candidate.packed);
    symbols.insert(candidate.rewired.kernel);
    std::optional<PanelWish> wish = readWish(candidate.rewired.kernel, targets, accuracy);
    if (!wish || wish->groups != 1 || wish->input + 1 != candidate.rewired.kernel.getNumInputs()) {
      symbols.erase(candidate.rewired.kernel);
      return std::nullopt;
    }
    candidate.wish = *wish;
    candidate.wishBefore = readWish(kernel, targets, accuracy);
    readRows(candidate, kernel, plain);
    grant(candidate.rewired.kernel, *wish, targets);
    return candidate;
  }

  static void readRows(Candidate &candidate, plan::KernelOp kernel, const PlainContraction &plain) {
    const ContractionOperand &left = plain.operands[Contraction::Lhs];
    auto type = cast<RankedTensorType>(kernel.getBody().getArgument(left.argument).getType());
    int64_t batches = 1;
    for (const ProductLoop &loop : plain.loops)
      if (loop.parallel && loop.movesLhs)
        (loop.movesRhs ? batches : candidate.rows) *= loop.size;
    candidate.rowBytes = type.getNumElements() * bytesOfElement(left.elementType) / batches;
  }

  //===--------------------------------------------------------------------===//
  // 2. Decision
  //===--------------------------------------------------------------------===//

  bool isWorthIt(Candidate &candidate, const PanelSource &source, Operation *launch) const {
    PackTrade trade;
    trade.operandBytes = candidate.packed.getNumElements() * bytesOfElement(candidate.packed.getElementType());
    trade.panels = llvm::divideCeil(candidate.packed.getShape().back(), candidate.wish.width);
    trade.rows = candidate.rows;
    trade.rowBytes = candidate.rowBytes;
    trade.iterations = iterationsBetween(source.point, launch);
    trade.isAcross = candidate.right.read.loops.back().stride != 1;
    // If a state is stored in panels, this reader would first need a row-major copy.
    trade.replaces = !source.movedBy.empty() || findTrained(source.operand);
    if (std::optional<plan::WinogradNote> note = plan::winogradOf(candidate.rewired.kernel)) {
      trade.gained = double(note->directCycles - note->cycles) / targets.front().model.gigahertz;
    }
    return isWorthALaunch(trade, targets.front().model);
  }

  //===--------------------------------------------------------------------===//
  // 3. The launches
  //===--------------------------------------------------------------------===//

  void packFor(plan::EntryOp entry, plan::LaunchOp launch) {
    Candidate *candidate = candidateOf(launch);
    if (!candidate || willLieInPanels(*candidate, launch.getInputs()[candidate->input]))
      return;
    const PanelSource source = findSource(symbols, launch, launch.getInputs()[candidate->input], candidate->right.read);
    if (!isWorthIt(*candidate, source, launch))
      return;
    std::optional<Value> panels = panelsOf(entry, launch, *candidate, source);
    if (!panels)
      return;
    SmallVector<Value> inputs(launch.getInputs());
    if (!candidate->rewired.isOldRead)
      inputs.erase(inputs.begin() + candidate->input);
    inputs.push_back(*panels);
    launch.getInputsMutable().assign(inputs);
    launch.setKernel(candidate->rewired.kernel.getSymName());
    movers.insert(source.movedBy.begin(), source.movedBy.end());
  }

  /// True if the operand is a trained state that the original kernel can read in panels, as it reads a constant weight.
  static bool willLieInPanels(const Candidate &candidate, Value operand) {
    return candidate.wishBefore && candidate.wishBefore->input == candidate.input &&
           canLieInPanels(*candidate.wishBefore, operand);
  }

  /// Returns the panels of an earlier pack launch for the same elements. Otherwise, adds a pack launch.
  std::optional<Value> panelsOf(plan::EntryOp entry, plan::LaunchOp launch, Candidate &candidate,
                                const PanelSource &source) {
    auto type = cast<MemRefType>(source.operand.getType());
    std::optional<AffineMap> map = mapOf(launch.getContext(), source.read, type.getShape());
    if (!map)
      return std::nullopt;
    const plan::EncodingAttr encoding = encodingOf(launch.getContext(), candidate.wish);
    plan::KernelOp kernel = packKernel(candidate.rewired.kernel.getLoc(), type, *map, candidate.packed, encoding);
    for (Packed &former : packed)
      if (former.launch.getKernel() == kernel.getSymName() && isSameSource(former.source, source) &&
          isReady(former.launch, source.point) && !isWrittenBetween(source.operand, former.launch, launch))
        return former.panels;

    OpBuilder builder(launch.getContext());
    builder.setInsertionPointToStart(&entry.getBody().front());
    const int64_t columns = candidate.packed.getShape().back(), width = encoding.getWidth();
    auto memory =
        MemRefType::get({int64_t(llvm::divideCeil(columns, width)), candidate.packed.getNumElements() / columns, width},
                        type.getElementType());
    Value storage = plan::StorageOp::create(builder, launch.getLoc(), memory, plan::Role::Temporary, StringAttr(),
                                            IntegerAttr(), TypeAttr(), IntegerAttr(), DenseI64ArrayAttr());
    auto array = MemRefType::get(candidate.packed.getShape(), type.getElementType());
    Value panels = plan::ViewOp::create(builder, launch.getLoc(), array, storage, Value(), 0, 0);
    builder.setInsertionPoint(source.point);
    auto made = plan::LaunchOp::create(builder, launch.getLoc(), TypeRange(), kernel.getSymNameAttr(),
                                       operandAt(builder, source), panels, DenseI64ArrayAttr(), DenseI64ArrayAttr());
    plan::copyEngine(launch, made);
    packed.push_back({made, source, panels});
    return panels;
  }

  /// Returns the operand of the pack launch. If the operand is a view inside a loop, returns a clone of the view.
  Value operandAt(OpBuilder &builder, const PanelSource &source) {
    auto view = source.operand.getDefiningOp<plan::ViewOp>();
    if (!view || isReady(view, source.point))
      return source.operand;
    return builder.clone(*view)->getResult(0);
  }

  /// Returns the pack kernel for these types. Launches with equal types share a kernel.
  plan::KernelOp packKernel(Location loc, MemRefType type, AffineMap map, RankedTensorType packedType,
                            plan::EncodingAttr encoding) {
    std::string key;
    llvm::raw_string_ostream(key) << type << map << packedType << encoding;
    plan::KernelOp &kernel = packKernels[key];
    if (!kernel) {
      OpBuilder builder(module.getContext());
      auto source = RankedTensorType::get(type.getShape(), type.getElementType());
      builder.setInsertionPointToStart(module.getBody());
      kernel = makePackKernel(builder, loc, "pack", source, map, packedType, encoding);
      symbols.insert(kernel, module.getBody()->begin());
    }
    return kernel;
  }

  //===--------------------------------------------------------------------===//
  // 4. Unused launches and kernels
  //===--------------------------------------------------------------------===//

  void eraseUnread(plan::EntryOp entry) {
    for (bool again = !packed.empty(); again;) {
      again = false;
      for (auto storage : llvm::make_early_inc_range(entry.getOps<plan::StorageOp>()))
        if (storage.getRole() == plan::Role::Temporary && movers.contains(storage))
          again |= eraseIfUnread(storage);
    }
  }

  llvm::DenseSet<StringAttr> launchedKernels() {
    llvm::DenseSet<StringAttr> names;
    module.walk([&](plan::LaunchOp launch) { names.insert(launch.getKernelAttr().getAttr()); });
    return names;
  }

  /// Erases kernels whose last launch was removed. A rewired kernel takes the name of the kernel that it replaces.
  void eraseUnused() {
    llvm::DenseSet<StringAttr> used = launchedKernels();
    llvm::DenseMap<StringAttr, StringAttr> renamed;
    for (auto &[op, candidate] : candidates) {
      auto kernel = cast<plan::KernelOp>(op);
      plan::KernelOp rewired = candidate ? candidate->rewired.kernel : plan::KernelOp();
      const StringAttr name = kernel.getSymNameAttr();
      if (rewired && !used.contains(rewired.getSymNameAttr())) {
        symbols.erase(rewired);
      } else if (rewired && !used.contains(name)) {
        renamed[rewired.getSymNameAttr()] = name;
        symbols.erase(kernel);
        symbols.remove(rewired);
        rewired.setSymNameAttr(name);
        symbols.insert(rewired);
      }
    }
    for (StringAttr name : llvm::make_second_range(renamed))
      used.insert(name);
    for (auto kernel : llvm::make_early_inc_range(module.getOps<plan::KernelOp>()))
      if (launched.contains(kernel.getSymNameAttr()) && !used.contains(kernel.getSymNameAttr()))
        symbols.erase(kernel);
    module.walk([&](plan::LaunchOp launch) {
      if (StringAttr name = renamed.lookup(launch.getKernelAttr().getAttr()))
        launch.setKernelAttr(FlatSymbolRefAttr::get(name));
    });
  }

  ModuleOp module;
  ArrayRef<Target> targets;
  const Accuracy accuracy;
  SymbolTable symbols;
  llvm::DenseMap<Operation *, FailureOr<PlainContraction>> products; ///< Products by kernel.
  llvm::MapVector<Operation *, std::optional<Candidate>> candidates;
  llvm::StringMap<plan::KernelOp> packKernels;
  SmallVector<Packed> packed;          ///< Pack launches of the current entry.
  llvm::DenseSet<StringAttr> launched; ///< Names of the kernels that were launched before this pass.
  llvm::DenseSet<Operation *> movers;  ///< Storages that at least one reader has stopped reading.
};

struct PackOperands : encode::impl::PackOperandsPassBase<PackOperands> {
  using PackOperandsPassBase::PackOperandsPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Target, 1>> targets = readTargetOptions(getOperation(), target, cpu);
    if (failed(targets))
      return signalPassFailure();
    OperandPacker(getOperation(), *targets, accuracy).pack([](plan::LaunchOp launch) { return isGiven(launch); });
  }
};

} // namespace
