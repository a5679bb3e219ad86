// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  converts the operations that emitters build to the LLVM dialect, all dialects in one pass.
// Why:   upstream has a pass for each dialect. Each pass walks the whole kernel, leaves casts to the types of the next
//        pass, and verifies the result. For thousands of operations, these passes take longer than LLVM's optimizer.
// How:   one conversion contains the patterns of all of upstream's passes. A math function becomes LLVM's intrinsic if
//        there is one. Otherwise, it becomes a call of the C library.

#include "codegen/cpu/FlatArrays.h"
#include "codegen/cpu/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/BuiltinOps.h"

namespace nacre::codegen::cpu {
#define GEN_PASS_DEF_LOWERTOLLVMPASS
#include "codegen/cpu/Passes.h.inc"
} // namespace nacre::codegen::cpu

using namespace mlir;
using namespace nacre::codegen::cpu;

namespace {

/// Selects between two bf16 values as integers. Otherwise LLVM widens them, and narrows the result by a call of a
/// library that models are not linked with.
struct LowerBf16Select : ConvertOpToLLVMPattern<arith::SelectOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(arith::SelectOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isBF16())
      return rewriter.notifyMatchFailure(op, "expected a bf16");
    auto bitsOf = [&](Value value) -> Value {
      return LLVM::BitcastOp::create(rewriter, op.getLoc(), rewriter.getI16Type(), value);
    };
    Value bits = LLVM::SelectOp::create(rewriter, op.getLoc(), operands.getCondition(), bitsOf(operands.getTrueValue()),
                                        bitsOf(operands.getFalseValue()));
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, op.getType(), bits);
    return success();
  }
};

void populatePatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerBf16Select>(types, /*benefit=*/2);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  populateVectorToLLVMConversionPatterns(types, patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  // The approximation log(1 + x) loses precision if x is small.
  populateMathToLLVMConversionPatterns(types, patterns, /*approximateLog1p=*/false, /*benefit=*/2);
  populateMathToLibmConversionPatterns(patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns);
}

/// The patterns, with the types and options that they refer to. They do not depend on the kernel, and building them
/// takes as long as converting a small one.
struct Conversion {
  Conversion(MLIRContext &context, bool areArraysFlat)
      : options(barePointers(context)), types(&context, options), target(context) {
    RewritePatternSet all(&context);
    if (areArraysFlat)
      populateFlatArrays(types, all);
    populatePatterns(types, all);
    patterns = std::move(all);
    target.addLegalOp<ModuleOp>();
    config.foldingMode = DialectConversionFoldingMode::Never; // LLVM folds later, which is faster.
    // Patterns for flat arrays never fail after a change. Upstream's would also build a descriptor for each access.
    config.allowPatternRollback = !areArraysFlat;
  }

  static LowerToLLVMOptions barePointers(MLIRContext &context) {
    LowerToLLVMOptions options(&context);
    options.useBarePtrCallConv = true;
    return options;
  }

  const LowerToLLVMOptions options;
  LLVMTypeConverter types;
  FrozenRewritePatternSet patterns;
  LLVMConversionTarget target;
  ConversionConfig config;
};

struct LowerToLlvm : nacre::codegen::cpu::impl::LowerToLlvmPassBase<LowerToLlvm> {
  void runOnOperation() override {
    const bool areArraysFlat = hasOnlyFlatArrays(getOperation());
    std::shared_ptr<const Conversion> &conversion = areArraysFlat ? flat : general;
    if (!conversion)
      conversion = std::make_shared<const Conversion>(getContext(), areArraysFlat);
    if (failed(applyFullConversion(getOperation(), conversion->target, conversion->patterns, conversion->config)))
      signalPassFailure();
  }

private:
  std::shared_ptr<const Conversion> flat, general; ///< Null until a kernel needs them
};

} // namespace
