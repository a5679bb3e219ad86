// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops LLVM may give other counters and addresses, by machine and by kind of kernel.

#include "codegen/cpu/OptimizeKernel.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace nacre::codegen;
using namespace nacre::codegen::cpu;

namespace {

/// A loop that adds up every 12th number. Multiplying its counter is dearer than adding 48 bytes to an address.
/// `products` additional multiplications make it long. `isFused`: it adds products by fused multiply-adds.
std::string loopText(int products, bool isFused) {
  std::string body;
  for (int i = 0; i < products; ++i)
    body += "  %p" + std::to_string(i + 1) + " = fmul float %p" + std::to_string(i) + ", %p" + std::to_string(i) + "\n";
  const std::string last = "float %p" + std::to_string(products);
  const std::string added =
      isFused ? "call float @llvm.fma.f32(" + last + ", float 2.0, float %sum)" : "fadd " + last + ", %sum";
  return "declare float @llvm.fma.f32(float, float, float)\n"
         "define void @kernel(ptr noalias %x, ptr noalias %y, i64 %n) {\n"
         "entry:\n"
         "  br label %loop\n"
         "loop:\n"
         "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
         "  %sum = phi float [ 0.0, %entry ], [ %added, %loop ]\n"
         "  %at = mul i64 %i, 12\n"
         "  %address = getelementptr float, ptr %x, i64 %at\n"
         "  %p0 = load float, ptr %address\n" +
         body + "  %added = " + added +
         "\n"
         "  %next = add nsw i64 %i, 1\n"
         "  %more = icmp slt i64 %next, %n\n"
         "  br i1 %more, label %loop, label %end\n"
         "end:\n"
         "  store float %added, ptr %y\n"
         "  ret void\n"
         "}\n";
}

/// True if the loop's address became a counter of its own, which strength reduction makes of it.
bool advancesAddress(const char *name, const char *cpu, const KernelTraits &kernel, int products = 0,
                     bool isFused = true) {
  static const bool areReady = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    return true;
  }();
  EXPECT_TRUE(areReady);
  const Target target = llvm::cantFail(parseTargets(name, cpu)).front();
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(loopText(products, isFused), problem, context);
  std::string error;
  const llvm::Triple triple(target.triple);
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!module || !found) {
    ADD_FAILURE() << problem.getMessage().str() << error;
    return false;
  }
  std::unique_ptr<llvm::TargetMachine> machine(
      found->createTargetMachine(triple, target.cpu, target.features, llvm::TargetOptions(), llvm::Reloc::PIC_));
  optimize(*module, *machine, target, kernel);
  for (const llvm::BasicBlock &block : *module->getFunction("kernel"))
    for (const llvm::PHINode &phi : block.phis())
      if (phi.getName().starts_with("lsr.iv") && phi.getType()->isPointerTy())
        return true;
  return false;
}

constexpr KernelTraits kTiles = {/*vectorize=*/false, /*keepsOrder=*/true}, kOther = {};
constexpr int kMany = 80;

} // namespace

TEST(OptimizeKernel, TilesOnMachinesWithManyRegistersKeepTheirAddresses) {
  EXPECT_FALSE(advancesAddress("linux-x86_64", "x86-64-v4", kTiles));
  EXPECT_TRUE(advancesAddress("linux-x86_64", "x86-64-v4", kOther));
  EXPECT_TRUE(advancesAddress("linux-x86_64", "x86-64-v4", kTiles, /*products=*/0, /*isFused=*/false));
}

TEST(OptimizeKernel, LongLoopsKeepTheirAddresses) {
  EXPECT_FALSE(advancesAddress("linux-x86_64", "x86-64-v4", kOther, kMany));
}

TEST(OptimizeKernel, OtherMachinesAdvanceTheAddressesOfAllLoops) {
  for (int products : {0, kMany})
    for (const KernelTraits &kernel : {kTiles, kOther}) {
      EXPECT_TRUE(advancesAddress("linux-x86_64", "x86-64-v3", kernel, products));
      EXPECT_TRUE(advancesAddress("linux-arm64", "cortex-a76", kernel, products));
    }
}
