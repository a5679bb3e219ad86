// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Pipeline.h. The order of the phases is the order of Phases.def.

#include "compiler/Pipeline.h"
#include "codegen/Backend.h"
#include "codegen/package/Package.h"
#include "compiler/CompileKernels.h"
#include "compiler/ImportSettings.h"
#include "compiler/ModuleCopies.h"
#include "compiler/OutputFiles.h"
#include "compiler/PlacementSearch.h"
#include "compiler/PrintModule.h"
#include "compiler/SaidOnce.h"
#include "compiler/SessionMemory.h"
#include "compiler/TrainedModel.h"
#include "compiler/encode/Passes.h"
#include "compiler/graph/Passes.h"
#include "compiler/import/Import.h"
#include "compiler/kernels/Passes.h"
#include "compiler/place/Passes.h"
#include "compiler/report/Advice.h"
#include "compiler/report/ContractionTypes.h"
#include "compiler/report/DescribeDevice.h"
#include "compiler/report/DescribeEntries.h"
#include "compiler/report/DescribeLaunches.h"
#include "compiler/report/DescribeNodes.h"
#include "compiler/schedule/Passes.h"
#include "compiler/train/Passes.h"
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

/// One compilation, from the model's file to its package: the phases in a row. PlacementSearch and TrainedModel decide what is tried.
class Compilation {
public:
  Compilation(const CompilerOptions &options, MLIRContext &context, raw_ostream &text, CompileReport &report,
              Progress progress, NamedFiles *files)
      : options(options), files(files), text(text), report(report), phases(options, context, report, progress),
        modelName(options.modelName.empty()
                      ? package::modelNameOf(options.outputPath == "-" ? options.modelPath : options.outputPath)
                      : options.modelName) {}

  LogicalResult run() {
    if (failed(readTargets()) || failed(readModel()))
      return failure();
    placement.emplace(options, targets, phases);
    while (true) {
      FailureOr<PlacedModel> plan = findPlan();
      if (failed(plan))
        return failure();
      if (plan->module && failed(describePlacement(*plan)))
        return failure();
      if (options.compileTo && *options.compileTo < Phase::Codegen) {
        if (memory && options.compileTo == Phase::Schedule &&
            memory->judge(*plan->module, /*scratchBytes=*/0) == SessionMemory::Verdict::Refused)
          return failure();
        text << plan->text;
        return success();
      }
      FailureOr<CpuKernels> compiled = compileKernels(*plan);
      if (failed(compiled))
        return failure();
      if (const std::optional<int64_t> most = trained ? trained->getMostScratch(*plan->module) : std::nullopt;
          most && compiled->scratchBytes > *most) {
        trained->searchAgain(compiled->scratchBytes);
        discardModule(std::move(plan->module));
        continue;
      }
      if (memory) {
        const SessionMemory::Verdict verdict = memory->judge(*plan->module, compiled->scratchBytes);
        if (verdict == SessionMemory::Verdict::Refused)
          return failure();
        if (verdict == SessionMemory::Verdict::Again) {
          discardModule(std::move(plan->module));
          continue;
        }
      }
      describeKernels(*plan, *compiled);
      return phases.run(Phase::Package, [&] { return isText() ? print(*plan, *compiled) : package(*plan, *compiled); });
    }
  }

private:
  LogicalResult readTargets() {
    llvm::Expected<SmallVector<codegen::Target, 1>> parsed = codegen::parseTargets(options.target, options.cpus);
    if (!parsed)
      return phases.fail(llvm::toString(parsed.takeError()));
    targets = std::move(*parsed);
    if (options.weightType == WeightType::F16)
      for (const codegen::Target &target : targets)
        if (!target.vectors.convertsHalves)
          return phases.fail(
              "--weight-type=fp16 needs CPUs that widen fp16 in one instruction (F16C), but one of them is "
              "older than AVX2; use bf16, or name another --cpu");
    report.model = options.modelPath;
    report.output = options.outputPath;
    report.target = targets.back().name;
    report.machine = targets.front().model;
    report.vectorBytes = targets.front().vectors.bytes;
    report.cpu = options.cpus;
    report.device = options.device;
    report.preset = options.preset;
    report.usesGpu = options.placement.engines != Placement::Engines::Cpu;
    report.weightType = options.weightType;
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Import and training
  //===--------------------------------------------------------------------===//

  /// Whether the model is trained as it says itself.
  bool trainsItself() const { return options.training && options.training->losses.empty(); }

  LogicalResult readModel() {
    importOptions = importOptionsOf(options);
    if (options.training && !trainsItself()) {
      trained.emplace(options, phases.getContext());
      if (!trained->prepareImport(importOptions))
        return failure();
    }
    return phases.run(Phase::Import, [&] {
      model = importer::Model::read(options.modelPath, importOptions, &phases.getContext());
      if (model && !options.training)
        limitMemory();
      return success(bool(model));
    });
  }

  /// The option wins over the limit that the model states.
  void limitMemory() {
    if (options.memoryCap) {
      memory.emplace(*options.memoryCap, "--memory-cap", options.weightsApart);
    } else if (std::optional<importer::MemoryCap> stated = model->getMemoryCap()) {
      memory.emplace(stated->bytes, ("'" + stated->origin + "'").str(), options.weightsApart);
      emitRemark(FileLineColLoc::get(&phases.getContext(), llvm::sys::path::filename(options.modelPath), 0, 0))
          << "'" << stated->origin << "' limits the weights and a session of one thread to " << (stated->bytes >> 20)
          << " MiB; change that with --memory-cap=<MiB>";
    }
  }

  /// Returns the model as `nn` functions, for the present parts of the batch. Null after an error.
  OwningOpRef<ModuleOp> importAndTrain() {
    const SaidOnce once(phases.getContext(), std::exchange(isImported, true));
    OwningOpRef<ModuleOp> module;
    if (failed(phases.run(Phase::Import, [&] {
          module =
              trained ? trained->import(*model, importOptions) : model->import(importOptions, keptTensorsOf(options));
          return success(module && succeeded(checkOutputs(*model, files, phases.getContext())));
        })))
      return nullptr;
    if (trainsItself() && !module->lookupSymbol(train::trainEntry)) {
      (void)phases.fail(
          "--train requires a loss, as in --loss=softmax-cross-entropy:logits, because the model does not "
          "say itself how it is trained; see --help");
      return nullptr;
    }
    if (report.nodes.empty())
      report.nodes = describeNodes(model->getNodes(), *module);
    // Imports of one model share its constants, and phases free them: a search needs them again.
    if (memory || (trained && (options.training->memoryCap || trained->scalesLoss())))
      module = copyModule(*module);
    early = phases.textOf(Phase::Import, *module);
    if (options.training || asksForGradients(*module))
      if (failed(phases.run(Phase::Train, [&] {
            if (failed(writeGradients(*module)))
              return failure();
            if (trained)
              return trained->addSteps(*module);
            return trainsItself() ? nameOwnSteps(*module) : success();
          })))
        return nullptr;
    early += phases.textOf(Phase::Train, *module);
    return module;
  }

  //===--------------------------------------------------------------------===//
  // Placement and schedule
  //===--------------------------------------------------------------------===//

  /// Returns a scheduled plan: the best one over all parts of the batch that --memory-cap allows.
  FailureOr<PlacedModel> findPlan() {
    std::optional<PlacedModel> kept;
    auto discardKept = [&] {
      if (kept)
        discardModule(std::move(kept->module));
    };
    while (true) {
      FailureOr<PlacedModel> plan = makePlan();
      if (failed(plan)) {
        if (!kept)
          return failure();
        trained->giveUpTrying();
        return std::move(*kept);
      }
      if (!trained || !plan->module)
        return plan;
      FailureOr<TrainedModel::Verdict> verdict = trained->judge(*plan->module, targets.front().model);
      if (failed(verdict))
        return failure();
      switch (*verdict) {
      case TrainedModel::Verdict::Take:
        discardKept();
        return plan;
      case TrainedModel::Verdict::TakeBefore:
        discardModule(std::move(plan->module));
        return std::move(*kept);
      case TrainedModel::Verdict::Keep:
        discardKept();
        kept = std::move(*plan);
        break;
      case TrainedModel::Verdict::Drop:
        discardModule(std::move(plan->module));
        break;
      }
    }
  }

  /// Returns a scheduled plan for the present parts. It has no module if --compile-to ends earlier.
  FailureOr<PlacedModel> makePlan() {
    // A trial that fails is no error, because other parts fit.
    const ScopedDiagnosticHandler trials(&phases.getContext(),
                                         [this](Diagnostic &) { return success(trained && trained->isTrying()); });
    OwningOpRef<ModuleOp> imported = importAndTrain();
    if (!imported)
      return failure();
    if (phases.isLast(Phase::Import) || phases.isLast(Phase::Train)) {
      PlacedModel nothing;
      nothing.text = std::move(early);
      return nothing;
    }
    FailureOr<PlacedModel> plan = trained && trained->isLeftToCpu() ? placement->placeOnCpu(std::move(imported))
                                                                    : placement->place(std::move(imported));
    if (failed(plan))
      return failure();
    // In f32 alone, steps need no loss scale, and the library is that of --place=cpu.
    if (trained && trained->scalesLoss() && !plan->usesGpu) {
      trained->leaveToCpu();
      discardModule(std::move(plan->module));
      return makePlan();
    }
    schedule::Options scheduleOptions;
    scheduleOptions.target = options.target;
    scheduleOptions.cpus = options.cpus;
    if (plan->usesGpu)
      scheduleOptions.alignment = codegen::kGpuBufferAlignment;
    if (trained)
      scheduleOptions.mostBytes = trained->getMostBytes(*plan->module);
    else if (memory)
      scheduleOptions.mostBytes = memory->getMostBytes(*plan->module);
    if (failed(phases.runPasses(Phase::Schedule, *plan->module,
                                [&](OpPassManager &passes) { schedule::buildPipeline(passes, scheduleOptions); })))
      return failure();
    plan->text += phases.textOf(Phase::Schedule, *plan->module);
    return plan;
  }

  //===--------------------------------------------------------------------===//
  // Codegen and package
  //===--------------------------------------------------------------------===//

  bool isText() const {
    return options.compileTo == Phase::Codegen || options.output == Output::Assembly ||
           options.output == Output::LlvmIr;
  }

  FailureOr<CpuKernels> compileKernels(const PlacedModel &plan) {
    CpuKernelOptions cpuOptions;
    cpuOptions.targets = targets;
    cpuOptions.emit = options.compileTo == Phase::Codegen  ? codegen::Emit::LlvmDialect
                      : options.output == Output::Assembly ? codegen::Emit::Assembly
                      : options.output == Output::LlvmIr   ? codegen::Emit::LlvmIr
                                                           : codegen::Emit::Object;
    cpuOptions.modelName = modelName;
    cpuOptions.jobs = jobsOf(options);
    if (const std::optional<int64_t> most = trained ? trained->getMostScratch(*plan.module) : std::nullopt)
      cpuOptions.mostScratchBytes = *most;
    FailureOr<CpuKernels> compiled = failure();
    if (failed(phases.run(Phase::Codegen, [&] {
          compiled = nacre::compileKernels(*plan.module, cpuOptions, plan.gpuCode, phases.progressOf(Phase::Codegen));
          return LogicalResult(compiled);
        })))
      return failure();
    return compiled;
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

  LogicalResult describePlacement(const PlacedModel &plan) {
    report.operators = plan.operators;
    report.looseScales = plan.looseScales;
    describeContractions(report, plan.contractions, phases.getContext());
    report.gpuPrecision = plan.precision;
    report.precisionTakenBack = plan.precision != options.gpuPrecision;
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

  void describeKernels(const PlacedModel &plan, const CpuKernels &compiled) {
    report.kernels = compiled.kernels.size();
    report.arenaBytes = arenaBytes(*plan.module);
    report.stateBytes = stateBytes(*plan.module);
    report.microBatch = trained ? trained->getMicroBatch() : 0;
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
  std::unique_ptr<importer::Model> model;
  std::optional<TrainedModel> trained; ///< Of a model that is trained as options say.
  std::optional<SessionMemory> memory; ///< Of a model that is not trained and has a limit.
  bool isImported = false;             ///< At least once: all that can be remarked has been.
  std::string early;                   ///< The IR of import and train, where it is asked for.
  std::optional<PlacementSearch> placement;
};

} // namespace

LogicalResult compileModel(const CompilerOptions &options, MLIRContext &context, raw_ostream &text,
                           CompileReport &report, Progress progress, NamedFiles *files) {
  return Compilation(options, context, text, report, progress, files).run();
}

} // namespace nacre
