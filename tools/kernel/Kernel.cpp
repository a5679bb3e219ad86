// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-kernel compiles the kernels of a `plan` module one by one, for a CPU or for GPUs, and prints their code. It
// shows a kernel's inner loop to its author and to tests. It calls the same function as the compiler,
// codegen/Backend.h.

#include "codegen/Backend.h"
#include "dialects/NumberText.h"
#include "dialects/OutputFile.h"
#include "dialects/plan/PlanDialect.h"
#include "tools/CommandLine.h"
#include "tools/OutOfMemory.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace nacre::codegen;

static cl::OptionCategory category("nacre-kernel options");
static cl::opt<std::string> input(cl::Positional, cl::Required, cl::desc("<plan.mlir>"), cl::cat(category));
static cl::opt<std::string> output("o", cl::init("-"), cl::value_desc("file"), cl::cat(category),
                                   cl::desc("File to write (default: -, the standard output)"));
static cl::opt<std::string>
    target("target", cl::init("host"), cl::value_desc("target"), cl::cat(category),
           cl::desc("host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64 (default: host)"));
static cl::opt<std::string>
    cpu("cpu", cl::value_desc("name"), cl::cat(category),
        cl::desc("CPU to compile for, by LLVM's name (default: native on the host, else the target's baseline)"));
static cl::opt<std::string> only("kernel", cl::value_desc("symbol"), cl::cat(category),
                                 cl::desc("Kernel to compile (default: all)"));
static cl::opt<Emit>
    emit("emit", cl::init(Emit::Assembly), cl::value_desc("asm|llvm-ir|llvm-dialect|obj"), cl::cat(category),
         cl::desc("Assembly, optimized LLVM IR, MLIR's LLVM dialect, or objects, one after the other "
                  "(default: asm)"),
         cl::values(clEnumValN(Emit::Assembly, "asm", ""), clEnumValN(Emit::LlvmIr, "llvm-ir", ""),
                    clEnumValN(Emit::LlvmDialect, "llvm-dialect", ""), clEnumValN(Emit::Object, "obj", "")));
static cl::opt<bool> gpu("gpu", cl::cat(category), cl::desc("Compile for GPUs instead"));
static cl::opt<GpuEmit>
    gpuEmit("gpu-emit", cl::init(GpuEmit::SpirvDialect), cl::value_desc("gpu|spirv|binary"), cl::cat(category),
            cl::desc("With --gpu: MLIR's gpu dialect, its spirv dialect, or SPIR-V, one module after the other "
                     "(default: spirv)"),
            cl::values(clEnumValN(GpuEmit::GpuDialect, "gpu", ""), clEnumValN(GpuEmit::SpirvDialect, "spirv", ""),
                       clEnumValN(GpuEmit::Binary, "binary", "")));
static cl::opt<nacre::GpuPrecision> precision(
    "gpu-precision", cl::init(nacre::GpuPrecision::F32), cl::value_desc("fp32|fp16"), cl::cat(category),
    cl::desc("Type that contractions multiply in on GPUs; sums stay fp32 (default: fp32)"),
    cl::values(clEnumValN(nacre::GpuPrecision::F32, "fp32", ""), clEnumValN(nacre::GpuPrecision::F16, "fp16", "")));
static cl::opt<std::string> tile(
    "gpu-tile", cl::value_desc("tile"), cl::cat(category),
    cl::desc(
        "Tile of contractions on GPUs, as shared:rows=8,quads=2,columns=16,lines=16,depth=16 (default: from tables)"));
static cl::opt<int> onlyVariant("variant", cl::init(-1), cl::value_desc("number"), cl::cat(category),
                                cl::desc("GPU variant to write (default: all)"));
static cl::opt<bool> describe("describe", cl::cat(category),
                              cl::desc("Print the work division of each kernel to the standard error"));
constexpr StringLiteral kClosing = R"(
EXAMPLES
  nacre-compile model.onnx --compile-to=schedule -o plan.mlir
  nacre-opt plan.mlir --nacre-choose-encodings=target=linux-arm64 -o packed.mlir
      write the kernels of a model, with packed weights
  nacre-kernel packed.mlir --target=linux-arm64 --kernel=conv_3 --describe
      print the assembly of one kernel, and its units of work
  nacre-kernel packed.mlir --target=linux-arm64 --emit=llvm-ir -o kernels.ll
      write the optimized LLVM IR of all kernels
  nacre-kernel plan.mlir --gpu --kernel=conv_3
      print the shaders of one kernel

EXIT STATUS
  0  compiled
  1  a file cannot be read or written, or a kernel cannot be compiled; the
     messages name it
  2  the command line is wrong, or the target or CPU is unknown
  4  memory ran out
)";

static nacre::tools::Help describeOptions() {
  return {"Compiles the kernels of a plan module one by one and prints their code.",
          "nacre-kernel [options] <plan.mlir>",
          &category,
          {{"Output", {"kernel", "emit", "o", "describe"}},
           {"CPUs", {"target", "cpu"}},
           {"GPUs", {"gpu", "gpu-emit", "gpu-precision", "gpu-tile", "variant"}}},
          kClosing.str()};
}

static mlir::LogicalResult writeCpu(nacre::plan::KernelOp kernel, const Target &target, raw_ostream &os) {
  FailureOr<KernelCode> code = compileKernel(kernel, target, emit, kernel.getSymName());
  if (failed(code))
    return failure();
  os << code->text << StringRef(code->object.data(), code->object.size());
  if (describe)
    errs() << kernel.getSymName() << ": unit extent " << code->unitExtent << ", units per block " << code->unitsPerBlock
           << ", scratch " << code->scratchBytes << ", unit ns " << nacre::describeNumber(code->unitNanoseconds, 4)
           << ", flops " << nacre::describeNumber(code->flops) << (code->fallback ? ", fallback" : "") << "\n";
  return success();
}

static mlir::LogicalResult writeGpu(nacre::plan::KernelOp kernel, raw_ostream &os) {
  GpuOptions options;
  options.precision = precision;
  options.tile = tile;
  FailureOr<GpuKernel> compiled = compileGpuKernel(kernel, options, gpuEmit);
  if (failed(compiled))
    return failure();
  if (!compiled->declined.empty())
    errs() << kernel.getSymName() << ": declined: " << compiled->declined << "\n";
  for (auto [number, code] : enumerate(compiled->variants)) {
    if (onlyVariant >= 0 && onlyVariant != int(number))
      continue;
    os << code.text << StringRef(reinterpret_cast<const char *>(code.code.data()), code.code.size() * 4);
    if (!describe)
      continue;
    errs() << kernel.getSymName() << " " << number << ": unit extent " << code.unitExtent << ", groups " << code.groups
           << ", workgroup " << code.workgroupSize << ", shared " << code.sharedBytes << ", needs " << code.needs
           << ", families " << code.families << ", flops " << nacre::describeNumber(code.flops) << ", bindings";
    for (auto [binding, operand] : enumerate(code.bindings))
      errs() << " " << int(operand) << (code.shifted >> binding & 1 ? "+" : "");
    errs() << "\n";
  }
  return success();
}

int main(int argc, char **argv) {
  nacre::tools::watchStandardStreams(/*status=*/1);
  nacre::tools::handleOutOfMemory();
  nacre::tools::setVersion("nacre-kernel");
  cl::HideUnrelatedOptions(category);
  nacre::NamedFiles files;
  if (Error error = nacre::tools::parseOptions(argc, argv, describeOptions(), &files)) {
    errs() << "nacre-kernel: " << toString(std::move(error)) << "\n";
    return 2;
  }
  files.addInput("the module", input);
  if (output != "-")
    files.addOutput("-o", output);
  if (const std::string problem = files.findProblem(); !problem.empty()) {
    errs() << "nacre-kernel: " << problem << "\n";
    return 2;
  }
  Expected<SmallVector<Target, 1>> targets = parseTargets(target, cpu);
  if (!targets) {
    errs() << toString(targets.takeError()) << "\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  registry.insert<nacre::plan::PlanDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(input, mlir::ParserConfig(&context));
  if (!module)
    return 1;
  std::string code;
  raw_string_ostream os(code);
  for (auto kernel : module->getOps<nacre::plan::KernelOp>()) {
    if (!only.empty() && kernel.getSymName() != only)
      continue;
    if (failed(gpu ? writeGpu(kernel, os) : writeCpu(kernel, targets->front(), os)))
      return 1;
  }
  if (output == "-") {
    outs() << code;
  } else if (std::string problem = nacre::writeFile(output, code); !problem.empty()) {
    errs() << "nacre-kernel: cannot write '" << output << "': " << problem << "\n";
    return 1;
  }
  return 0;
}
