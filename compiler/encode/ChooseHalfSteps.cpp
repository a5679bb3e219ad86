// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses for how many steps products of halves are added up in fp16 (plan::kHalfSums), and which convolutions go by
// Winograd in fp16. It reads the network that HalfSteps.h needs from launches on storages.

#include "codegen/TargetOptions.h"
#include "codegen/cpu/winograd/WinogradTables.h"
#include "compiler/encode/HalfSteps.h"
#include "compiler/encode/Passes.h"
#include "compiler/encode/noise/EntryNoise.h"
#include "compiler/encode/panels/PanelWishes.h"
#include "dialects/plan/ControlFlow.h"
#include "dialects/plan/Notes.h"

#include "llvm/ADT/MapVector.h"
#include <cmath>

namespace nacre::encode {
#define GEN_PASS_DEF_CHOOSEHALFSTEPSPASS
#include "compiler/encode/Passes.h.inc"
} // namespace nacre::encode

using namespace mlir;
using namespace nacre;
using namespace nacre::encode;
using namespace nacre::codegen::cpu;
using nacre::codegen::Target;

namespace {

/// A kernel that adds up halves, and its product.
struct HalfKernel {
  HalfProduct product; ///< Its multiply-adds are those of one execution.
  /// Cycles of a launch by direct products; 0 if the kernel cannot go by Winograd.
  double directCycles = 0;
};

/// Adds the ways to compute `convolution` by Winograd.
void addWinograd(HalfKernel &kernel, const codegen::WinogradConvolution &convolution, const Target &target) {
  const codegen::WinogradShape shape = codegen::shapeOf(convolution);
  const uint64_t cache = target.model.l2Bytes;
  const int64_t width = convolution.panels.width;
  kernel.directCycles = directCycles(machineOf(target, halvesOf(kMostHalfSteps)), shape, cache);
  auto add = [&](const MachineRow *row, int64_t tile, int64_t steps) {
    if (row && width % row->step.lanes == 0)
      kernel.product.winograd.push_back(
          {tile, steps, winogradCycles(*row, shape, tile, width, cache, steps) / kernel.directCycles});
  };
  const MachineRow *halves = winogradRow(target, /*isOfIntegers=*/false, kMostWinogradSteps);
  if (halves && isOfHalves(*halves))
    for (int64_t tile = kWinogradTiles.front(); tile <= kLargestTileOfHalves; tile += 2)
      for (int64_t steps : {kLeastHalfSteps, kMostWinogradSteps})
        add(halves, tile, steps);
  add(winogradRow(target, /*isOfIntegers=*/false), kTileWithoutHalves, /*steps=*/0);
}

/// Returns nothing if `kernel` adds up no halves.
std::optional<HalfKernel> readHalfKernel(plan::KernelOp kernel, const Target &target) {
  const int64_t steps = plan::halfSumsOf(kernel);
  if (steps == 0)
    return std::nullopt;
  HalfKernel read;
  HalfProduct &product = read.product;
  product.mostSteps = steps;
  if (FailureOr<codegen::WinogradConvolution> convolution = codegen::parseWinograd(kernel); succeeded(convolution)) {
    product.multiplyAdds = convolution->multiplyAdds();
    product.depth = convolution->method.taps * convolution->method.taps * convolution->channels.size;
    addWinograd(read, *convolution, target);
    return read;
  }
  FailureOr<codegen::PlainContraction> plain = readProduct(kernel);
  if (failed(plain))
    plain = codegen::readContraction(kernel);
  if (failed(plain))
    return std::nullopt;
  product.multiplyAdds = plain->multiplyAdds();
  product.depth = plain->depthSize();
  product.isWhole = plain->depthwise;
  int64_t rows = 1;
  for (const codegen::ProductLoop &loop : plain->loops)
    if (loop.parallel && loop.movesLhs)
      rows *= loop.size;
  // A single row waits for its weight, so its flushes cost little.
  constexpr int64_t mostOfSingleRow = 32;
  if (rows == 1 && !product.isWhole)
    product.mostSteps = std::min(product.mostSteps, mostOfSingleRow);
  return read;
}

/// Notes `option` on `kernel`.
void note(plan::KernelOp kernel, const HalfKernel &read, const HalfOption &option) {
  if (option.tile > 0)
    plan::setWinograd(kernel, {option.tile, std::llround(read.directCycles),
                               std::llround(std::ceil(option.time * read.directCycles))});
  else
    kernel->removeAttr(plan::kWinograd);
  if (option.steps > 0)
    plan::setHalfSums(kernel, option.steps);
  else
    kernel->removeAttr(plan::kHalfSums);
}

struct ChooseHalfSteps : encode::impl::ChooseHalfStepsPassBase<ChooseHalfSteps> {
  using ChooseHalfStepsPassBase::ChooseHalfStepsPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Target, 1>> targets = codegen::readTargetOptions(getOperation(), target, cpu);
    if (failed(targets))
      return signalPassFailure();
    llvm::MapVector<plan::KernelOp, HalfKernel> kernels;
    for (auto kernel : getOperation().getOps<plan::KernelOp>())
      if (std::optional<HalfKernel> read = readHalfKernel(kernel, targets->front()))
        kernels[kernel] = std::move(*read);

    SmallVector<HalfProduct> products;
    for (const auto &[kernel, read] : kernels) {
      products.push_back(read.product);
      products.back().multiplyAdds = 0;
    }
    const SmallVector<HalfLaunch> launches = readLaunches(kernels, products);
    auto choose = [&](double limit) {
      for (auto [entry, option] : llvm::zip_equal(kernels, chooseHalfSteps(products, launches, limit)))
        note(entry.first, entry.second, option);
    };
    choose(kHalfNoise);
    if (!predicts)
      return;
    // The measure of noise that chooseHalfSteps() limits knows no weights. If a network has less noise, it may have
    // faster options. The prediction errs by some decibels, so the network keeps a reserve.
    auto predicted = predictNoise(getOperation());
    if (const double reserve = reserveOf(predicted, kernels); reserve > 1) {
      choose(kHalfNoise * reserve);
      auto next = predictNoise(getOperation());
      if (reserveOf(next, kernels) < 1)
        choose(kHalfNoise);
      else
        predicted = std::move(next);
    }
    for (const auto &[output, decibels] : predicted)
      plan::setPredictedSnr(output, decibels);
  }

private:
  /// Returns by which factor the noise of all outputs may grow. 1 if it is unknown for an entry that adds up halves.
  double reserveOf(const llvm::MapVector<plan::StorageOp, double> &predicted,
                   const llvm::MapVector<plan::KernelOp, HalfKernel> &kernels) {
    llvm::SmallPtrSet<Operation *, 4> entries;
    std::optional<double> least;
    for (const auto &[output, decibels] : predicted) {
      entries.insert(output->getParentOfType<plan::EntryOp>());
      least = std::min(least.value_or(decibels), decibels);
    }
    const SymbolTable symbols(getOperation());
    const WalkResult known = getOperation().walk([&](plan::LaunchOp launch) {
      const bool addsHalves = kernels.contains(symbols.lookup<plan::KernelOp>(launch.getKernel()));
      return addsHalves && !entries.contains(launch->getParentOfType<plan::EntryOp>()) ? WalkResult::interrupt()
                                                                                       : WalkResult::advance();
    });
    return least && !known.wasInterrupted() ? std::pow(10, (*least - kAmpleDecibels) / 10) : 1;
  }

  /// Returns all launches. Adds the multiply-adds of each launch to its product.
  SmallVector<HalfLaunch> readLaunches(llvm::MapVector<plan::KernelOp, HalfKernel> &kernels,
                                       MutableArrayRef<HalfProduct> products) {
    SymbolTable symbols(getOperation());
    llvm::DenseMap<Value, unsigned> numbers;
    auto numberOf = [&](Value value) {
      return numbers.try_emplace(plan::rootOf(value), unsigned(numbers.size())).first->second;
    };
    SmallVector<HalfLaunch> launches;
    getOperation().walk([&](plan::LaunchOp launch) {
      HalfLaunch &added = launches.emplace_back();
      added.reads = llvm::map_to_vector<0>(launch.getInputs(), numberOf);
      added.writes = llvm::map_to_vector<0>(launch.getOutputs(), numberOf);
      auto *found = kernels.find(symbols.lookup<plan::KernelOp>(launch.getKernel()));
      if (found == kernels.end())
        return;
      added.product = found - kernels.begin();
      HalfProduct &product = products[*added.product];
      const double executions = plan::countExecutions(launch);
      product.multiplyAdds += executions * found->second.product.multiplyAdds;
      // The noise of an iteration may grow in the next ones.
      constexpr int64_t mostInLoop = 64;
      if (executions > 1)
        product.mostSteps = std::min(product.mostSteps, mostInLoop);
    });
    return launches;
  }
};

} // namespace
