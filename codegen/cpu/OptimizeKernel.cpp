// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/OptimizeKernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopStrengthReduce.h"
#include <string>

namespace nacre::codegen::cpu {
namespace {

//===----------------------------------------------------------------------===//
// 1. Functions
//===----------------------------------------------------------------------===//

/// Replaces fused multiply-adds, which call the C library for each lane if the CPU has no instruction. The emitted
/// functions do not need the single rounding: their constants end in zeros, so that the products are exact.
void splitMultiplyAdds(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (function.getIntrinsicID() != llvm::Intrinsic::fma)
      continue;
    llvm::Type *type = function.getReturnType();
    function.replaceAllUsesWith(llvm::Intrinsic::getOrInsertDeclaration(&module, llvm::Intrinsic::fmuladd, {type}));
    function.eraseFromParent();
  }
}

void prepareFunctions(llvm::Module &module, const Target &target) {
  if (!target.vectors.hasMultiplyAdd)
    splitMultiplyAdds(module);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.setVisibility(function.hasLocalLinkage() ? llvm::GlobalValue::DefaultVisibility
                                                      : llvm::GlobalValue::HiddenVisibility);
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("tune-cpu", target.tuneCpu);
    function.addFnAttr("target-features", target.features);
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

//===----------------------------------------------------------------------===//
// 2. Loops
//===----------------------------------------------------------------------===//

/// Runs a pass on innermost loops of few instructions. Other loops have so many that one more or less takes no time.
/// But the passes for counters and addresses compare each address of a loop with all others. In kernels of tiles, it
/// leaves out loops that multiply and add, because the emitter chose their addresses.
template <typename Pass> class OnShortLoops : public llvm::PassInfoMixin<OnShortLoops<Pass>> {
public:
  explicit OnShortLoops(bool isTile) : isTile(isTile) {}

  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &results, llvm::LPMUpdater &updater) {
    return isSuited(loop) ? pass.run(loop, analyses, results, updater) : llvm::PreservedAnalyses::all();
  }

private:
  static constexpr size_t longest = 64;

  static bool multiplies(const llvm::BasicBlock &block) {
    return llvm::any_of(block, [](const llvm::Instruction &instruction) {
      const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      return intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::fma;
    });
  }

  bool isSuited(const llvm::Loop &loop) const {
    size_t instructions = 0;
    for (const llvm::BasicBlock *block : loop.blocks())
      instructions += block->size();
    const bool isShort = loop.isInnermost() && instructions <= longest;
    return isShort && !(isTile && llvm::any_of(loop.blocks(), [](auto *block) { return multiplies(*block); }));
  }

  const bool isTile;
  Pass pass;
};

/// Lets pipelines name the passes on short loops.
void registerShortLoops(llvm::PassBuilder &builder, bool isTile) {
  builder.registerPipelineParsingCallback([isTile](llvm::StringRef name, llvm::LoopPassManager &passes,
                                                   llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name == "short-indvars")
      passes.addPass(OnShortLoops<llvm::IndVarSimplifyPass>(isTile));
    else if (name == "short-loop-reduce")
      passes.addPass(OnShortLoops<llvm::LoopStrengthReducePass>(isTile));
    else
      return false;
    return true;
  });
}

//===----------------------------------------------------------------------===//
// 3. Pipelines
//===----------------------------------------------------------------------===//

constexpr char kCombine[] = "instcombine<max-iterations=1;no-verify-fixpoint>,";
constexpr char kSimplify[] = "simplifycfg<speculate-blocks;simplify-cond-branch>,";
constexpr char kMergeBranches[] = "simplifycfg<no-keep-loops;hoist-common-insts;sink-common-insts>,vector-combine,";

/// Returns the passes of O1 without two kinds. Passes that unroll make a tile spill. Passes that compare each load with
/// all earlier stores are slow, because a tile has hundreds of them. Most loads that they would eliminate are for the
/// next rows of a transform, and the values would be spilled.
std::string passesOfTiles() {
  const std::string combine = kCombine, simplify = kSimplify;
  // LLVM knows most about arguments that do not alias before it inlines.
  return "function<eager-inv>(simplifycfg,early-cse," + combine + "adce),always-inline,function<eager-inv>(early-cse," +
         simplify + combine +
         "reassociate,"
         "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,loop-rotate,licm,simple-loop-unswitch)"
         "," +
         simplify + combine + "loop(loop-idiom,indvars,loop-deletion),sccp,bdce," + combine + "adce," + simplify +
         combine + kMergeBranches + combine +
         "loop-mssa(licm),instsimplify,div-rem-pairs,simplifycfg),function(loop(canon-freeze,loop-reduce))";
}

/// Returns fewer passes, which take less than half of the time. An address is the sum of a register, a scaled index and
/// a constant. If there are also registers for all sums of a tile, its loop is no slower with the emitter's counters
/// and addresses. A kernel has few branches and no dead code, so one pass after the loops simplifies what they left.
std::string passesOfLargeTiles() {
  const std::string combine = kCombine;
  return "function<eager-inv>(simplifycfg,early-cse," + combine + "adce),always-inline,function<eager-inv>(early-cse," +
         kSimplify + combine +
         "reassociate,loop-mssa(loop-rotate,licm,simple-loop-unswitch),loop(loop-idiom,short-indvars,loop-deletion)," +
         kMergeBranches + combine + "loop-mssa(licm),simplifycfg),function(loop(short-loop-reduce))";
}

} // namespace

void optimize(llvm::Module &module, llvm::TargetMachine &machine, const Target &target, const KernelTraits &kernel) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  prepareFunctions(module, target);

  llvm::PipelineTuningOptions tuning;
  tuning.SLPVectorization = true;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  registerShortLoops(builder, kernel.keepsOrder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes;
  std::string pipeline;
  if (kernel.vectorize) {
    passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
    pipeline = "function(loop(canon-freeze,loop-reduce))";
  } else {
    const bool areTilesLarge = !target.arm64 && target.vectors.registers >= 32;
    pipeline = areTilesLarge ? passesOfLargeTiles() : passesOfTiles();
  }
  llvm::cantFail(builder.parsePassPipeline(passes, pipeline));
  passes.run(module, modules);
}

} // namespace nacre::codegen::cpu
