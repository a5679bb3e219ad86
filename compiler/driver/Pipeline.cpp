// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Pipeline.h. The order of the phases is the order of Phases.def.

#include "compiler/driver/Pipeline.h"
#include "codegen/Backend.h"
#include "codegen/package/Package.h"
#include "compiler/driver/CompileKernels.h"
#include "compiler/driver/EntryImports.h"
#include "compiler/driver/EntryRequests.h"
#include "compiler/driver/HalfTypes.h"
#include "compiler/driver/ImportSettings.h"
#include "compiler/driver/ModelEntries.h"
#include "compiler/driver/ModuleCopies.h"
#include "compiler/driver/OutputFiles.h"
#include "compiler/driver/PlacementSearch.h"
#include "compiler/driver/PlanSearch.h"
#include "compiler/driver/PrintModule.h"
#include "compiler/driver/SaidOnce.h"
#include "compiler/driver/SessionMemory.h"
#include "compiler/import/Import.h"
#include "compiler/price/LaunchPrice.h"
#include "compiler/report/Advice.h"
#include "compiler/report/ContractionTypes.h"
#include "compiler/report/DescribeDevice.h"
#include "compiler/report/DescribeEntries.h"
#include "compiler/report/DescribeLaunches.h"
#include "compiler/report/DescribeNodes.h"
#include "compiler/schedule/Passes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"
#include <utility>

using namespace mlir;

namespace nacre {

namespace {

/// One compilation, from the model's file to its package. PlanSearch and PlacementSearch decide which plans are made.
class Compilation {
public:
  Compilation(const CompilerOptions &options, MLIRContext &context, raw_ostream &text, CompileReport &report,
              Progress progress, NamedFiles *files)
      : options(options), files(files), text(text), report(report), phases(options, context, report, progress),
        modelName(options.modelName.empty()
                      ? package::modelNameOf(options.outputPath == "-" ? options.modelPath : options.outputPath)
                      : options.modelName),
        entries(ModelEntries::create(options, context)) {}

  LogicalResult run() {
    if (failed(readTargets()) || failed(openCache()) || failed(readModel()))
      return failure();
    PlanSearch search(searchSettings());
    imports.emplace([this](const auto &asked, const auto &kept) { return model->import(asked, kept); },
                    /*keeps=*/search.mayTryAgain());
    placement.emplace(options, targets, phases, cache ? &*cache : nullptr);
    PlacedModel plan;
    CpuKernels compiled;
    while (const std::optional<Choice> choice = search.next()) {
      FailureOr<PlacedModel> trial = makePlan(search, *choice);
      if (succeeded(trial) && !trial->module)
        return print(*trial);
      if (failed(trial) && !search.mayFail())
        return failure();
      if (failed(trial))
        search.recordFailure();
      else if (search.record(measure(*trial)))
        std::swap(plan, *trial);
      if (succeeded(trial))
        discardModule(std::move(trial->module));
      if (search.isSettled() && !isBeforeCodegen()) {
        if (failed(compileKernels(plan, search.getMostScratch(), compiled)))
          return failure();
        search.recordScratch(compiled.scratchBytes);
      }
    }
    if (const Trial *missing = search.getMissing())
      return failForLackOfMemory(*missing, search.getMissingBytes());
    if (failed(describePlacement(plan)))
      return failure();
    if (isBeforeCodegen())
      return print(plan);
    if (cache)
      cache->prune();
    describeKernels(plan, compiled, search.getBest());
    return phases.run(Phase::Package, [&] { return isText() ? print(plan, compiled) : package(plan, compiled); });
  }

private:
  LogicalResult readTargets() {
    llvm::Expected<SmallVector<codegen::Target, 1>> parsed = codegen::parseTargets(options.target, options.cpus);
    if (!parsed)
      return phases.fail(llvm::toString(parsed.takeError()));
    targets = std::move(*parsed);
    if (llvm::Error error = checkHalves(options))
      return phases.fail(llvm::toString(std::move(error)));
    report.model = options.modelPath;
    report.output = options.outputPath;
    report.target = targets.back().name;
    report.machine = targets.front().model;
    report.vectorBytes = targets.front().vectors.bytes;
    report.cpu = options.cpus;
    report.device = options.device;
    report.preset = options.preset;
    report.cpuMultiplies =
        llvm::any_of(targets, [&](const auto &target) { return multiplies(target, options.cpuPrecision); });
    if (const std::string slow = whyHalvesAreSlow(options, targets); !slow.empty())
      emitWarning(FileLineColLoc::get(&phases.getContext(), llvm::sys::path::filename(options.modelPath), 0, 0))
          << slow;
    report.usesGpu = options.placement.engines != Placement::Engines::Cpu;
    report.weightType = options.weightType;
    return success();
  }

  /// Without the default folder, all kernels are compiled. A folder that the user named must be there.
  LogicalResult openCache() {
    if (options.kernelCache.empty())
      return success();
    llvm::Expected<KernelCache> opened = KernelCache::open(options.kernelCache);
    if (opened) {
      cache.emplace(std::move(*opened));
      return success();
    }
    const std::string problem = llvm::toString(opened.takeError());
    return options.requiresKernelCache
               ? phases.fail("--kernel-cache: no file can be created in '" + Twine(options.kernelCache) +
                             "': " + problem + "; name another folder, or use --kernel-cache=off")
               : success();
  }

  LogicalResult readModel() {
    importOptions = importOptionsOf(options);
    if (!entries->prepareImport(importOptions))
      return failure();
    return phases.run(Phase::Import, [&] {
      model = importer::Model::read(options.modelPath, importOptions, &phases.getContext());
      if (model)
        limit = entries->findLimit(*model);
      return success(bool(model));
    });
  }

  PlanSearch::Settings searchSettings() const {
    PlanSearch::Settings settings;
    if (limit)
      settings.mostBytes = limit->bytes;
    if (options.training && !options.training->losses.empty()) {
      settings.part = options.training->microBatch;
      settings.scalesLoss = options.gpuPrecision == GpuPrecision::F16;
    }
    settings.compilesKernels = !isBeforeCodegen();
    return settings;
  }

  bool isBeforeCodegen() const { return options.compileTo && *options.compileTo < Phase::Codegen; }

  //===--------------------------------------------------------------------===//
  // A plan
  //===--------------------------------------------------------------------===//

  /// Returns the model as `nn` functions, with the steps of training. Adds the IR that --compile-to asks for to
  /// `early`. Null after an error.
  OwningOpRef<ModuleOp> importAndTrain(PlanSearch &search, const Choice &choice, std::string &early) {
    const SaidOnce once(phases.getContext(), std::exchange(isImported, true));
    OwningOpRef<ModuleOp> module;
    if (failed(phases.run(Phase::Import, [&] {
          module = entries->import(*imports, importOptions, choice);
          return success(module && succeeded(checkOutputs(*model, files, phases.getContext())));
        })))
      return nullptr;
    if (report.nodes.empty())
      report.nodes = describeNodes(model->getNodes(), *module);
    // Phases free constants, which the next plan needs again.
    if (search.mayTryAgain())
      module = copyModule(*module);
    early += phases.textOf(Phase::Import, *module);
    if (options.cpuPrecision != FloatStorage::F32 && asksForGradients(*module)) {
      (void)phases.fail("--cpu-precision=" + floatStorageWord(options.cpuPrecision) +
                        " cannot be used with a model that computes gradients, which need fp32 on "
                        "the CPU; omit the option, or use --gpu-precision=fp16 with a GPU");
      return nullptr;
    }
    if ((options.training || asksForGradients(*module)) && failed(phases.run(Phase::Train, [&] {
          return success(succeeded(writeGradients(*module)) && succeeded(entries->addSteps(*module, choice)));
        })))
      return nullptr;
    search.allowParts(entries->getDividedBatch());
    if (failed(assignEngines(*module, options)))
      return nullptr;
    early += phases.textOf(Phase::Train, *module);
    return module;
  }

  /// Returns the plan of a choice, up to the schedule or the phase that --compile-to names.
  FailureOr<PlacedModel> makePlan(PlanSearch &search, const Choice &choice) {
    const ScopedDiagnosticHandler trials(&phases.getContext(), [&](Diagnostic &) { return success(search.mayFail()); });
    PlacedModel early;
    OwningOpRef<ModuleOp> imported = importAndTrain(search, choice, early.text);
    if (!imported)
      return failure();
    if (phases.isLast(Phase::Import) || phases.isLast(Phase::Train))
      return early;
    FailureOr<PlacedModel> plan =
        choice.isCpuOnly ? placement->placeOnCpu(std::move(imported)) : placement->place(std::move(imported));
    // A loss scale is for the GPU's steps only, so this plan is of no use.
    if (failed(plan) || (choice.scalesLoss && !plan->usesGpu))
      return plan;
    schedule::Options scheduleOptions;
    scheduleOptions.target = options.target;
    scheduleOptions.cpus = options.cpus;
    if (plan->usesGpu)
      scheduleOptions.alignment = codegen::kGpuBufferAlignment;
    if (limit)
      scheduleOptions.mostBytes = limit->getArenaLimit(*plan->module, choice.scratchBytes);
    if (failed(phases.runPasses(Phase::Schedule, *plan->module,
                                [&](OpPassManager &passes) { schedule::buildPipeline(passes, scheduleOptions); })))
      return failure();
    plan->isScheduled = true;
    plan->text += phases.textOf(Phase::Schedule, *plan->module);
    return plan;
  }

  /// Returns what the search must know of a plan.
  Trial measure(const PlacedModel &plan) const {
    Trial trial;
    trial.usesGpu = plan.usesGpu;
    if (!limit || !plan.isScheduled)
      return trial;
    ModuleOp module = *plan.module;
    trial.weightBytes = limit->getWeightBytes(module);
    trial.sessionBytes = sessionBytes(module);
    for (auto entry : module.getOps<plan::EntryOp>())
      trial.nanoseconds += weightOf(options, entry.getSymName()) * price::priceOf(entry, targets.front().model);
    trial.runsAgain = llvm::any_of(module.getOps<plan::EntryOp>(),
                                   [](plan::EntryOp entry) { return entry->hasAttr(plan::kAgainNanoseconds); });
    return trial;
  }

  LogicalResult failForLackOfMemory(const Trial &missing, int64_t bytes) const {
    constexpr int64_t mebibyte = 1 << 20;
    return phases.fail(limit->origin + " must be at least " + Twine(llvm::divideCeil(bytes, mebibyte)) +
                       " MiB for this model, but is " + Twine(limit->bytes / mebibyte) +
                       entries->adviseOnMemory(*limit, missing, bytes - missing.bytes()));
  }

  //===--------------------------------------------------------------------===//
  // Codegen and package
  //===--------------------------------------------------------------------===//

  bool isText() const {
    return options.compileTo == Phase::Codegen || options.output == Output::Assembly ||
           options.output == Output::LlvmIr;
  }

  LogicalResult compileKernels(const PlacedModel &plan, int64_t mostScratchBytes, CpuKernels &compiled) {
    CpuKernelOptions cpuOptions;
    cpuOptions.targets = targets;
    cpuOptions.emit = options.compileTo == Phase::Codegen  ? codegen::Emit::LlvmDialect
                      : options.output == Output::Assembly ? codegen::Emit::Assembly
                      : options.output == Output::LlvmIr   ? codegen::Emit::LlvmIr
                                                           : codegen::Emit::Object;
    cpuOptions.modelName = modelName;
    cpuOptions.cache = cache ? &*cache : nullptr;
    cpuOptions.jobs = jobsOf(options);
    cpuOptions.mostScratchBytes = mostScratchBytes;
    return phases.run(Phase::Codegen, [&] {
      FailureOr<CpuKernels> kernels =
          nacre::compileKernels(*plan.module, cpuOptions, plan.gpuCode, phases.progressOf(Phase::Codegen));
      if (succeeded(kernels))
        compiled = std::move(*kernels);
      return LogicalResult(kernels);
    });
  }

  LogicalResult print(const PlacedModel &plan) {
    text << plan.text;
    return success();
  }

  LogicalResult print(const PlacedModel &plan, const CpuKernels &compiled) {
    if (options.compileTo == Phase::Codegen)
      printWithoutResources(*plan.module, text);
    for (const package::CompiledKernel &kernel : compiled.kernels)
      for (const codegen::KernelCode &code : kernel.variants)
        text << code.text << "\n";
    return success();
  }

  LogicalResult package(const PlacedModel &plan, const CpuKernels &compiled) {
    package::PackageOptions packageOptions;
    packageOptions.outputPath = options.outputPath;
    packageOptions.modelName = modelName;
    packageOptions.compiler = "nacre-compile " NACRE_VERSION;
    packageOptions.jobs = jobsOf(options);
    packageOptions.weightsApart = options.weightsApart;
    packageOptions.relocatable = options.output == Output::Object;
    llvm::Expected<package::PackageSizes> sizes =
        package::writePackage(*plan.module, compiled.kernels, targets, packageOptions);
    if (!sizes)
      return phases.fail(llvm::toString(sizes.takeError()));
    report.weightBytes = sizes->weightBytes;
    report.codeBytes = sizes->codeBytes;
    report.gpuCodeBytes = sizes->gpuCodeBytes;
    report.gpuPackedBytes = sizes->gpuPackedBytes;
    report.tableBytes = sizes->tableBytes;
    report.runtimeBytes = sizes->runtimeBytes;
    report.fileBytes = sizes->fileBytes;
    report.buildId = sizes->buildId;
    report.weightsFile = sizes->weightsPath;
    if (options.advises)
      giveAdvice(report, phases.getContext());
    return success();
  }

  /// True if an entry that the CPU has a part of stores values as the option asks. The engines share the values of an
  /// entry, and GPUs do not compute with bf16.
  bool storesHalvesOnCpu(const PlacedModel &plan) const {
    ModuleOp module = *plan.module;
    const bool isShared = plan.precision == GpuPrecision::F16 && options.cpuPrecision == FloatStorage::F16;
    return !plan.usesGpu || isShared ||
           llvm::any_of(module.getOps<plan::EntryOp>(), [](plan::EntryOp entry) { return plan::isOnCpu(entry); });
  }

  LogicalResult describePlacement(const PlacedModel &plan) {
    report.operators = plan.operators;
    report.looseScales = plan.looseScales;
    describeContractions(report, plan.contractions, phases.getContext());
    report.wideProducts = describeWideProducts(plan.wideProducts);
    report.gpuPrecision = plan.precision;
    report.cpuPrecision = storesHalvesOnCpu(plan) ? options.cpuPrecision : FloatStorage::F32;
    report.takenBackOnCpu = report.cpuPrecision == options.cpuPrecision ? FloatStorage::F32 : options.cpuPrecision;
    report.precisionTakenBack = plan.precision != options.gpuPrecision && options.cpuPrecision == FloatStorage::F32;
    report.narrowWeights = describeNarrowWeights(*plan.module);
    report.predicted = describeRun(*plan.module);
    report.stepTimes = describeStepTimes(*plan.module);
    report.weightCosts = describeWeightCosts(*plan.module);
    if (options.device.empty())
      return success();
    llvm::Expected<DeviceRoofs> roofs = describeDevice(options.device, plan.precision);
    if (!roofs)
      return phases.fail(llvm::toString(roofs.takeError()));
    report.roofs = std::move(*roofs);
    return success();
  }

  void describeKernels(const PlacedModel &plan, const CpuKernels &compiled, const Choice &choice) {
    report.kernels = compiled.kernels.size();
    report.arenaBytes = arenaBytes(*plan.module);
    report.stateBytes = stateBytes(*plan.module);
    report.microBatch = choice.part;
    report.launches = describeLaunches(*plan.module, compiled.kernels, targets.front(), report.contractions);
    report.entries = describeEntries(*plan.module);
  }

  const CompilerOptions &options;
  NamedFiles *files;
  raw_ostream &text;
  CompileReport &report; ///< Only written.
  PhaseRunner phases;
  std::string modelName;
  SmallVector<codegen::Target, 1> targets;
  importer::ImportOptions importOptions;
  std::optional<KernelCache> cache;
  std::unique_ptr<importer::Model> model;
  std::unique_ptr<ModelEntries> entries;
  std::optional<MemoryLimit> limit;
  std::optional<EntryImports> imports;
  bool isImported = false; ///< True after the first import, whose remarks later ones repeat.
  std::optional<PlacementSearch> placement;
};

} // namespace

LogicalResult compileModel(const CompilerOptions &options, MLIRContext &context, raw_ostream &text,
                           CompileReport &report, Progress progress, NamedFiles *files) {
  return Compilation(options, context, text, report, progress, files).run();
}

} // namespace nacre
