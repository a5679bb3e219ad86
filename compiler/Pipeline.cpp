// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Pipeline.h. The order of the phases is the order of Phases.def.

#include "compiler/Pipeline.h"
#include "codegen/Backend.h"
#include "codegen/package/Package.h"
#include "compiler/Advice.h"
#include "compiler/CompileKernels.h"
#include "compiler/DescribeDevice.h"
#include "compiler/DescribeEntries.h"
#include "compiler/DescribeGraph.h"
#include "compiler/DescribeLaunches.h"
#include "compiler/ImportSettings.h"
#include "compiler/PrintModule.h"
#include "compiler/SaidOnce.h"
#include "compiler/TracePasses.h"
#include "compiler/TrainedModel.h"
#include "compiler/encode/Passes.h"
#include "compiler/graph/Passes.h"
#include "compiler/import/Import.h"
#include "compiler/kernels/Passes.h"
#include "compiler/place/Passes.h"
#include "compiler/schedule/Passes.h"
#include "compiler/train/Passes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/TimeProfiler.h"
#include <chrono>
#include <functional>

using namespace mlir;

namespace nacre {

void registerDialects(DialectRegistry &registry) {
  // PlanDialect depends on the upstream dialects that its kernels are written in.
  registry.insert<func::FuncDialect, nn::NnDialect, plan::PlanDialect>();
}

void registerPasses() {
  train::registerTrainPasses();
  graph::registerGraphPasses();
  graph::registerPipeline();
  kernels::registerKernelsPasses();
  encode::registerEncodePasses();
  place::registerPlacePasses();
  schedule::registerSchedulePasses();
  codegen::registerPasses();
  codegen::registerGpuPasses();
}

namespace {

//===----------------------------------------------------------------------===//
// One compilation
//===----------------------------------------------------------------------===//

class Compilation {
public:
  Compilation(const CompilerOptions &options, MLIRContext &context, raw_ostream &text, CompileReport &report,
              Progress progress)
      : options(options), context(context), text(text), report(report), progress(progress),
        jobs(options.jobs ? options.jobs : llvm::hardware_concurrency().compute_thread_count()),
        modelName(options.modelName.empty()
                      ? package::modelNameOf(options.outputPath == "-" ? options.modelPath : options.outputPath)
                      : options.modelName) {}

  LogicalResult run() {
    llvm::Expected<SmallVector<codegen::Target, 1>> parsed = codegen::parseTargets(options.target, options.cpus);
    if (!parsed)
      return fail(llvm::toString(parsed.takeError()));
    targets = std::move(*parsed);
    report.model = options.modelPath;
    report.output = options.outputPath;
    report.target = targets.back().name;
    report.machine = targets.front().model;
    report.cpu = options.cpus;
    report.device = options.device;
    report.preset = options.preset;
    report.usesGpu = options.placement.engines != Placement::Engines::Cpu;
    report.weightType = options.weightType;
    report.gpuPrecision =
        options.placement.engines == Placement::Engines::Cpu ? GpuPrecision::F32 : options.gpuPrecision;

    if (options.training && !trainsItself())
      trained.emplace(options, context);
    if (options.weightType == WeightType::F16)
      for (const codegen::Target &target : targets)
        if (!target.vectors.convertsHalves)
          return fail(
              "--weight-type=fp16 must have CPUs that widen fp16 in one instruction (F16C), but one is older than "
              "AVX2; use bf16, or name another --cpu");

    // What is tried need not succeed, and says nothing then.
    const ScopedDiagnosticHandler trials(&context,
                                         [this](Diagnostic &) { return success(trained && trained->isTrying()); });

    // Each phase reads what the one before it wrote, and nothing else.
    const std::pair<Phase, std::function<LogicalResult()>> phases[] = {
        {Phase::Import, [&] { return importModel(); }},
        {Phase::Train, [&] { return addTraining(); }},
        {Phase::Graph, [&] { return optimizeGraph(); }},
        {Phase::Kernels, [&] { return formKernels(); }},
        {Phase::Encode, [&] { return encodeWeights(); }},
        {Phase::Place, [&] { return placeKernels(); }},
        {Phase::Schedule, [&] { return schedule(); }},
        {Phase::Codegen, [&] { return compileKernels(); }},
        {Phase::Package, [&] { return isText() ? printKernels() : package(); }},
    };
    for (size_t next = 0; next < std::size(phases);) {
      const auto &[phase, work] = phases[next++];
      if (phase == Phase::Train && !options.training && !asksForGradients(*module))
        continue;
      progress(phase, 0, 0);
      const llvm::TimeTraceScope scope(phaseWord(phase));
      auto begin = std::chrono::steady_clock::now();
      if (failed(work())) {
        if (!trained || !trained->isTrying())
          return failure();
        trained->giveUpTrying();
        next = startAgain();
        continue;
      }
      std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
      report.addTime(phase, taken.count());
      // What values are stored as decides where they are computed, and the other way round. The GPU's precision is
      // tried, and taken back where the GPU gets nothing: the CPU would pay for it in time and in digits.
      if (phase == Phase::Place && narrows() && !hasGpuShare()) {
        report.gpuPrecision = GpuPrecision::F32;
        report.precisionTakenBack = true;
        next = startAgain();
        continue;
      }
      if (phase == Phase::Schedule && trained) {
        FailureOr<bool> others = trained->takeOtherParts(*module, targets.front().model);
        if (failed(others))
          return failure();
        if (*others) {
          next = startAgain();
          continue;
        }
      }
      if (phase == Phase::Codegen && trained && trained->takeOtherParts(*module, scratchBytes())) {
        next = startAgain();
        continue;
      }
      if (options.compileTo == phase && phase < Phase::Codegen) {
        printWithoutResources(*module, text);
        break;
      }
    }
    return success();
  }

private:
  LogicalResult fail(const Twine &message) { return emitError(UnknownLoc::get(&context)) << message; }

  auto progressOf(Phase phase) const {
    return [this, phase](unsigned done, unsigned total) { progress(phase, done, total); };
  }

  LogicalResult runPasses(llvm::function_ref<void(OpPassManager &)> build) {
    PassManager passes(&context);
    passes.addInstrumentation(std::make_unique<TracePasses>());
    build(passes);
    return passes.run(*module);
  }

  bool hasGpuShare() {
    return module
        ->walk([](plan::LaunchOp launch) {
          return plan::gpuShareOf(launch) > 0 ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Whether all between inputs and outputs is stored as the GPU would have it.
  bool narrows() const { return report.gpuPrecision == GpuPrecision::F16; }

  /// The first phase to run.
  size_t startAgain() {
    repeats = true;
    report.operators = 0;
    // The context keeps the bytes of constants for as long as it lives; what was made of the model's is of no use.
    if (module)
      module->walk([](plan::WeightOp weight) {
        if (auto bytes = dyn_cast<DenseResourceElementsAttr>(weight.getValue()))
          bytes.getRawHandle().getResource()->setBlob(AsmResourceBlob());
      });
    module = {};
    return 0;
  }

  LogicalResult importModel() {
    const SaidOnce once(context, repeats);
    importer::ImportOptions importOptions = importOptionsOf(options);
    importOptions.trainsItself = trainsItself();
    module = trained ? trained->import(std::move(importOptions))
                     : importer::importModel(options.modelPath, importOptions, keptTensorsOf(options), &context);
    if (module && trainsItself() && !module->lookupSymbol(train::trainEntry))
      return fail("--train must have a loss, as in --loss=softmax-cross-entropy:logits, where the model does not say "
                  "itself how it is trained; see --help");
    return success(bool(module));
  }

  /// Whether the model is trained as it says itself.
  bool trainsItself() const { return options.training && options.training->losses.empty(); }

  LogicalResult addTraining() {
    const SaidOnce once(context, repeats);
    if (failed(writeGradients(*module)))
      return failure();
    return trained ? trained->addSteps(*module) : success();
  }

  LogicalResult optimizeGraph() {
    graph::Options graphOptions;
    graphOptions.maxConstantBytes = options.maxConstantBytes;
    graphOptions.narrowFloats = narrows();
    // A workgroup's shared memory holds the scores of sixteen rows of so many keys.
    constexpr int64_t mostKeysOnGpu = 256;
    if (options.placement.engines != Placement::Engines::Cpu)
      graphOptions.mostKeys = mostKeysOnGpu;
    if (failed(runPasses([&](OpPassManager &passes) { graph::buildPipeline(passes, graphOptions); })))
      return failure();
    module->walk([&](Operation *op) {
      if (isa_and_nonnull<nn::NnDialect>(op->getDialect()) && !isa<nn::ConstantOp>(op))
        ++report.operators;
    });
    report.looseScales = listLooseScales(*module);
    return success();
  }

  LogicalResult formKernels() {
    kernels::Options kernelOptions;
    kernelOptions.isCpuAlone = options.placement.engines == Placement::Engines::Cpu;
    kernelOptions.isGpuAsked = options.placement.engines == Placement::Engines::Gpu;
    return runPasses([&](OpPassManager &passes) { kernels::buildPipeline(passes, kernelOptions); });
  }

  LogicalResult encodeWeights() {
    if (failed(runPasses([&](OpPassManager &passes) {
          encode::buildPipeline(passes, {options.target, options.cpus, options.accuracy, options.weightType,
                                         options.placement.engines == Placement::Engines::Cpu});
        })))
      return failure();
    report.narrowWeights = describeNarrowWeights(*module);
    return success();
  }

  /// Placement gives the GPU kernels, which are compiled at once. What then has no code is noted on the kernel, and all
  /// is placed again: what is predicted is what will run.
  LogicalResult placeKernels() {
    place::Options placeOptions;
    placeOptions.placement = options.placement;
    placeOptions.device = options.device;
    placeOptions.gpuPrecision = report.gpuPrecision;
    codegen::GpuOptions gpuOptions;
    gpuOptions.precision = report.gpuPrecision;
    gpuOptions.accuracy = options.accuracy;
    gpuOptions.mayBePlayed = targets.front().mayPlayGpu;
    gpuOptions.mayBePhone = targets.front().arm64;
    gpuKernels.emplace(gpuOptions, jobs);
    for (unsigned declined = 1; declined > 0;) {
      if (failed(runPasses([&](OpPassManager &passes) { place::buildPipeline(passes, placeOptions); })))
        return failure();
      llvm::FailureOr<unsigned> newlyDeclined = gpuKernels->compilePlaced(*module, progressOf(Phase::Place));
      if (failed(newlyDeclined))
        return failure();
      declined = *newlyDeclined;
    }
    if (!options.device.empty()) {
      llvm::Expected<DeviceRoofs> roofs = describeDevice(options.device, report.gpuPrecision);
      if (!roofs)
        return fail(llvm::toString(roofs.takeError()));
      report.roofs = std::move(*roofs);
    }
    report.predicted = describeRun(*module);
    report.stepTimes = describeStepTimes(*module);
    report.weightCosts = describeWeightCosts(*module);
    return success();
  }

  LogicalResult schedule() {
    schedule::Options scheduleOptions = {options.target, options.cpus};
    if (options.placement.engines != Placement::Engines::Cpu)
      scheduleOptions.alignment = codegen::kGpuBufferAlignment;
    if (trained)
      scheduleOptions.mostBytes = trained->getMostBytes(*module);
    return runPasses([&](OpPassManager &passes) { schedule::buildPipeline(passes, scheduleOptions); });
  }

  bool isText() const {
    return options.compileTo == Phase::Codegen || options.output == Output::Assembly ||
           options.output == Output::LlvmIr;
  }

  LogicalResult compileKernels() {
    CpuKernelOptions cpuOptions;
    cpuOptions.targets = targets;
    cpuOptions.emit = options.compileTo == Phase::Codegen  ? codegen::Emit::LlvmDialect
                      : options.output == Output::Assembly ? codegen::Emit::Assembly
                      : options.output == Output::LlvmIr   ? codegen::Emit::LlvmIr
                                                           : codegen::Emit::Object;
    cpuOptions.modelName = modelName;
    cpuOptions.jobs = jobs;
    llvm::FailureOr<std::vector<package::CompiledKernel>> kernels =
        nacre::compileKernels(*module, cpuOptions, *gpuKernels, progressOf(Phase::Codegen));
    if (failed(kernels))
      return failure();
    compiled = std::move(*kernels);
    report.kernels = compiled.size();
    report.arenaBytes = arenaBytes(*module);
    report.stateBytes = stateBytes(*module);
    report.microBatch = trained ? trained->getMicroBatch() : 0;
    report.launches = describeLaunches(*module, compiled, targets.front());
    report.entries = describeEntries(*module);
    return success();
  }

  /// Of a thread, whichever variant of its kernels it runs.
  int64_t scratchBytes() const {
    uint64_t bytes = 0;
    for (const package::CompiledKernel &kernel : compiled)
      for (const codegen::KernelCode &code : kernel.variants)
        bytes = std::max(bytes, code.scratchBytes);
    return int64_t(bytes);
  }

  LogicalResult printKernels() {
    if (options.compileTo == Phase::Codegen)
      printWithoutResources(*module, text);
    for (const package::CompiledKernel &kernel : compiled)
      for (const codegen::KernelCode &code : kernel.variants)
        text << code.text << "\n";
    return success();
  }

  LogicalResult package() {
    package::PackageOptions packageOptions;
    packageOptions.outputPath = options.outputPath;
    packageOptions.modelName = modelName;
    packageOptions.compiler = "nacre-compile " NACRE_VERSION;
    packageOptions.jobs = jobs;
    packageOptions.relocatable = options.output == Output::Object;
    llvm::Expected<package::PackageSizes> sizes = package::writePackage(*module, compiled, targets, packageOptions);
    if (!sizes)
      return fail(llvm::toString(sizes.takeError()));
    report.weightBytes = sizes->weightBytes;
    report.codeBytes = sizes->codeBytes;
    report.gpuCodeBytes = sizes->gpuCodeBytes;
    report.gpuPackedBytes = sizes->gpuPackedBytes;
    report.tableBytes = sizes->tableBytes;
    report.runtimeBytes = sizes->runtimeBytes;
    report.fileBytes = sizes->fileBytes;
    if (options.advises)
      giveAdvice(report, context);
    return success();
  }

  const CompilerOptions &options;
  MLIRContext &context;
  raw_ostream &text;
  CompileReport &report;
  Progress progress;
  unsigned jobs;
  std::string modelName;
  SmallVector<codegen::Target, 1> targets;
  OwningOpRef<ModuleOp> module;
  std::optional<TrainedModel> trained; ///< Of a model that is trained as options say.
  bool repeats = false;                ///< Phases run again, and have said what they remark.
  std::optional<GpuKernels> gpuKernels;
  std::vector<package::CompiledKernel> compiled;
};

} // namespace

LogicalResult compileModel(const CompilerOptions &options, MLIRContext &context, raw_ostream &text,
                           CompileReport &report, Progress progress) {
  return Compilation(options, context, text, report, progress).run();
}

llvm::Error checkTarget(StringRef target, StringRef cpus) { return codegen::parseTargets(target, cpus).takeError(); }

bool isCpuOf(StringRef target, StringRef cpu) { return codegen::isCpuOf(target, cpu); }

llvm::SmallVector<std::pair<std::string, std::string>> describeDevices() { return place::describeShippedProfiles(); }

llvm::Error checkDevice(StringRef device) { return place::checkDevice(device); }

} // namespace nacre
