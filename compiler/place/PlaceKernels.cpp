// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  writes each engine's range of the cut axis on every launch.
// Why:   later phases and the runtime read ranges only, whoever chose them.
// How:   1. an entry as steps with options (CostModel.h), 2. the search over them (PlaceSegments.h), 3. ranges and
//        predictions. Without a device there is nothing to predict, and each launch is cut by itself.

#include "compiler/place/KernelWork.h"
#include "compiler/place/Passes.h"
#include "compiler/place/PlaceSegments.h"
#include "dialects/plan/StoredBytes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-place-kernels"

namespace nacre::place {
#define GEN_PASS_DEF_PLACEKERNELSPASS
#include "compiler/place/Passes.h.inc"
} // namespace nacre::place

using namespace mlir;
using namespace nacre;

namespace {

/// A way to compute a launch: where its cut axis is cut.
int64_t cutAt(plan::KernelOp kernel, unsigned percent) {
  const int64_t extent = kernel.getCutExtent(), grain = kernel.getGrain();
  return percent >= 100 ? extent : extent * percent / 100 / grain * grain;
}

//===----------------------------------------------------------------------===//
// 1. Steps
//===----------------------------------------------------------------------===//

/// An entry as the search sees it, and what its choices mean.
class EntrySteps {
public:
  EntrySteps(plan::EntryOp entry, const SymbolTable &symbols, const place::DeviceProfile &device,
             place::Precision precision, std::optional<unsigned> percent, double winogradBytes)
      : symbols(symbols), device(device), precision(precision), percent(percent),
        winogradGains(place::guessWinogradGains(entry, symbols, winogradBytes)) {
    const double rivals = place::weightBytes(entry);
    problem.meetingSeconds = device.gpu.meetingSeconds;
    problem.copyBytesPerSecond = device.memory.copyBytesPerSecond;
    for (Operation &op : entry.getBody().front()) {
      if (auto launch = dyn_cast<plan::LaunchOp>(op))
        addLaunch(launch, rivals);
      else if (auto loop = dyn_cast<plan::ForOp>(op))
        addLoop(loop);
    }
  }

  place::PlacementProblem problem;

  /// Where the launches of a step are cut if `option` is taken.
  void forEachCut(unsigned step, unsigned option, llvm::function_ref<void(plan::LaunchOp, int64_t)> give) {
    for (plan::LaunchOp launch : launches[step])
      give(launch, cutOf(kernelOf(launch), cuts[step][option]));
  }

  plan::KernelOp kernelOf(plan::LaunchOp launch) { return symbols.lookup<plan::KernelOp>(launch.getKernel()); }

private:
  /// Cuts that depend on the kernel.
  enum : int64_t { kAll = -1, kWanted = -2 };

  int64_t cutOf(plan::KernelOp kernel, int64_t cut) const {
    return cut == kAll ? kernel.getCutExtent() : cut == kWanted ? cutAt(kernel, *percent) : cut;
  }

  place::Work workOf(plan::LaunchOp launch, plan::KernelOp kernel, double rivals) const {
    place::Work work = place::readWork(launch, kernel, rivals);
    if (auto gain = winogradGains.find(launch); gain != winogradGains.end())
      work.aloneGain = gain->second;
    return work;
  }

  void addLaunch(plan::LaunchOp launch, double rivals) {
    place::Step step;
    addAccesses(launch, step);
    plan::KernelOp kernel = kernelOf(launch);
    const place::Work work = workOf(launch, kernel, rivals);
    const int64_t extent = kernel.getCutExtent();
    SmallVector<int64_t> at{0, kWanted};
    if (!percent)
      at = place::promisingCuts(work, device, precision, extent, kernel.getGrain());
    for (int64_t cut : at) {
      const double share = double(cutOf(kernel, cut)) / extent;
      const place::CutSeconds seconds = place::cutSeconds(work, device, precision, share);
      step.options.push_back({share, seconds.cpu, seconds.gpu});
    }
    predict(launch, work);
    add(std::move(step), {launch}, at);
  }

  /// Where the search is free, one engine has all turns: a meeting in each would cost more than both save.
  void addLoop(plan::ForOp loop) {
    place::Step step;
    SmallVector<plan::LaunchOp> inside;
    const double rivals = place::weightBytes(loop);
    place::StepOption onCpu{0, 0, 0}, other{percent ? *percent / 100.0 : 1, 0, 0};
    loop.walk([&](plan::LaunchOp launch) {
      int64_t turns = 1;
      for (Operation *parent = launch->getParentOp(); isa<plan::ForOp>(parent); parent = parent->getParentOp())
        turns *= cast<plan::ForOp>(parent).getTripCount();
      plan::KernelOp kernel = kernelOf(launch);
      const place::Work work = workOf(launch, kernel, rivals);
      const double share = double(cutOf(kernel, percent ? kWanted : kAll)) / kernel.getCutExtent();
      const place::CutSeconds seconds = place::cutSeconds(work, device, precision, share);
      onCpu.cpuSeconds += turns * place::cpuSeconds(work, device);
      other.cpuSeconds += turns * seconds.cpu;
      other.gpuSeconds += turns * (seconds.gpu + (share > 0 && share < 1 ? problem.meetingSeconds : 0));
      addAccesses(launch, step);
      predict(launch, work);
      inside.push_back(launch);
    });
    step.options = {onCpu, other};
    add(std::move(step), std::move(inside), {0, percent ? kWanted : kAll});
  }

  void add(place::Step step, SmallVector<plan::LaunchOp> of, ArrayRef<int64_t> at) {
    problem.steps.push_back(std::move(step));
    launches.push_back(std::move(of));
    cuts.emplace_back(at);
  }

  void addAccesses(plan::LaunchOp launch, place::Step &step) {
    auto touch = [&](Value operand, bool writes) {
      auto storage = dyn_cast_or_null<plan::StorageOp>(place::storageOf(operand));
      if (!storage)
        return;
      const unsigned number = numberOf(storage);
      auto *access = llvm::find_if(step.accesses, [&](const auto &other) { return other.storage == number; });
      if (access == step.accesses.end())
        access = &step.accesses.emplace_back(place::StorageAccess{number, false, false});
      (writes ? access->writes : access->reads) = true;
    };
    for (Value input : launch.getInputs())
      touch(input, false);
    for (Value output : launch.getOutputs())
      touch(output, true);
  }

  unsigned numberOf(plan::StorageOp storage) {
    auto [at, isNew] = numbers.try_emplace(storage, problem.storageBytes.size());
    if (isNew) {
      problem.storageBytes.push_back(double(plan::storedBytes(cast<ShapedType>(storage.getType()))));
      const plan::Role role = storage.getRole();
      problem.isInput.push_back(role == plan::Role::Input || role == plan::Role::State);
      problem.isOutput.push_back(role == plan::Role::Output || role == plan::Role::State);
    }
    return at->second;
  }

  void predict(plan::LaunchOp launch, const place::Work &work) {
    launch->setAttr(place::kPredictedNanoseconds,
                    Builder(launch).getDenseI64ArrayAttr({int64_t(place::cpuSeconds(work, device) * 1e9),
                                                          int64_t(place::gpuSeconds(work, device, precision) * 1e9)}));
  }

  const SymbolTable &symbols;
  const place::DeviceProfile &device;
  place::Precision precision;
  std::optional<unsigned> percent; // none: the search is free
  const llvm::DenseMap<Operation *, double> winogradGains;
  llvm::DenseMap<Operation *, unsigned> numbers;
  std::vector<SmallVector<plan::LaunchOp>> launches; // per step
  std::vector<SmallVector<int64_t>> cuts;            // per step and option
};

//===----------------------------------------------------------------------===//
// 2. and 3. The pass
//===----------------------------------------------------------------------===//

struct PlaceKernels : place::impl::PlaceKernelsPassBase<PlaceKernels> {
  using PlaceKernelsPassBase::PlaceKernelsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto fail = [&](const Twine &message) { return emitError(UnknownLoc::get(context)) << message; };
    if (!llvm::is_contained({"cpu", "gpu", "split", "auto"}, engines.getValue()))
      return fail("engines must be cpu, gpu, split or auto, but is '" + engines.getValue() + "'");
    if (precision.getValue() != "fp32" && precision.getValue() != "fp16")
      return fail("gpu-precision must be fp32 or fp16, but is '" + precision.getValue() + "'");
    if (percent > 100)
      return fail("percent must be at most 100, but is " + Twine(percent));
    if (device.empty())
      return engines.getValue() == "auto" ? fail("engines=auto must have a device, whose times are predicted")
                                          : success();
    llvm::Expected<place::DeviceProfile> loaded = place::loadDeviceProfile(device);
    if (!loaded)
      return fail(llvm::toString(loaded.takeError()));
    profile = std::move(*loaded);
    return success();
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    if (failed(verifyKernelsExist(symbols)))
      return signalPassFailure();
    for (auto entry : getOperation().getOps<plan::EntryOp>()) {
      if (profile)
        placePredicted(entry, symbols);
      else
        entry.walk([&](plan::LaunchOp launch) {
          auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
          give(launch, kernel, cutAt(kernel, wantedPercent()));
        });
    }
  }

private:
  LogicalResult verifyKernelsExist(const SymbolTable &symbols) {
    WalkResult walk = getOperation().walk([&](plan::LaunchOp launch) -> WalkResult {
      if (symbols.lookup<plan::KernelOp>(launch.getKernel()))
        return WalkResult::advance();
      return launch.emitOpError("must name a kernel, but names ") << launch.getKernelAttr();
    });
    return failure(walk.wasInterrupted());
  }

  unsigned wantedPercent() const {
    return llvm::StringSwitch<unsigned>(engines).Case("gpu", 100).Case("split", percent).Default(0);
  }

  void placePredicted(plan::EntryOp entry, const SymbolTable &symbols) {
    const bool isFree = engines.getValue() == "auto";
    EntrySteps steps(entry, symbols, *profile, precision == "fp16" ? place::Precision::F16 : place::Precision::F32,
                     isFree ? std::nullopt : std::optional<unsigned>(wantedPercent()), double(winogradBytes));
    // Option 1 is the wanted one where the search is not free, and else the GPU's.
    auto all = [&](unsigned option) {
      return place::evaluate(steps.problem, SmallVector<unsigned>(steps.problem.steps.size(), option));
    };
    place::StepPlacement chosen = isFree ? place::placeSteps(steps.problem) : all(1);
    // Predictions are off by some percent: what wins less may as well lose, and wakes a second engine for it.
    constexpr double kLeastGain = 0.03;
    if (isFree && chosen.seconds > all(0).seconds * (1 - kLeastGain))
      chosen = all(0);
    LDBG() << entry.getSymName() << ": " << steps.problem.steps.size() << " steps, " << chosen.meetings << " meetings, "
           << chosen.seconds * 1e3 << " ms on " << profile->name;
    for (auto [step, option] : llvm::enumerate(chosen.options))
      steps.forEachCut(step, option,
                       [&](plan::LaunchOp launch, int64_t cut) { give(launch, steps.kernelOf(launch), cut); });
    Builder builder(entry);
    entry->setAttr(place::kPredictedNanoseconds,
                   builder.getDenseI64ArrayAttr({int64_t(chosen.seconds * 1e9), int64_t(all(0).seconds * 1e9)}));
    entry->setAttr(place::kMeetings, builder.getI64IntegerAttr(chosen.meetings));
  }

  void give(plan::LaunchOp launch, plan::KernelOp kernel, int64_t cut) {
    Builder builder(launch);
    const int64_t extent = kernel.getCutExtent();
    launch.setGpuAttr(builder.getDenseI64ArrayAttr({0, cut}));
    launch.setCpuAttr(builder.getDenseI64ArrayAttr({cut, extent}));
    numOnGpu += cut == extent;
    numCut += cut > 0 && cut < extent;
  }

  std::optional<place::DeviceProfile> profile;
};

} // namespace
