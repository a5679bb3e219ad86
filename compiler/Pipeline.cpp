// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Pipeline.h. The order of the phases is the order of Phases.def.

#include "compiler/Pipeline.h"
#include "codegen/Backend.h"
#include "codegen/package/Package.h"
#include "codegen/package/TableRows.h"
#include "compiler/graph/Passes.h"
#include "compiler/import/Import.h"
#include "compiler/kernels/Passes.h"
#include "compiler/place/Passes.h"
#include "compiler/schedule/Passes.h"
#include "dialects/PrintableText.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/plan/PlanDialect.h"
#include "dialects/plan/StoredBytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>

using namespace mlir;

namespace nacre {

void registerDialects(DialectRegistry &registry) {
  // PlanDialect depends on the upstream dialects that its kernels are written in.
  registry.insert<func::FuncDialect, nn::NnDialect, plan::PlanDialect>();
}

void registerPasses() {
  graph::registerGraphPasses();
  graph::registerPipeline();
  kernels::registerKernelsPasses();
  place::registerPlacePasses();
  schedule::registerSchedulePasses();
  codegen::registerPasses();
  codegen::registerGpuPasses();
}

namespace {

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Prints a module without its resources, which a module's own printer would read and write out as text.
void printWithoutResources(ModuleOp module, raw_ostream &os) {
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(64);
  AsmState state(module, flags); // of all operations: a state of each one's own would number the whole module again
  os << "module {\n";
  for (Operation &op : *module.getBody()) {
    op.print(os, state);
    os << "\n";
  }
  os << "}\n";
}

importer::ImportOptions importOptionsOf(const CompilerOptions &options) {
  importer::ImportOptions result;
  result.shapes = options.inputShapes;
  result.values = options.inputValues;
  result.maxConstantBytes = options.maxConstantBytes;
  return result;
}

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
    report.cpu = options.cpus;
    report.device = options.device;
    report.gpuPrecision =
        options.placement.engines == Placement::Engines::Cpu ? GpuPrecision::F32 : options.gpuPrecision;

    // Each phase reads what the one before it wrote, and nothing else.
    const std::pair<Phase, std::function<LogicalResult()>> phases[] = {
        {Phase::Import, [&] { return importModel(); }},
        {Phase::Graph, [&] { return optimizeGraph(); }},
        {Phase::Kernels, [&] { return runPasses(kernels::buildPipeline); }},
        {Phase::Place, [&] { return placeKernels(); }},
        {Phase::Schedule, [&] { return schedule(); }},
        {Phase::Codegen, [&] { return compileKernels(); }},
        {Phase::Package, [&] { return isText() ? printKernels() : package(); }},
    };
    for (size_t next = 0; next < std::size(phases);) {
      const auto &[phase, work] = phases[next++];
      progress(phase, 0, 0);
      auto begin = std::chrono::steady_clock::now();
      if (failed(work()))
        return failure();
      std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
      report.addTime(phase, taken.count());
      // What values are stored as decides where they are computed, and the other way round. The GPU's precision is
      // tried, and taken back where the GPU gets nothing: the CPU would pay for it in time and in digits.
      if (phase == Phase::Place && narrows() && kernelsWithGpuShare().empty()) {
        takeBackPrecision();
        next = 0;
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

  LogicalResult runPasses(llvm::function_ref<void(OpPassManager &)> build) {
    PassManager passes(&context);
    build(passes);
    return passes.run(*module);
  }

  /// Whether all between inputs and outputs is stored as the GPU would have it.
  bool narrows() const { return report.gpuPrecision == GpuPrecision::F16; }

  void takeBackPrecision() {
    report.gpuPrecision = GpuPrecision::F32;
    report.precisionTakenBack = true;
    report.operators = 0;
    // The context keeps the bytes of constants for as long as it lives; what was made of the model's is of no use.
    module->walk([](plan::WeightOp weight) {
      if (auto bytes = dyn_cast<DenseResourceElementsAttr>(weight.getValue()))
        bytes.getRawHandle().getResource()->setBlob(AsmResourceBlob());
    });
    module = {};
  }

  LogicalResult importModel() {
    // What import remarks and warns of, it said the first time.
    ScopedDiagnosticHandler once(&context, [&](Diagnostic &diagnostic) {
      return success(report.precisionTakenBack && diagnostic.getSeverity() != DiagnosticSeverity::Error);
    });
    module = importer::importModel(options.modelPath, importOptionsOf(options), &context);
    return success(bool(module));
  }

  LogicalResult optimizeGraph() {
    graph::Options graphOptions;
    graphOptions.maxConstantBytes = options.maxConstantBytes;
    graphOptions.narrowFloats = narrows();
    if (failed(runPasses([&](OpPassManager &passes) { graph::buildPipeline(passes, graphOptions); })))
      return failure();
    module->walk([&](Operation *op) {
      if (isa_and_nonnull<nn::NnDialect>(op->getDialect()) && !isa<nn::ConstantOp>(op))
        ++report.operators;
    });
    return success();
  }

  LogicalResult placeKernels() {
    place::Options placeOptions;
    placeOptions.placement = options.placement;
    placeOptions.device = options.device;
    placeOptions.winogradBytes = int64_t(winogradBytes());
    placeOptions.gpuPrecision = report.gpuPrecision;
    if (failed(runPasses([&](OpPassManager &passes) { place::buildPipeline(passes, placeOptions); })))
      return failure();
    for (auto entry : module->getOps<plan::EntryOp>())
      if (auto predicted = entry->getAttrOfType<DenseI64ArrayAttr>(place::kPredictedNanoseconds))
        report.predicted = {predicted[0] * 1e-6, predicted[1] * 1e-6,
                            unsigned(entry->getAttrOfType<IntegerAttr>(place::kMeetings).getInt())};
    return success();
  }

  LogicalResult schedule() {
    schedule::Options scheduleOptions;
    if (options.placement.engines != Placement::Engines::Cpu)
      scheduleOptions.alignment = codegen::kGpuBufferAlignment;
    return runPasses([&](OpPassManager &passes) { schedule::buildPipeline(passes, scheduleOptions); });
  }

  bool isText() const {
    return options.compileTo == Phase::Codegen || options.output == Output::Assembly ||
           options.output == Output::LlvmIr;
  }

  /// By which all weights together may grow.
  double winogradBytes() {
    double weights = 0;
    for (auto weight : module->getOps<plan::WeightOp>())
      weights += double(plan::storedBytes(weight.getValue().getShapedType()));
    if (options.winogradPercent)
      return weights * *options.winogradPercent / 100;
    // A run is promised to take the model's weights, its arena and 8 MiB, of which most are free.
    return std::min(weights / 4, double(3 << 20));
  }

  /// Compiles every kernel for every target, in parallel; results are in the order of the module.
  LogicalResult compileKernels() {
    if (failed(codegen::chooseEncodings(*module, targets, winogradBytes())))
      return failure();
    codegen::Emit emit = options.compileTo == Phase::Codegen  ? codegen::Emit::LlvmDialect
                         : options.output == Output::Assembly ? codegen::Emit::Assembly
                         : options.output == Output::LlvmIr   ? codegen::Emit::LlvmIr
                                                              : codegen::Emit::Object;
    for (auto kernel : module->getOps<plan::KernelOp>()) {
      compiled.emplace_back();
      compiled.back().kernel = kernel;
      compiled.back().variants.resize(targets.size());
    }
    const llvm::StringSet<> wantGpu = kernelsWithGpuShare();
    if (!wantGpu.empty())
      codegen::noteAlignments(*module);
    std::atomic<size_t> next{0};
    std::atomic<bool> anyFailed{false};
    std::mutex progressMutex;
    // After the variants for CPUs, one turn for those of GPUs.
    size_t turns = targets.size() + !wantGpu.empty(), total = compiled.size() * turns, done = 0;
    auto work = [&] {
      for (size_t at; (at = next++) < total && !anyFailed;) {
        package::CompiledKernel &kernel = compiled[at / turns];
        size_t variant = at % turns;
        const bool isDone = variant < targets.size() ? succeeded(compileForCpu(kernel, variant, emit))
                                                     : !wantGpu.contains(plan::KernelOp(kernel.kernel).getSymName()) ||
                                                           succeeded(compileForGpu(kernel));
        if (!isDone)
          return void(anyFailed = true);
        std::lock_guard<std::mutex> lock(progressMutex);
        progress(Phase::Codegen, ++done, total);
      }
    };
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency(jobs));
    for (unsigned job = 0; job < jobs; ++job)
      pool.async(work);
    pool.wait();
    report.kernels = compiled.size();
    if (anyFailed)
      return failure();
    leaveToCpu();
    describeLaunches();
    return success();
  }

  llvm::StringSet<> kernelsWithGpuShare() {
    llvm::StringSet<> names;
    module->walk([&](plan::LaunchOp launch) {
      if (gpuShare(launch) > 0)
        names.insert(launch.getKernel());
    });
    return names;
  }

  static int64_t gpuShare(plan::LaunchOp launch) { return (*launch.getGpu())[1] - (*launch.getGpu())[0]; }

  LogicalResult compileForCpu(package::CompiledKernel &kernel, size_t variant, codegen::Emit emit) {
    const std::string symbol = package::variantSymbol(modelName, plan::KernelOp(kernel.kernel).getSymName(), variant);
    llvm::FailureOr<codegen::KernelCode> code = codegen::compileKernel(kernel.kernel, targets[variant], emit, symbol);
    if (succeeded(code))
      kernel.variants[variant] = std::move(*code);
    return code;
  }

  LogicalResult compileForGpu(package::CompiledKernel &kernel) {
    codegen::GpuOptions gpuOptions;
    gpuOptions.precision = narrows() ? codegen::GpuOptions::Precision::F16 : codegen::GpuOptions::Precision::F32;
    gpuOptions.mayBePlayed = targets.front().mayPlayGpu;
    llvm::FailureOr<codegen::GpuKernel> code = codegen::compileGpuKernel(kernel.kernel, gpuOptions);
    if (failed(code))
      return failure();
    kernel.gpu = std::move(*code);
    return success();
  }

  /// Launches of kernels that no GPU emitter takes are the CPU's alone.
  void leaveToCpu() {
    llvm::StringSet<> withCode;
    for (const package::CompiledKernel &kernel : compiled)
      if (!kernel.gpu.variants.empty())
        withCode.insert(plan::KernelOp(kernel.kernel).getSymName());
    Builder builder(&context);
    module->walk([&](plan::LaunchOp launch) {
      if (gpuShare(launch) == 0 || withCode.contains(launch.getKernel()))
        return;
      launch.setCpuAttr(builder.getDenseI64ArrayAttr({0, (*launch.getCpu())[1]}));
      launch.setGpuAttr(builder.getDenseI64ArrayAttr({0, 0}));
    });
  }

  void describeLaunches() {
    llvm::StringMap<const package::CompiledKernel *> byName;
    for (const package::CompiledKernel &kernel : compiled)
      byName[plan::KernelOp(kernel.kernel).getSymName()] = &kernel;
    module->walk([&](plan::EntryOp entry) {
      report.arenaBytes = std::max<uint64_t>(report.arenaBytes, entry.getArenaBytes().value_or(0));
      entry.walk([&](plan::LaunchOp launch) {
        const package::CompiledKernel *kernel = byName.lookup(launch.getKernel());
        LaunchReport row;
        row.nodes = package::nodeNames(launch.getLoc());
        row.kernel = launch.getKernel().str();
        row.kind = plan::stringifyKernelKind(plan::KernelOp(kernel->kernel).getKind()).str();
        row.flops = kernel->variants.front().flops;
        row.fallback = llvm::any_of(kernel->variants, [](const codegen::KernelCode &code) { return code.fallback; });
        row.gpuShare = double(gpuShare(launch)) / plan::KernelOp(kernel->kernel).getCutExtent();
        row.gpuDeclined = kernel->gpu.declined;
        if (auto predicted = launch->getAttrOfType<DenseI64ArrayAttr>(place::kPredictedNanoseconds))
          row.predictedMilliseconds = {predicted[0] * 1e-6, predicted[1] * 1e-6};
        for (Operation *parent = launch->getParentOp(); parent != entry; parent = parent->getParentOp())
          row.turns *= cast<plan::ForOp>(parent).getTripCount();
        report.launches.push_back(std::move(row));
      });
    });
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
    report.fileBytes = sizes->fileBytes;
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
  std::vector<package::CompiledKernel> compiled;
};

} // namespace

LogicalResult compileModel(const CompilerOptions &options, MLIRContext &context, raw_ostream &text,
                           CompileReport &report, Progress progress) {
  return Compilation(options, context, text, report, progress).run();
}

llvm::SmallVector<std::pair<std::string, std::string>> describeDevices() { return place::describeShippedProfiles(); }

llvm::Error checkDevice(StringRef device) { return place::checkDevice(device); }

llvm::FailureOr<ProblemCount> checkModel(const CompilerOptions &options, MLIRContext &context, raw_ostream &text) {
  std::vector<importer::Problem> problems;
  if (failed(importer::checkModel(options.modelPath, importOptionsOf(options), &context, problems)))
    return failure();
  ProblemCount count;
  for (const importer::Problem &problem : problems) {
    std::string where = problem.name.empty() ? "" : "\"" + problem.name + "\":";
    text << options.modelPath << ":" << toPrintable(where + " " + problem.what + ": " + problem.reason) << "\n";
    ++(problem.kind == importer::Problem::Kind::Node ? count.nodes : count.values);
  }
  return count;
}

} // namespace nacre
