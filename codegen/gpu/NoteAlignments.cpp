// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  writes the alignment of each operand, over all launches, on every kernel.
// Why:   Vulkan binds a buffer only at offsets with the device's alignment, but views of storages may begin anywhere. A
//        kernel must know which operands need a shift, and which of these still consist of whole vectors.
// How:   storages and weights begin at multiples of kGpuBufferAlignment. The lowest set bit of a view's offset or step
//        bounds its alignment.

#include "codegen/KernelNotes.h"
#include "codegen/OperandOrigin.h"
#include "codegen/gpu/Passes.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

namespace nacre::codegen::gpu {
#define GEN_PASS_DEF_NOTEALIGNMENTSPASS
#include "codegen/gpu/Passes.h.inc"
} // namespace nacre::codegen::gpu

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;

namespace {

struct NoteAlignments : codegen::gpu::impl::NoteAlignmentsPassBase<NoteAlignments> {
  void runOnOperation() override { noteAlignments(getOperation()); }
};

} // namespace

void nacre::codegen::noteAlignments(ModuleOp module) {
  llvm::StringMap<SmallVector<int64_t>> alignments;
  module.walk([&](plan::LaunchOp launch) {
    SmallVector<int64_t> &ofKernel = alignments[launch.getKernel()];
    ofKernel.resize(launch->getNumOperands(), kGpuBufferAlignment);
    for (auto [operand, alignment] : llvm::zip_equal(launch->getOperands(), ofKernel)) {
      const OperandOrigin origin = originOfOperand(operand);
      alignment = llvm::MinAlign(alignment, llvm::MinAlign(uint64_t(origin.offset), uint64_t(origin.step)));
    }
  });
  for (auto kernel : module.getOps<plan::KernelOp>())
    if (auto found = alignments.find(kernel.getSymName());
        found != alignments.end() && llvm::any_of(found->second, [](int64_t a) { return a < kGpuBufferAlignment; }))
      kernel->setAttr(notes::kAlignments, DenseI64ArrayAttr::get(module.getContext(), found->second));
}

SmallVector<int64_t> nacre::codegen::gpu::readAlignments(plan::KernelOp kernel) {
  if (auto noted = kernel->getAttrOfType<DenseI64ArrayAttr>(notes::kAlignments))
    return SmallVector<int64_t>(noted.asArrayRef());
  return SmallVector<int64_t>(kernel.getBody().getNumArguments(), kGpuBufferAlignment);
}
