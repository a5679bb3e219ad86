// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets each engine's range of the cut axis on every launch.
// Why: later phases and the runtime only need these ranges.
// How: 1. express an entry as steps with options (CostModel.h);
//      2. search for the best options (PlaceSegments.h), which determine the ranges;
//      3. write the estimated times of the result as predictions.
//
// Without a device, no times are predicted, and each launch is cut independently.

#include "compiler/place/CostModel.h"
#include "compiler/place/Passes.h"
#include "compiler/place/PlaceSegments.h"
#include "compiler/price/LaunchWork.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/ControlFlow.h"
#include "dialects/plan/Notes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/DebugLog.h"

#include <deque>

#define DEBUG_TYPE "nacre-place-kernels"

namespace nacre::place {
#define GEN_PASS_DEF_PLACEKERNELSPASS
#include "compiler/place/Passes.h.inc"
} // namespace nacre::place

using namespace mlir;
using namespace nacre;

namespace {

//===----------------------------------------------------------------------===//
// 1. Steps
//===----------------------------------------------------------------------===//

enum class Cuts {
  Promising, ///< Cuts that a search should try; the given cut if the launch's engine is already fixed.
  Given      ///< Ranges that launches already have.
};

/// Steps and options of an entry for the search, and the cuts of each option. The first option of a step is the CPU,
/// unless its engine is already fixed. With Cuts::Given, the last option is the given cut.
class EntrySteps {
public:
  EntrySteps(plan::EntryOp entry, const SymbolTable &symbols, const place::DeviceProfile &device,
             GpuPrecision precision, Cuts wanted)
      : symbols(symbols), device(device), precision(precision), wanted(wanted) {
    const double rivals = price::weightBytes(entry);
    problem.meetingSeconds = device.gpu.meetingSeconds;
    problem.copyBytesPerSecond = device.memory.copyBytesPerSecond;
    for (Operation &op : entry.getBody().front()) {
      if (auto launch = dyn_cast<plan::LaunchOp>(op))
        addLaunch(launch, rivals);
      else if (plan::isDecidedByRun(&op))
        addDecision(op, rivals);
      else if (auto loop = dyn_cast<plan::ForOp>(op))
        addLoop(loop);
    }
  }

  place::PlacementProblem problem;

  /// Returns the placement with the first option of every step. last() returns the placement with the last options.
  place::StepPlacement first() const {
    return evaluate([](const place::Step &) { return 0; });
  }
  place::StepPlacement last() const {
    return evaluate([](const place::Step &step) { return step.options.size() - 1; });
  }

  /// Calls `give` for each launch of a step, with the cut of the launch for `option`.
  void forEachCut(unsigned step, unsigned option, llvm::function_ref<void(plan::LaunchOp, int64_t)> give) {
    for (plan::LaunchOp launch : launches[step])
      give(launch, cutOf(launch, cuts[step][option]));
  }

  /// Writes the predicted time of one iteration of each complete launch, for each engine that has code for it.
  void notePredictions() {
    for (auto &[launch, work] : works) {
      SmallVector<int64_t, 2> nanoseconds{int64_t(place::cpuSeconds(work, device) * 1e9)};
      if (!plan::isDeclinedByGpu(kernelOf(launch)))
        nanoseconds.push_back(int64_t(place::gpuSeconds(work, device, precision) * 1e9));
      launch->setAttr(plan::kPredictedNanoseconds, Builder(launch).getDenseI64ArrayAttr(nanoseconds));
    }
  }

private:
  /// Placeholders for cuts whose values depend on the launch.
  enum : int64_t { kAll = -1, kGiven = -2 };

  plan::KernelOp kernelOf(plan::LaunchOp launch) const { return symbols.lookup<plan::KernelOp>(launch.getKernel()); }

  /// True if the engine of the launch is already fixed, so that a search has no choice.
  static bool isSettled(plan::LaunchOp launch) { return plan::engineOf(launch) != plan::Engine::Any; }

  int64_t cutOf(plan::LaunchOp launch, int64_t cut) const {
    return cut == kAll ? kernelOf(launch).getCutExtent() : cut == kGiven ? plan::gpuShareOf(launch) : cut;
  }

  place::StepPlacement evaluate(llvm::function_ref<unsigned(const place::Step &)> optionOf) const {
    return place::evaluate(problem, llvm::map_to_vector(problem.steps, optionOf));
  }

  const price::LaunchWork &addWork(plan::LaunchOp launch, double rivals) {
    return works.emplace_back(launch, price::readWork(launch, kernelOf(launch), rivals)).second;
  }

  void addLaunch(plan::LaunchOp launch, double rivals) {
    place::Step step;
    addAccesses(launch, step);
    plan::KernelOp kernel = kernelOf(launch);
    const price::LaunchWork &work = addWork(launch, rivals);
    const int64_t extent = kernel.getCutExtent();
    SmallVector<int64_t> at{0};
    if (wanted == Cuts::Given)
      at.push_back(kGiven);
    else if (isSettled(launch))
      at = {kGiven};
    else if (!plan::isDeclinedByGpu(kernel))
      at = place::promisingCuts(work, device, precision, extent, kernel.getGrain());
    for (int64_t cut : at) {
      const double share = double(cutOf(launch, cut)) / extent;
      const place::CutSeconds seconds = place::cutSeconds(work, device, precision, share);
      step.options.push_back({share, seconds.cpu, seconds.gpu});
    }
    add(std::move(step), {launch}, at);
  }

  /// Adds a loop. A search gives all its iterations to one engine, because a meeting in each iteration would take
  /// longer than sharing saves.
  void addLoop(plan::ForOp loop) {
    place::Step step;
    SmallVector<plan::LaunchOp> inside;
    loop.walk([&](plan::LaunchOp launch) { inside.push_back(launch); });
    const bool isGiven = llvm::any_of(inside, isSettled);
    const int64_t otherCut = wanted == Cuts::Given || isGiven ? kGiven : kAll;
    const bool isMixed = llvm::any_of(inside, [&](plan::LaunchOp launch) {
      const int64_t cut = cutOf(launch, otherCut);
      return cut < kernelOf(launch).getCutExtent() || plan::isDeclinedByGpu(kernelOf(launch));
    });
    const double rivals = price::weightBytes(loop);
    place::StepOption onCpu{0, 0, 0}, other{0, 0, 0};
    for (plan::LaunchOp launch : inside) {
      const double iterations = plan::countExecutions(launch);
      const price::LaunchWork &work = addWork(launch, rivals);
      const double share = double(cutOf(launch, otherCut)) / kernelOf(launch).getCutExtent();
      const place::CutSeconds seconds = place::cutSeconds(work, device, precision, share);
      onCpu.cpuSeconds += iterations * place::cpuSeconds(work, device);
      other.gpuShare = std::max(other.gpuShare, share);
      other.cpuSeconds += iterations * seconds.cpu;
      other.gpuSeconds += iterations * (seconds.gpu + (share > 0 && isMixed ? problem.meetingSeconds : 0));
      addAccesses(launch, step);
    }
    SmallVector<int64_t> at;
    if (wanted == Cuts::Given || !isGiven) {
      step.options.push_back(onCpu);
      at.push_back(0);
    }
    if (wanted == Cuts::Given || isGiven || !isMixed) {
      step.options.push_back(other);
      at.push_back(otherCut);
    }
    add(std::move(step), std::move(inside), at);
  }

  /// Adds a branch or loop with a condition. The CPU always computes it, because the CPU reads the conditions. A
  /// meeting for each condition would take longer than the GPU saves.
  void addDecision(Operation &op, double rivals) {
    place::Step step;
    SmallVector<plan::LaunchOp> inside;
    step.options = {{0, 0, 0}};
    const double rivalsInside = isa<plan::IfOp>(op) ? rivals : price::weightBytes(&op);
    op.walk([&](Operation *part) {
      auto launch = dyn_cast<plan::LaunchOp>(part);
      if (!launch) {
        if (isa<plan::ForOp, plan::ConditionOp, plan::IfOp>(part))
          addReads(part->getOperands(), step);
        return;
      }
      inside.push_back(launch);
      addAccesses(launch, step);
      step.options.front().cpuSeconds +=
          plan::countExecutions(launch) * place::cpuSeconds(addWork(launch, rivalsInside), device);
    });
    add(std::move(step), std::move(inside), {0});
  }

  void add(place::Step step, SmallVector<plan::LaunchOp> of, ArrayRef<int64_t> at) {
    problem.steps.push_back(std::move(step));
    launches.push_back(std::move(of));
    cuts.emplace_back(at);
  }

  void addAccesses(plan::LaunchOp launch, place::Step &step) {
    addReads(launch.getInputs(), step);
    for (Value output : launch.getOutputs())
      touch(output, true, step);
  }

  void addReads(ValueRange operands, place::Step &step) {
    for (Value operand : operands)
      touch(operand, false, step);
  }

  void touch(Value operand, bool writes, place::Step &step) {
    auto storage = plan::rootOf(operand).getDefiningOp<plan::StorageOp>();
    if (!storage)
      return;
    const unsigned number = numberOf(storage);
    auto *access = llvm::find_if(step.accesses, [&](const auto &other) { return other.storage == number; });
    if (access == step.accesses.end())
      access = &step.accesses.emplace_back(place::StorageAccess{number, false, false});
    (writes ? access->writes : access->reads) = true;
  }

  unsigned numberOf(plan::StorageOp storage) {
    auto [at, isNew] = numbers.try_emplace(storage, problem.storageBytes.size());
    if (isNew) {
      problem.storageBytes.push_back(double(storedBytes(cast<ShapedType>(storage.getType()))));
      const plan::Role role = storage.getRole();
      problem.isInput.push_back(role == plan::Role::Input || role == plan::Role::State);
      problem.isOutput.push_back(role == plan::Role::Output || role == plan::Role::Count || role == plan::Role::State);
    }
    return at->second;
  }

  const SymbolTable &symbols;
  const place::DeviceProfile &device;
  GpuPrecision precision;
  const Cuts wanted;
  std::deque<std::pair<plan::LaunchOp, price::LaunchWork>> works;
  llvm::DenseMap<Operation *, unsigned> numbers;
  std::vector<SmallVector<plan::LaunchOp>> launches; // Launches of each step.
  std::vector<SmallVector<int64_t>> cuts;            // Cut of each step and option.
};

//===----------------------------------------------------------------------===//
// 2. and 3. The pass
//===----------------------------------------------------------------------===//

struct PlaceKernels : place::impl::PlaceKernelsPassBase<PlaceKernels> {
  using PlaceKernelsPassBase::PlaceKernelsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto fail = [&](const Twine &message) { return emitError(UnknownLoc::get(context)) << message; };
    if (percent > 100)
      return fail("percent must be at most 100, but is " + Twine(percent));
    if (device.empty())
      return engines == Placement::Engines::Auto ? fail("engines=auto requires a device, for which times are predicted")
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
    for (auto entry : getOperation().getOps<plan::EntryOp>())
      for (Operation &step : entry.getBody().front()) {
        const bool isCpus = plan::isDecidedByRun(&step);
        step.walk([&](plan::LaunchOp launch) { give(launch, symbols, isCpus ? 0 : wantedCut(launch, symbols)); });
      }
    if (profile) {
      if (engines == Placement::Engines::Auto)
        search(symbols);
      predict(symbols);
    }
    getOperation().walk([&](plan::LaunchOp launch) {
      numOnGpu += plan::gpuShareOf(launch) > 0 && (*launch.getCpu())[0] == (*launch.getCpu())[1];
      numCut += plan::gpuShareOf(launch) > 0 && (*launch.getCpu())[0] < (*launch.getCpu())[1];
    });
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

  /// Returns the cut for the engine that is fixed for the launch, or otherwise for the engines that the user chose.
  /// Returns 0 if the GPU has no code. A search starts with the CPU.
  int64_t wantedCut(plan::LaunchOp launch, const SymbolTable &symbols) const {
    const unsigned asked = engines == Placement::Engines::Gpu     ? 100
                           : engines == Placement::Engines::Split ? unsigned(percent)
                                                                  : 0;
    const plan::Engine engine = plan::engineOf(launch);
    const unsigned wanted = engine == plan::Engine::Cpu ? 0 : engine == plan::Engine::Gpu ? 100 : asked;
    auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
    const int64_t extent = kernel.getCutExtent(), grain = kernel.getGrain();
    if (plan::isDeclinedByGpu(kernel))
      return 0;
    return wanted >= 100 ? extent : extent * wanted / 100 / grain * grain;
  }

  EntrySteps stepsOf(plan::EntryOp entry, const SymbolTable &symbols, Cuts wanted) const {
    return EntrySteps(entry, symbols, *profile, precision, wanted);
  }

  /// Step 2: gives each entry the fastest placement.
  void search(const SymbolTable &symbols) {
    // Predictions have errors of some percent. A smaller gain may be a loss, and would only wake a second engine.
    constexpr double kLeastGain = 0.03;
    for (auto entry : getOperation().getOps<plan::EntryOp>()) {
      EntrySteps steps = stepsOf(entry, symbols, Cuts::Promising);
      const place::StepPlacement found = place::placeSteps(steps.problem);
      if (found.seconds > steps.first().seconds * (1 - kLeastGain))
        continue;
      LDBG() << entry.getSymName() << ": " << steps.problem.steps.size() << " steps, " << found.meetings
             << " meetings, " << found.seconds * 1e3 << " ms on " << profile->name;
      for (auto [step, option] : llvm::enumerate(found.options))
        steps.forEachCut(step, option, [&](plan::LaunchOp launch, int64_t cut) { give(launch, symbols, cut); });
    }
  }

  /// Step 3: writes predictions for the chosen placement.
  void predict(const SymbolTable &symbols) {
    for (auto entry : getOperation().getOps<plan::EntryOp>()) {
      EntrySteps steps = stepsOf(entry, symbols, Cuts::Given);
      steps.notePredictions();
      const place::StepPlacement placed = steps.last();
      Builder builder(entry);
      entry->setAttr(plan::kPredictedNanoseconds, builder.getDenseI64ArrayAttr({int64_t(placed.seconds * 1e9),
                                                                                int64_t(steps.first().seconds * 1e9)}));
      entry->setAttr(plan::kMeetings, builder.getI64IntegerAttr(placed.meetings));
    }
  }

  void give(plan::LaunchOp launch, const SymbolTable &symbols, int64_t cut) {
    Builder builder(launch);
    const int64_t extent = symbols.lookup<plan::KernelOp>(launch.getKernel()).getCutExtent();
    launch.setGpuAttr(builder.getDenseI64ArrayAttr({0, cut}));
    launch.setCpuAttr(builder.getDenseI64ArrayAttr({cut, extent}));
  }

  std::optional<place::DeviceProfile> profile;
};

} // namespace
