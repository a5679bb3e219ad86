// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles nodes to a library by the phases after import and train, in their order (compiler/driver/Pipeline.cpp).
// Loads the library, and runs it once.

#include "test/meaning/Join.h"

#include "codegen/Backend.h"
#include "codegen/package/Package.h"
#include "compiler/encode/Passes.h"
#include "compiler/graph/Passes.h"
#include "compiler/kernels/Passes.h"
#include "compiler/place/Passes.h"
#include "compiler/schedule/Passes.h"
#include "dialects/plan/Notes.h"
#include "nacre/runtime.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <dlfcn.h>

using namespace mlir;

namespace nacre::meaning {
namespace {

constexpr const char *modelName = "meaning";

/// Code of all kernels; a kernel that no GPU computes is noted, and has no share of a GPU when it is placed again.
class KernelCodes {
public:
  KernelCodes(ArrayRef<codegen::Target> targets) : targets(targets) { options.accuracy = Accuracy::Strict; }

  /// Returns the number of kernels that no GPU computes and that are not listed.
  FailureOr<unsigned> compileForGpu(ModuleOp placed) {
    llvm::StringSet<> wanted;
    placed.walk([&](plan::LaunchOp launch) {
      if (plan::gpuShareOf(launch) > 0)
        wanted.insert(launch.getKernel());
    });
    if (gpu.empty())
      codegen::noteAlignments(placed);
    unsigned declined = 0;
    for (auto kernel : placed.getOps<plan::KernelOp>()) {
      if (!wanted.contains(kernel.getSymName()) || gpu.contains(kernel.getSymName()))
        continue;
      FailureOr<codegen::GpuKernel> code = codegen::compileGpuKernel(kernel, options);
      if (failed(code))
        return failure();
      if (code->variants.empty()) {
        kernel->setAttr(plan::kGpuDeclined, StringAttr::get(kernel.getContext(), code->declined));
        ++declined;
      }
      gpu[kernel.getSymName()] = std::move(*code);
    }
    return declined;
  }

  FailureOr<std::vector<package::CompiledKernel>> compileForCpu(ModuleOp scheduled) {
    std::vector<package::CompiledKernel> compiled;
    for (auto kernel : scheduled.getOps<plan::KernelOp>()) {
      FailureOr<codegen::KernelCode> code = codegen::compileKernel(
          kernel, targets.front(), codegen::Emit::Object, package::variantSymbol(modelName, kernel.getSymName(), 0));
      if (failed(code))
        return failure();
      package::CompiledKernel &last = compiled.emplace_back();
      last.kernel = kernel;
      last.variants.push_back(std::move(*code));
      if (auto found = gpu.find(kernel.getSymName()); found != gpu.end())
        last.gpu = std::move(found->second);
    }
    return compiled;
  }

private:
  ArrayRef<codegen::Target> targets;
  codegen::GpuOptions options;
  llvm::StringMap<codegen::GpuKernel> gpu;
};

LogicalResult compile(ModuleOp module, Placement::Engines engines, const std::string &path) {
  const bool usesGpu = engines != Placement::Engines::Cpu;
  auto targets = codegen::parseTargets("host", "");
  if (!targets)
    return module.emitError(llvm::toString(targets.takeError()));
  auto run = [&](llvm::function_ref<void(PassManager &)> build) {
    PassManager passes(module.getContext());
    build(passes);
    return passes.run(module);
  };

  encode::Options encodeOptions;
  encodeOptions.accuracy = Accuracy::Strict;
  plan::setEngine(module, usesGpu ? plan::Engine::Gpu : plan::Engine::Cpu);
  if (failed(run([&](PassManager &passes) {
        graph::buildPipeline(passes, graph::Options());
        kernels::buildPipeline(passes, usesGpu ? plan::Engine::Gpu : plan::Engine::Cpu);
        encode::buildPipeline(passes, encodeOptions);
      })))
    return failure();
  place::Options placeOptions;
  placeOptions.placement.engines = engines;
  KernelCodes codes(*targets);
  for (unsigned declined = 1; declined > 0;) {
    if (failed(run([&](PassManager &passes) { place::buildPipeline(passes, placeOptions); })))
      return failure();
    FailureOr<unsigned> newlyDeclined = codes.compileForGpu(module);
    if (failed(newlyDeclined))
      return failure();
    declined = *newlyDeclined;
  }
  schedule::Options scheduleOptions;
  if (usesGpu)
    scheduleOptions.alignment = codegen::kGpuBufferAlignment;
  if (failed(run([&](PassManager &passes) { schedule::buildPipeline(passes, scheduleOptions); })))
    return failure();
  FailureOr<std::vector<package::CompiledKernel>> kernels = codes.compileForCpu(module);
  if (failed(kernels))
    return failure();
  package::PackageOptions packageOptions;
  packageOptions.outputPath = path;
  packageOptions.modelName = modelName;
  packageOptions.compiler = "nacre-one-meaning";
  auto sizes = package::writePackage(module, *kernels, *targets, packageOptions);
  return sizes ? success() : LogicalResult(module.emitError(llvm::toString(sizes.takeError())));
}

/// A library that is closed at the end.
struct Library {
  explicit Library(const std::string &path) : handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() {
    nacre_session_destroy(session);
    if (handle)
      dlclose(handle);
  }
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  void *handle;
  nacre_session *session = nullptr;
};

} // namespace

Outcome compileAndRun(Nodes nodes, Placement::Engines engines, const std::string &path, MLIRContext *context,
                      std::vector<Tensors> &results) {
  OwningOpRef<ModuleOp> module = join(nodes, /*allConstants=*/false, context);
  if (!module || failed(compile(*module, engines, path)))
    return Outcome::Failed;
  Library library(path);
  const auto *model =
      library.handle
          ? static_cast<const nacre_model *>(dlsym(library.handle, ("nacre_model_" + std::string(modelName)).c_str()))
          : nullptr;
  auto fail = [&](const char *what) {
    emitError(UnknownLoc::get(context)) << what << (library.session ? nacre_session_reason(library.session) : "");
    return Outcome::Failed;
  };
  if (!model)
    return fail(dlerror());
  char reason[512] = "";
  nacre_session_options options = nacre_session_options_default();
  options.threads = 1;
  options.gpu = engines == Placement::Engines::Cpu ? NACRE_GPU_NEVER : NACRE_GPU_REQUIRED;
  options.reason = reason;
  options.reason_capacity = sizeof(reason);
  const nacre_status created = nacre_session_create(model, &options, &library.session);
  if (created == NACRE_UNSUPPORTED && engines != Placement::Engines::Cpu)
    return Outcome::NoDevice;
  if (created != NACRE_OK)
    return fail(reason);

  uint32_t port = 0;
  for (const Node *node : nodes)
    for (const Operand &operand : node->operands) {
      if (operand.isConstant)
        continue;
      void *data = nullptr;
      if (nacre_session_input(library.session, port++, &data) != NACRE_OK)
        return fail("an input is missing: ");
      const std::vector<char> bytes = evaluate::toBytes(operand.value);
      std::copy(bytes.begin(), bytes.end(), static_cast<char *>(data));
    }
  if (nacre_session_run(library.session) != NACRE_OK)
    return fail("the run failed: ");

  port = 0;
  for (const Node *node : nodes) {
    Tensors &own = results.emplace_back();
    OwningOpRef<ModuleOp> parsed = parse(*node, context);
    for (Type type : (*parsed->getOps<func::FuncOp>().begin()).getResultTypes()) {
      nacre_tensor_info info;
      void *data = nullptr;
      const bool isThere = nacre_output_describe(model, 0, port, &info) == NACRE_OK &&
                           nacre_session_output(library.session, port, &data) == NACRE_OK;
      ++port;
      if (!isThere)
        return fail("an output is missing: ");
      own.push_back(
          evaluate::fromBytes(cast<RankedTensorType>(type), {static_cast<const char *>(data), size_t(info.bytes)}));
    }
  }
  return Outcome::Done;
}

} // namespace nacre::meaning
