// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. storages of random numbers; 2. the reference, from plain weights; 3. a variant: the whole share, and
//       the share in two parts, the latter first.

#include "test/unit/codegen/gpu/VulkanHarness.h"
#include "codegen/KernelNotes.h"
#include "codegen/gpu/Passes.h"
#include "dialects/StoredBytes.h"
#include "runtime/include/nacre/model_format.h"
#include "test/unit/codegen/Packed.h"
#include "test/unit/codegen/gpu/PlayedMatrices.h"
#include "test/unit/codegen/gpu/VulkanDevice.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "spirv-tools/libspirv.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"

#include <cmath>
#include <memory>
#include <regex>
#include <set>

using namespace mlir;

namespace nacre::codegen {
namespace {

std::string validate(llvm::ArrayRef<uint32_t> words) {
  spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_1);
  spv_const_binary_t binary = {words.data(), words.size()};
  spv_diagnostic diagnostic = nullptr;
  std::string message;
  if (spvValidate(context, &binary, &diagnostic) != SPV_SUCCESS)
    message = diagnostic ? diagnostic->error : "invalid";
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return message;
}

void compare(Storage &is, Storage must, double tolerance) {
  double largest = 0;
  for (int64_t i = 0; i < must.size(); ++i)
    largest = std::max(largest, std::isfinite(must.at(i)) ? std::abs(must.at(i)) : 0);
  for (int64_t i = 0; i < must.size(); ++i)
    if (is.at(i) != must.at(i) && !(std::isnan(is.at(i)) && std::isnan(must.at(i)))) {
      ASSERT_NEAR(is.at(i), must.at(i), isa<FloatType>(must.elementType) ? tolerance * largest : 0)
          << "at element " << i;
    }
  EXPECT_EQ(is.guards(), must.guards());
}

} // namespace

void GpuDifferential::SetUpTestSuite() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
}

GpuDifferential::GpuDifferential() { context.loadDialect<plan::PlanDialect>(); }

//===----------------------------------------------------------------------===//
// 1. Storages
//===----------------------------------------------------------------------===//

std::vector<Storage> GpuDifferential::randomStorages(plan::KernelOp kernel) {
  std::mt19937 random(1);
  std::vector<Storage> storages;
  for (Type type : kernel.getBody().getArgumentTypes()) {
    storages.emplace_back(cast<RankedTensorType>(type));
    storages.back().fill(random);
  }
  return storages;
}

//===----------------------------------------------------------------------===//
// 2. The reference
//===----------------------------------------------------------------------===//

void GpuDifferential::runReference(plan::KernelOp kernel, std::vector<Storage> &storages) {
  auto targets = parseTargets("host", "");
  ASSERT_TRUE(bool(targets)) << llvm::toString(targets.takeError());
  // No CPU emitter of this kind takes another kind's work. Programs have one emitter, with tests of its own.
  const plan::KernelKind kind = kernel.getKind();
  const bool isProgram = kind == plan::KernelKind::Serial;
  Attribute encodings = kernel.removeEncodingsAttr();
  if (!isProgram)
    kernel.setKind(plan::KernelKind::Scan);
  FailureOr<KernelCode> code = compileKernel(kernel, targets->front(), Emit::Object, "kernel");
  kernel.setKind(kind);
  if (encodings)
    kernel.setEncodingsAttr(cast<ArrayAttr>(encodings));
  ASSERT_TRUE(succeeded(code));
  ASSERT_EQ(code->fallback, !isProgram);

  auto jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  llvm::cantFail(jit->addObjectFile(
      llvm::MemoryBuffer::getMemBufferCopy(StringRef(code->object.data(), code->object.size()), "kernel")));
  auto function = llvm::cantFail(jit->lookup("kernel")).toPtr<nacre_kernel_function>();
  std::vector<void *> buffers;
  for (Storage &storage : storages)
    buffers.push_back(storage.data());
  std::vector<char> scratch(code->scratchBytes + 64);
  void *aligned = scratch.data();
  size_t room = scratch.size();
  std::align(64, code->scratchBytes, aligned, room);
  const int64_t extent = kernel.getCutExtent();
  nacre_kernel_args arguments{buffers.data(), aligned, 0, extent, nullptr};
  function(&arguments, 0, llvm::divideCeil(extent, code->unitExtent) * code->unitsPerBlock);
}

//===----------------------------------------------------------------------===//
// 3. A variant
//===----------------------------------------------------------------------===//

void GpuDifferential::runVariant(plan::KernelOp kernel, const GpuKernelCode &code, const std::vector<Storage> &before,
                                 const std::vector<Storage> &expected, double tolerance) {
  // Debian 12's validator does not know cooperative matrices.
  if (!(code.needs & (NACRE_GPU_NEED(NACRE_GPU_COOPERATIVE_MATRIX) | NACRE_GPU_NEED(NACRE_GPU_BYTE_MATRIX)))) {
    ASSERT_EQ(validate(code.code), "");
  }
  VulkanDevice *device = VulkanDevice::get();
  if (!device || !device->meets(code))
    return;
  std::vector<Storage> storages;
  for (unsigned i = 0; i < before.size(); ++i) {
    plan::EncodingAttr encoding = int64_t(i) < kernel.getNumInputs() ? kernel.getEncoding(i) : plan::EncodingAttr();
    Storage plain = before[i];
    storages.push_back(
        encoding ? packed(plain, cast<RankedTensorType>(kernel.getBody().getArgument(i).getType()), encoding) : plain);
  }
  std::vector<Storage> whole = storages;
  const int64_t extent = kernel.getCutExtent(), grain = kernel.getGrain();
  const SmallVector<int64_t> alignments = gpu::readAlignments(kernel);
  device->run(code, whole, alignments, 0, extent);
  for (unsigned i = kernel.getNumInputs(); i < whole.size(); ++i)
    compare(whole[i], expected[i], tolerance);

  // One grain, the middle, and all but the last grain; the middle need not be one of several.
  const int64_t grains = llvm::divideCeil(extent, grain);
  for (int64_t cut : std::set<int64_t>{1, grains / 2, grains - 1}) {
    if (cut <= 0 || cut >= grains)
      continue;
    cut *= grain;
    std::vector<Storage> divided(storages.begin(), storages.end());
    device->run(code, divided, alignments, cut, extent);
    device->run(code, divided, alignments, 0, cut);
    for (unsigned i = 0; i < whole.size(); ++i)
      EXPECT_EQ(divided[i].memory, whole[i].memory) << "storage " << i << " depends on the division at " << cut;
  }
}

std::string GpuDifferential::refusal(const std::string &text, const GpuOptions &options) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  EXPECT_TRUE(module);
  EXPECT_TRUE(failed(compileGpuKernel(*module->getOps<plan::KernelOp>().begin(), options)));
  return message;
}

std::string GpuDifferential::declined(const std::string &text, const GpuOptions &options) {
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  EXPECT_TRUE(module);
  FailureOr<GpuKernel> compiled = compileGpuKernel(*module->getOps<plan::KernelOp>().begin(), options);
  return succeeded(compiled) && compiled->variants.empty() ? compiled->declined : "";
}

std::vector<GpuKernelCode> GpuDifferential::variantsOf(const std::string &text, const GpuOptions &options) {
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  EXPECT_TRUE(module);
  FailureOr<GpuKernel> compiled = compileGpuKernel(*module->getOps<plan::KernelOp>().begin(), options);
  EXPECT_TRUE(succeeded(compiled));
  return {compiled->variants.begin(), compiled->variants.end()};
}

std::vector<bool> GpuDifferential::readNans(const std::string &text, unsigned input, int64_t first) {
  VulkanDevice *device = VulkanDevice::get();
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  EXPECT_TRUE(module);
  auto kernel = *module->getOps<plan::KernelOp>().begin();
  std::vector<bool> results;
  for (const GpuKernelCode &code : variantsOf(text)) {
    if (!device || !device->meets(code))
      continue;
    std::vector<Storage> storages = randomStorages(kernel);
    storages[input].setNans(first);
    device->run(code, storages, gpu::readAlignments(kernel), 0, kernel.getCutExtent());
    results.push_back(storages.back().hasNan());
  }
  return results;
}

void GpuDifferential::check(const std::string &text, double tolerance, const GpuOptions &options) {
  SCOPED_TRACE(text);
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  ASSERT_TRUE(module);
  checkKernel(*module->getOps<plan::KernelOp>().begin(), tolerance, options);
}

void GpuDifferential::checkPlayed(const std::string &text, const std::string &tile) {
  SCOPED_TRACE(text + tile);
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  ASSERT_TRUE(module);
  auto kernel = *module->getOps<plan::KernelOp>().begin();
  GpuOptions options;
  options.tile = tile;
  FailureOr<GpuKernel> compiled = compileGpuKernel(kernel, options, GpuEmit::GpuDialect);
  ASSERT_TRUE(succeeded(compiled));
  ASSERT_FALSE(compiled->variants.empty()) << compiled->declined;
  FailureOr<GpuKernelCode> played = playMatrices(compiled->variants.front());
  ASSERT_TRUE(succeeded(played));
  if (!VulkanDevice::get())
    GTEST_SKIP() << "there is no Vulkan device; install mesa-vulkan-drivers for one";
  ASSERT_TRUE(VulkanDevice::get()->meets(*played));
  const std::vector<Storage> before = randomStorages(kernel);
  std::vector<Storage> expected = before;
  ASSERT_NO_FATAL_FAILURE(runReference(kernel, expected));
  runVariant(kernel, *played, before, expected, /*tolerance=*/0);
}

std::string GpuDifferential::with(std::string text, const std::vector<std::pair<const char *, std::string>> &values) {
  for (const auto &[name, value] : values)
    text = std::regex_replace(text, std::regex(name), value);
  return text;
}

void GpuDifferential::checkAnywhere(const std::string &text, double tolerance) {
  SCOPED_TRACE(text);
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  ASSERT_TRUE(module);
  auto kernel = *module->getOps<plan::KernelOp>().begin();
  for (int64_t least : {1, 16}) {
    SmallVector<int64_t> alignments;
    for (BlockArgument argument : kernel.getBody().getArguments()) {
      const int64_t bytes = bytesOfElement(cast<RankedTensorType>(argument.getType()).getElementType());
      const bool isPacked =
          argument.getArgNumber() < kernel.getNumInputs() && kernel.getEncoding(argument.getArgNumber());
      alignments.push_back(isPacked ? kGpuBufferAlignment : std::max(least, bytes));
    }
    kernel->setAttr(notes::kAlignments, DenseI64ArrayAttr::get(&context, alignments));
    SCOPED_TRACE("at multiples of " + std::to_string(least));
    checkKernel(kernel, tolerance, {});
  }
}

void GpuDifferential::checkInPieces(const std::string &text, uint32_t bytes, double tolerance) {
  GpuOptions options;
  options.pieceBytes = bytes;
  check(text, tolerance, options);
}

void GpuDifferential::checkKernel(plan::KernelOp kernel, double tolerance, const GpuOptions &options) {
  FailureOr<GpuKernel> compiled = compileGpuKernel(kernel, options);
  ASSERT_TRUE(succeeded(compiled));
  ASSERT_FALSE(compiled->variants.empty()) << compiled->declined;
  ASSERT_EQ(compiled->declined, ""); // no variant is left out
  ASSERT_EQ(options.pieceBytes != GpuOptions().pieceBytes, compiled->variants.back().pieceBytes != 0);
  const std::vector<Storage> before = randomStorages(kernel);
  std::vector<Storage> expected = before;
  ASSERT_NO_FATAL_FAILURE(runReference(kernel, expected));
  for (auto [number, code] : llvm::enumerate(compiled->variants)) {
    SCOPED_TRACE("variant " + std::to_string(number));
    ASSERT_NO_FATAL_FAILURE(runVariant(kernel, code, before, expected, tolerance));
  }
  if (!VulkanDevice::get())
    GTEST_SKIP() << "validated, but not run: there is no Vulkan device; install mesa-vulkan-drivers for one";
}

} // namespace nacre::codegen
