// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/PlacementSearch.h"

#include "compiler/driver/EntryRequests.h"
#include "compiler/driver/ModuleCopies.h"
#include "compiler/driver/OperatorEngines.h"
#include "compiler/encode/Passes.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/halves/HalfErrors.h"
#include "compiler/kernels/Passes.h"
#include "compiler/place/Passes.h"
#include "compiler/report/DescribeGraph.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/plan/Notes.h"

using namespace mlir;

namespace nacre {

namespace {

/// Warnings and remarks of a plan that may not be chosen. The destructor emits them, also after an error, unless drop()
/// was called.
class HeldRemarks {
public:
  explicit HeldRemarks(MLIRContext &context) : context(context) {}
  ~HeldRemarks() {
    for (Diagnostic &remark : remarks)
      context.getDiagEngine().emit(std::move(remark));
  }
  HeldRemarks(const HeldRemarks &) = delete;
  HeldRemarks &operator=(const HeldRemarks &) = delete;

  /// Runs `work` and holds its warnings and remarks, from any thread. Errors are emitted immediately.
  template <typename Work> auto during(Work work) {
    const ScopedDiagnosticHandler handler(&context, [this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        return failure();
      remarks.push_back(std::move(diagnostic));
      return success();
    });
    return work();
  }

  void drop() { remarks.clear(); }

private:
  MLIRContext &context;
  std::vector<Diagnostic> remarks;
};

/// Returns the weighted sum of the entries' predicted times, in nanoseconds per run.
double predict(ModuleOp placed, const CompilerOptions &options) {
  double nanoseconds = 0;
  for (auto entry : placed.getOps<plan::EntryOp>())
    if (auto predicted = entry->getAttrOfType<DenseI64ArrayAttr>(plan::kPredictedNanoseconds))
      nanoseconds += weightOf(options, entry.getSymName()) * double(predicted[0]);
  return nanoseconds;
}

/// Returns the names of the entries that are predicted to be faster in `onCpu`, a plan for the CPU only, than in
/// `placed`.
std::vector<std::string> listFasterOnCpu(ModuleOp placed, ModuleOp onCpu) {
  std::vector<std::string> names;
  const SymbolTable entries(onCpu);
  for (auto entry : placed.getOps<plan::EntryOp>()) {
    auto other = entries.lookup<plan::EntryOp>(entry.getSymName());
    auto predicted = entry->getAttrOfType<DenseI64ArrayAttr>(plan::kPredictedNanoseconds);
    if (predicted && other && other->getAttrOfType<DenseI64ArrayAttr>(plan::kPredictedNanoseconds)[0] < predicted[0])
      names.push_back(entry.getSymName().str());
  }
  return names;
}

/// Returns the reasons why no GPU computes some of the model's nodes. `placed` is a plan for both engines, whose
/// kernels have notes with these reasons.
DeclinedNodes readDeclined(ModuleOp placed) {
  DeclinedNodes declined;
  const SymbolTable kernels(placed);
  placed.walk([&](plan::LaunchOp launch) {
    auto kernel = kernels.lookup<plan::KernelOp>(launch.getKernel());
    auto reason = kernel->getAttrOfType<StringAttr>(plan::kGpuDeclined);
    if (!reason)
      return;
    launch.getLoc()->walk([&](Location location) {
      if (isa<NameLoc>(location))
        declined.try_emplace(LocationAttr(location), reason);
      return WalkResult::advance();
    });
  });
  return declined;
}

/// Adds notes with the reasons to the CPU's launches of `plan`. Their kernels were formed for the CPU, so no GPU code
/// was tried for them.
void noteDeclined(ModuleOp plan, const DeclinedNodes &declined) {
  plan.walk([&](plan::LaunchOp launch) {
    StringAttr reason;
    launch.getLoc()->walk([&](Location location) {
      reason = declined.lookup(LocationAttr(location));
      return reason ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!reason || plan::gpuShareOf(launch) > 0)
      return;
    launch->setAttr(plan::kGpuDeclined, reason);
    if (auto predicted = launch->getAttrOfType<DenseI64ArrayAttr>(plan::kPredictedNanoseconds))
      launch->setAttr(plan::kPredictedNanoseconds,
                      Builder(launch).getDenseI64ArrayAttr(predicted.asArrayRef().front()));
  });
}

/// Adds to each entry of `plan` its predicted time on the CPU only, from `onCpu`.
void compareWithCpu(ModuleOp plan, ModuleOp onCpu) {
  const SymbolTable entries(onCpu);
  for (auto entry : plan.getOps<plan::EntryOp>()) {
    auto other = entries.lookup<plan::EntryOp>(entry.getSymName());
    auto predicted = entry->getAttrOfType<DenseI64ArrayAttr>(plan::kPredictedNanoseconds);
    if (predicted && other)
      entry->setAttr(plan::kPredictedNanoseconds,
                     Builder(entry).getDenseI64ArrayAttr(
                         {predicted[0], other->getAttrOfType<DenseI64ArrayAttr>(plan::kPredictedNanoseconds)[0]}));
  }
}

} // namespace

static codegen::GpuOptions gpuOptionsOf(const CompilerOptions &options, ArrayRef<codegen::Target> targets) {
  codegen::GpuOptions result;
  result.precision = options.gpuPrecision;
  result.accuracy = options.accuracy;
  result.mayBePlayed = targets.front().mayPlayGpu;
  result.mayBePhone = targets.front().arm64;
  return result;
}

PlacementSearch::PlacementSearch(const CompilerOptions &options, ArrayRef<codegen::Target> targets, PhaseRunner &phases,
                                 const KernelCache *cache)
    : options(options), targets(targets), phases(phases),
      gpuKernels(gpuOptionsOf(options, targets), jobsOf(options), cache) {
  phases.getContext().getOrLoadDialect<plan::PlanDialect>(); // notes on engines are added before there is a plan
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

FailureOr<PlacedModel> PlacementSearch::place(OwningOpRef<ModuleOp> model) {
  const Engines engines = options.placement.engines;
  if (engines == Engines::Cpu)
    return placeOnCpu(std::move(model));
  OwningOpRef<ModuleOp> copy = copyModule(*model);
  HeldRemarks ofBoth(phases.getContext()), ofCpu(phases.getContext());
  DeclinedNodes declined;
  FailureOr<PlacedModel> both = ofBoth.during([&] { return placeOnBoth(std::move(model), declined); });
  if (failed(both) || (both->usesGpu && engines != Engines::Auto)) {
    discardModule(std::move(copy));
    return both;
  }
  OwningOpRef<ModuleOp> mixed = both->usesGpu ? copyModule(*copy) : nullptr;
  FailureOr<PlacedModel> onCpu = ofCpu.during([&] { return placeOnCpu(std::move(copy)); });
  if (failed(onCpu) || (mixed && failed(improveByEntries(*both, *onCpu->module, std::move(mixed)))))
    return failure();
  // Predictions have an error of some percent. A smaller gain may be a loss, and a second engine uses more power.
  constexpr double leastGain = 0.03;
  if (both->usesGpu && predict(*both->module, options) <= predict(*onCpu->module, options) * (1 - leastGain)) {
    ofCpu.drop();
    compareWithCpu(*both->module, *onCpu->module);
    discardModule(std::move(onCpu->module));
    return both;
  }
  ofBoth.drop();
  discardModule(std::move(both->module));
  noteDeclined(*onCpu->module, declined);
  return onCpu;
}

LogicalResult PlacementSearch::improveByEntries(PlacedModel &both, ModuleOp onCpu, OwningOpRef<ModuleOp> model) {
  const std::vector<std::string> names = listFasterOnCpu(*both.module, onCpu);
  const bool isMixed = !names.empty() && names.size() < size_t(llvm::range_size(onCpu.getOps<plan::EntryOp>()));
  if (!isMixed) {
    discardModule(std::move(model));
    return success();
  }
  for (const std::string &name : names)
    plan::setEngine(model->lookupSymbol(name), plan::Engine::Cpu);
  // Both plans emit the same remarks.
  HeldRemarks repeated(phases.getContext());
  DeclinedNodes declined;
  FailureOr<PlacedModel> mixed = repeated.during([&] { return placeOnBoth(std::move(model), declined); });
  repeated.drop();
  if (failed(mixed))
    return failure();
  if (mixed->usesGpu && predict(*mixed->module, options) < predict(*both.module, options))
    std::swap(both, *mixed);
  discardModule(std::move(mixed->module));
  return success();
}

FailureOr<PlacedModel> PlacementSearch::placeOnCpu(OwningOpRef<ModuleOp> model) {
  PlacedModel plan;
  plan.module = std::move(model);
  plan::setEngine(*plan.module, plan::Engine::Cpu);
  if (failed(optimizeGraph(plan)) || failed(prepareKernels(*plan.module)) || failed(finish(plan, Engines::Cpu)))
    return failure();
  return plan;
}

FailureOr<PlacedModel> PlacementSearch::placeOnBoth(OwningOpRef<ModuleOp> model, DeclinedNodes &declined) {
  const Engines engines = options.placement.engines;
  PlacedModel plan;
  plan.module = std::move(model);
  plan.precision = options.gpuPrecision;
  if (failed(optimizeGraph(plan)) || failed(prepareKernels(*plan.module)))
    return failure();
  PlacedModel first;
  first.precision = plan.precision;
  first.wideProducts = plan.wideProducts;
  first.module = OperatorEngines::copyNumbered(*plan.module);
  if (engines == Engines::Gpu)
    plan::setEngine(*first.module, plan::Engine::Gpu);
  HeldRemarks ofFirst(phases.getContext());
  if (failed(ofFirst.during([&] { return finish(first, engines); })))
    return failure();
  declined = readDeclined(*first.module);
  const OperatorEngines chosen(*first.module);
  if (!chosen.hasGpu()) {
    discardModule(std::move(plan.module));
    return first;
  }
  ofFirst.drop(); // the second plan emits the same remarks
  chosen.note(*plan.module);
  discardModule(std::move(first.module));
  if (failed(finish(plan, engines)))
    return failure();
  noteDeclined(*plan.module, declined);
  plan.usesGpu = OperatorEngines(*plan.module).hasGpu();
  return plan;
}

//===----------------------------------------------------------------------===//
// The phases
//===----------------------------------------------------------------------===//

LogicalResult PlacementSearch::optimizeGraph(PlacedModel &plan) {
  graph::Options graphOptions;
  graphOptions.maxConstantBytes = options.maxConstantBytes;
  graphOptions.unsignedLeft = !targets.front().arm64;
  graphOptions.narrowsForGpu = plan.precision == GpuPrecision::F16;
  graphOptions.storageOfCpu = options.cpuPrecision;
  if (failed(phases.runPasses(Phase::Graph, *plan.module,
                              [&](OpPassManager &passes) { graph::buildPipeline(passes, graphOptions); })))
    return failure();
  takeWideProducts(plan);
  plan.module->walk([&](Operation *op) {
    if (isa_and_nonnull<nn::NnDialect>(op->getDialect()) && !isa<nn::ConstantOp>(op))
      ++plan.operators;
  });
  plan.looseScales = listLooseScales(*plan.module);
  plan.contractions = takeQuantizedContractions(*plan.module);
  plan.text += phases.textOf(Phase::Graph, *plan.module);
  return success();
}

/// Moves the notes on products that stay f32 from the functions to `plan`. If a GPU may compute one of them, GPUs
/// multiply f32 operands as f32.
void PlacementSearch::takeWideProducts(PlacedModel &plan) {
  for (auto function : plan.module->getOps<func::FuncOp>()) {
    auto notes = dyn_cast_or_null<ArrayAttr>(function->removeAttr(graph::kWideProducts));
    if (!notes)
      continue;
    llvm::append_range(plan.wideProducts, notes.getAsRange<ArrayAttr>());
    if (!plan::isOnCpu(function))
      gpuKernels.multiplyFloats();
  }
}

LogicalResult PlacementSearch::prepareKernels(ModuleOp module) {
  return phases.runPasses(Phase::Kernels, module, kernels::buildPreparation);
}

LogicalResult PlacementSearch::finish(PlacedModel &plan, Engines engines) {
  if (failed(formKernels(plan)) || failed(encode(plan)) || failed(placeKernels(plan, engines)))
    return failure();
  return success();
}

LogicalResult PlacementSearch::formKernels(PlacedModel &plan) {
  if (failed(phases.runPasses(Phase::Kernels, *plan.module, kernels::buildForming)))
    return failure();
  plan.text += phases.textOf(Phase::Kernels, *plan.module);
  return success();
}

LogicalResult PlacementSearch::encode(PlacedModel &plan) {
  for (auto entry : plan.module->getOps<plan::EntryOp>())
    plan::setEntryWeight(entry, weightOf(options, entry.getSymName()));
  const bool storesHalves = options.cpuPrecision == FloatStorage::F16;
  const bool halfSums = storesHalves && llvm::any_of(targets, [](const codegen::Target &target) {
                          return codegen::multiplies(target, FloatStorage::F16);
                        });
  const encode::Options encodeOptions{options.target,     options.cpus, options.accuracy,
                                      options.weightType, halfSums,     /*predictsNoise=*/storesHalves};
  if (failed(phases.runPasses(Phase::Encode, *plan.module,
                              [&](OpPassManager &passes) { encode::buildPipeline(passes, encodeOptions); })))
    return failure();
  plan.text += phases.textOf(Phase::Encode, *plan.module);
  return success();
}

/// Places kernels, and immediately compiles the GPU's kernels. A kernel that does not compile gets a note, and all
/// kernels are placed again. So the predicted time is the time of the plan that runs.
LogicalResult PlacementSearch::placeKernels(PlacedModel &plan, Engines engines) {
  place::Options placeOptions;
  placeOptions.placement = {engines, options.placement.percent};
  placeOptions.device = options.device;
  placeOptions.gpuPrecision = plan.precision;
  if (engines != Engines::Cpu)
    codegen::noteAlignments(*plan.module);
  for (unsigned declined = 1; declined > 0;) {
    if (failed(phases.runPasses(Phase::Place, *plan.module,
                                [&](OpPassManager &passes) { place::buildPipeline(passes, placeOptions); })))
      return failure();
    FailureOr<unsigned> newlyDeclined = failure();
    if (failed(phases.run(Phase::Place, [&] {
          newlyDeclined = gpuKernels.compilePlaced(*plan.module, plan.gpuCode, phases.progressOf(Phase::Place));
          return LogicalResult(newlyDeclined);
        })))
      return failure();
    declined = *newlyDeclined;
  }
  plan.text += phases.textOf(Phase::Place, *plan.module);
  return success();
}

} // namespace nacre
