// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre-kernel: compiles the kernels of a `plan` module one by one, for a CPU or for GPUs, and prints their
// code. Why:   a kernel's inner loop is what its author wants to see, and a test wants to check. How:   the same call
// as the compiler's own, codegen/Backend.h.

#include "codegen/Backend.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace nacre::codegen;

static cl::opt<std::string> input(cl::Positional, cl::Required, cl::desc("<plan.mlir>"));
static cl::opt<std::string> output("o", cl::init("-"), cl::desc("Where to write, - for the terminal"));
static cl::opt<std::string> target("target", cl::init("host"),
                                   cl::desc("host, linux-x86_64, linux-arm64 or android-arm64"));
static cl::opt<std::string> cpu("cpu", cl::desc("LLVM's name of the CPU; the target's default if empty"));
static cl::opt<std::string> only("kernel", cl::desc("The kernel to compile; all if empty"));
static cl::opt<Emit> emit("emit", cl::init(Emit::Assembly), cl::desc("What to write:"),
                          cl::values(clEnumValN(Emit::Assembly, "asm", "Assembly"),
                                     clEnumValN(Emit::LlvmIr, "llvm-ir", "Optimized LLVM IR"),
                                     clEnumValN(Emit::LlvmDialect, "llvm-dialect", "MLIR's LLVM dialect"),
                                     clEnumValN(Emit::Object, "obj", "Objects, one after the other")));
static cl::opt<bool> gpu("gpu", cl::desc("Compile for GPUs"));
static cl::opt<GpuEmit>
    gpuEmit("gpu-emit", cl::init(GpuEmit::SpirvDialect), cl::desc("What to write with --gpu:"),
            cl::values(clEnumValN(GpuEmit::GpuDialect, "gpu", "MLIR's gpu dialect"),
                       clEnumValN(GpuEmit::SpirvDialect, "spirv", "MLIR's spirv dialect"),
                       clEnumValN(GpuEmit::Binary, "binary", "SPIR-V, one module after the other")));
static cl::opt<GpuOptions::Precision> precision("gpu-precision", cl::init(GpuOptions::Precision::F32),
                                                cl::desc("What contractions multiply in:"),
                                                cl::values(clEnumValN(GpuOptions::Precision::F32, "fp32", ""),
                                                           clEnumValN(GpuOptions::Precision::F16, "fp16", "")));
static cl::opt<int> onlyVariant("variant", cl::init(-1), cl::desc("The GPU variant to write; all if negative"));
static cl::opt<bool> describe("describe", cl::desc("Print how each kernel is divided, to stderr"));

static mlir::LogicalResult writeCpu(nacre::plan::KernelOp kernel, const Target &target, raw_ostream &os) {
  FailureOr<KernelCode> code = compileKernel(kernel, target, emit, kernel.getSymName());
  if (failed(code))
    return failure();
  os << code->text << StringRef(code->object.data(), code->object.size());
  if (describe)
    errs() << kernel.getSymName() << ": unit extent " << code->unitExtent << ", units per block " << code->unitsPerBlock
           << ", scratch " << code->scratchBytes << ", unit ns " << code->unitNanoseconds << ", flops " << code->flops
           << (code->fallback ? ", fallback" : "") << "\n";
  return success();
}

static mlir::LogicalResult writeGpu(nacre::plan::KernelOp kernel, raw_ostream &os) {
  GpuOptions options;
  options.precision = precision;
  FailureOr<GpuKernel> compiled = compileGpuKernel(kernel, options, gpuEmit);
  if (failed(compiled))
    return failure();
  if (compiled->variants.empty())
    errs() << kernel.getSymName() << ": declined: " << compiled->declined << "\n";
  for (auto [number, code] : enumerate(compiled->variants)) {
    if (onlyVariant >= 0 && onlyVariant != int(number))
      continue;
    os << code.text << StringRef(reinterpret_cast<const char *>(code.code.data()), code.code.size() * 4);
    if (!describe)
      continue;
    errs() << kernel.getSymName() << " " << number << ": unit extent " << code.unitExtent << ", groups " << code.groups
           << ", workgroup " << code.workgroupSize << ", shared " << code.sharedBytes << ", needs " << code.needs
           << ", families " << code.families << ", flops " << code.flops << ", bindings";
    for (uint8_t operand : code.bindings)
      errs() << " " << int(operand);
    errs() << "\n";
  }
  return success();
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "Compiles kernels\n");
  Expected<SmallVector<Target, 1>> targets = parseTargets(target, cpu);
  if (!targets) {
    errs() << toString(targets.takeError()) << "\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  registry.insert<nacre::plan::PlanDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(input, mlir::ParserConfig(&context));
  std::error_code error;
  raw_fd_ostream os(output, error);
  if (!module || error)
    return 1;
  for (auto kernel : module->getOps<nacre::plan::KernelOp>()) {
    if (!only.empty() && kernel.getSymName() != only)
      continue;
    if (failed(gpu ? writeGpu(kernel, os) : writeCpu(kernel, targets->front(), os)))
      return 1;
  }
  return 0;
}
