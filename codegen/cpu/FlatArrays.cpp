// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/FlatArrays.h"

#include "dialects/StoredBytes.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

//===----------------------------------------------------------------------===//
// 1. Addresses
//===----------------------------------------------------------------------===//

/// Flags of the addresses of upstream's patterns for single elements, which must be inside the array.
constexpr LLVM::GEPNoWrapFlags kInside = LLVM::GEPNoWrapFlags::inbounds | LLVM::GEPNoWrapFlags::nuw;

template <typename Op> class ArrayPattern : public ConvertOpToLLVMPattern<Op> {
public:
  explicit ArrayPattern(const LLVMTypeConverter &types) : ConvertOpToLLVMPattern<Op>(types, /*benefit=*/3) {}

protected:
  /// Returns the address of the element `index` of the array of type `type` at `base`.
  Value addressOf(ConversionPatternRewriter &rewriter, Location loc, Value base, Type type, Value index,
                  LLVM::GEPNoWrapFlags flags = LLVM::GEPNoWrapFlags::none) const {
    return LLVM::GEPOp::create(rewriter, loc, base.getType(), elementOf(type), base, ArrayRef<LLVM::GEPArg>{index},
                               flags);
  }

  Type elementOf(Type type) const {
    return this->getTypeConverter()->convertType(cast<MemRefType>(type).getElementType());
  }

  Type converted(Type type) const { return this->getTypeConverter()->convertType(type); }

  static unsigned alignmentOf(Type type) { return bytesOfElement(cast<MemRefType>(type).getElementType()); }
};

//===----------------------------------------------------------------------===//
// 2. Vectors
//===----------------------------------------------------------------------===//

struct LowerVectorLoad : ArrayPattern<vector::LoadOp> {
  using ArrayPattern::ArrayPattern;

  LogicalResult matchAndRewrite(vector::LoadOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    const Type array = op.getBase().getType();
    Value at = addressOf(rewriter, op.getLoc(), operands.getBase(), array, operands.getIndices().front());
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, converted(op.getType()), at, alignmentOf(array));
    return success();
  }
};

struct LowerVectorStore : ArrayPattern<vector::StoreOp> {
  using ArrayPattern::ArrayPattern;

  LogicalResult matchAndRewrite(vector::StoreOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    const Type array = op.getBase().getType();
    Value at = addressOf(rewriter, op.getLoc(), operands.getBase(), array, operands.getIndices().front());
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, operands.getValueToStore(), at, alignmentOf(array));
    return success();
  }
};

struct LowerMaskedLoad : ArrayPattern<vector::MaskedLoadOp> {
  using ArrayPattern::ArrayPattern;

  LogicalResult matchAndRewrite(vector::MaskedLoadOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    const Type array = op.getBase().getType();
    Value at = addressOf(rewriter, op.getLoc(), operands.getBase(), array, operands.getIndices().front());
    rewriter.replaceOpWithNewOp<LLVM::MaskedLoadOp>(op, converted(op.getType()), at, operands.getMask(),
                                                    operands.getPassThru(), alignmentOf(array));
    return success();
  }
};

struct LowerMaskedStore : ArrayPattern<vector::MaskedStoreOp> {
  using ArrayPattern::ArrayPattern;

  LogicalResult matchAndRewrite(vector::MaskedStoreOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    const Type array = op.getBase().getType();
    Value at = addressOf(rewriter, op.getLoc(), operands.getBase(), array, operands.getIndices().front());
    rewriter.replaceOpWithNewOp<LLVM::MaskedStoreOp>(op, operands.getValueToStore(), at, operands.getMask(),
                                                     alignmentOf(array));
    return success();
  }
};

struct LowerGather : ArrayPattern<vector::GatherOp> {
  using ArrayPattern::ArrayPattern;

  LogicalResult matchAndRewrite(vector::GatherOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    const Type array = op.getBase().getType();
    Value base = addressOf(rewriter, op.getLoc(), operands.getBase(), array, operands.getOffsets().front());
    auto addresses = VectorType::get(op.getVectorType().getShape(), base.getType());
    Value at = LLVM::GEPOp::create(rewriter, op.getLoc(), addresses, elementOf(array), base,
                                   ArrayRef<LLVM::GEPArg>{operands.getIndices()});
    rewriter.replaceOpWithNewOp<LLVM::masked_gather>(op, converted(op.getType()), at, operands.getMask(),
                                                     operands.getPassThru(),
                                                     rewriter.getI32IntegerAttr(alignmentOf(array)));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// 3. Single elements, and whole arrays
//===----------------------------------------------------------------------===//

struct LowerLoad : ArrayPattern<memref::LoadOp> {
  using ArrayPattern::ArrayPattern;

  LogicalResult matchAndRewrite(memref::LoadOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    Value at = addressOf(rewriter, op.getLoc(), operands.getMemref(), op.getMemRefType(), operands.getIndices().front(),
                         kInside);
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, converted(op.getType()), at);
    return success();
  }
};

struct LowerStore : ArrayPattern<memref::StoreOp> {
  using ArrayPattern::ArrayPattern;

  LogicalResult matchAndRewrite(memref::StoreOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    Value at = addressOf(rewriter, op.getLoc(), operands.getMemref(), op.getMemRefType(), operands.getIndices().front(),
                         kInside);
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, operands.getValue(), at);
    return success();
  }
};

struct LowerPrefetch : ArrayPattern<memref::PrefetchOp> {
  using ArrayPattern::ArrayPattern;

  LogicalResult matchAndRewrite(memref::PrefetchOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    Value at = addressOf(rewriter, op.getLoc(), operands.getMemref(), op.getMemRefType(), operands.getIndices().front(),
                         kInside);
    rewriter.replaceOpWithNewOp<LLVM::Prefetch>(op, at, rewriter.getI32IntegerAttr(op.getIsWrite()),
                                                op.getLocalityHintAttr(),
                                                rewriter.getI32IntegerAttr(op.getIsDataCache()));
    return success();
  }
};

struct LowerView : ArrayPattern<memref::ViewOp> {
  using ArrayPattern::ArrayPattern;

  LogicalResult matchAndRewrite(memref::ViewOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, addressOf(rewriter, op.getLoc(), operands.getSource(), op.getSource().getType(), operands.getByteShift()));
    return success();
  }
};

struct LowerPointer : ArrayPattern<memref::ExtractAlignedPointerAsIndexOp> {
  using ArrayPattern::ArrayPattern;

  LogicalResult matchAndRewrite(memref::ExtractAlignedPointerAsIndexOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::PtrToIntOp>(op, converted(op.getType()), operands.getSource());
    return success();
  }
};

bool isFlat(Type type) {
  auto array = dyn_cast<MemRefType>(type);
  return array && array.getRank() == 1 && array.getLayout().isIdentity() && array.hasStaticShape() &&
         !array.getMemorySpace();
}

} // namespace

bool hasOnlyFlatArrays(ModuleOp module) {
  auto isConverted = [](Operation *op) {
    return isa<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp, vector::MaskedStoreOp, vector::GatherOp,
               memref::LoadOp, memref::StoreOp, memref::PrefetchOp, memref::ViewOp,
               memref::ExtractAlignedPointerAsIndexOp>(op);
  };
  return !module
              .walk([&](Operation *op) {
                bool usesArrays = false, areFlat = true;
                auto see = [&](Type type) {
                  const bool isArray = isa<BaseMemRefType>(type);
                  usesArrays |= isArray;
                  areFlat &= !isArray || isFlat(type);
                };
                llvm::for_each(op->getOperandTypes(), see);
                llvm::for_each(op->getResultTypes(), see);
                if (auto function = dyn_cast<func::FuncOp>(op))
                  for (Type type : function.getArgumentTypes())
                    areFlat &= !isa<BaseMemRefType>(type) || isFlat(type);
                return areFlat && (!usesArrays || isConverted(op)) ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

void populateFlatArrays(LLVMTypeConverter &types, RewritePatternSet &patterns) {
  types.addConversion([](MemRefType type) -> Type { return LLVM::LLVMPointerType::get(type.getContext()); });
  patterns.add<LowerVectorLoad, LowerVectorStore, LowerMaskedLoad, LowerMaskedStore, LowerGather, LowerLoad, LowerStore,
               LowerPrefetch, LowerView, LowerPointer>(types);
}

} // namespace nacre::codegen::cpu
