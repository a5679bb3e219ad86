// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  gives kernels the signature that the runtime calls.
// Why:   emitters work on pointers that do not alias. The runtime calls all kernels with the same arguments.
// How:   1. the emitted function becomes internal and is always inlined;
//        2. a visible function loads the pointers and the share from nacre_kernel_args, and calls the emitted function.

#include "codegen/KernelNotes.h"
#include "codegen/cpu/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/include/nacre/model_format.h"

namespace nacre::codegen::cpu {
#define GEN_PASS_DEF_WRAPKERNELPASS
#include "codegen/cpu/Passes.h.inc"
} // namespace nacre::codegen::cpu

using namespace mlir;
using namespace nacre::codegen;

namespace {

// Number of arguments after the buffers: scratch, share_begin, share_end, begin, end.
constexpr unsigned kFixedArguments = 5;

/// Loads `base[offset bytes]`. The arguments do not change while a kernel runs.
Value loadField(OpBuilder &builder, Location loc, Value base, size_t offset, Type type) {
  Value address = LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  return LLVM::LoadOp::create(builder, loc, type, address, /*alignment=*/0, /*isVolatile=*/false,
                              /*isNonTemporal=*/false, /*isInvariant=*/true);
}

void wrap(LLVM::LLVMFuncOp body) {
  MLIRContext *context = body.getContext();
  Location loc = body.getLoc();
  OpBuilder builder(body);
  std::string name = body.getName().str();

  // 1. The body.
  body.setName(name + "_body");
  body.setLinkage(LLVM::Linkage::Internal);
  body.setAlwaysInline(true);
  body->removeAttr(notes::kKernel);

  // 2. The visible function.
  auto pointer = LLVM::LLVMPointerType::get(context);
  Type integer = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer, integer, integer});
  auto wrapper = LLVM::LLVMFuncOp::create(builder, loc, name, type);
  Block *entry = wrapper.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  Value args = entry->getArgument(0);

  Value buffers = loadField(builder, loc, args, offsetof(nacre_kernel_args, buffers), pointer);
  SmallVector<Value> operands;
  for (unsigned i = 0, e = body.getNumArguments() - kFixedArguments; i < e; ++i)
    operands.push_back(loadField(builder, loc, buffers, i * sizeof(void *), pointer));
  operands.push_back(loadField(builder, loc, args, offsetof(nacre_kernel_args, scratch), pointer));
  operands.push_back(loadField(builder, loc, args, offsetof(nacre_kernel_args, share_begin), integer));
  operands.push_back(loadField(builder, loc, args, offsetof(nacre_kernel_args, share_end), integer));
  operands.push_back(entry->getArgument(1));
  operands.push_back(entry->getArgument(2));
  LLVM::CallOp::create(builder, loc, body, operands);
  LLVM::ReturnOp::create(builder, loc, ValueRange{});
}

struct WrapKernel : nacre::codegen::cpu::impl::WrapKernelPassBase<WrapKernel> {
  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<LLVM::LLVMFuncOp>()))
      if (function->hasAttr(notes::kKernel))
        wrap(function);
  }
};

} // namespace
