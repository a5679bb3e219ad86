// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/codegen/gpu/PlayedMatrices.h"
#include "codegen/gpu/GpuTile.h"
#include "codegen/gpu/LowerToSpirv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace nacre::codegen {
namespace {

// An invocation's part of a matrix of sums: a row of eight columns, in two vectors. Vectors have 16 bytes.
constexpr int64_t kColumns = 8, kLanes = 4, kVectorsOfSums = kColumns / kLanes;
constexpr int64_t kVectorsOfLine = 2; ///< Vectors of a row of the left matrix, or of a column of the right one.

int64_t vectorsOf(mlir::gpu::MMAMatrixType type) {
  if (type.getOperand() == "BOp")
    return kColumns * kVectorsOfLine;
  return type.getOperand() == "AOp" ? kVectorsOfLine : kVectorsOfSums;
}

/// Emits code for an invocation.
struct Invocation {
  Invocation(OpBuilder &ops, Location loc) : ops(ops), loc(loc) {
    Value me = mlir::gpu::ThreadIdOp::create(ops, loc, mlir::gpu::Dimension::x);
    Value lane = arith::RemUIOp::create(ops, loc, me, constant(gpu::kSubgroup));
    row = arith::DivUIOp::create(ops, loc, lane, constant(2));
    half = arith::RemUIOp::create(ops, loc, lane, constant(2));
  }

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(ops, loc, value); }
  Value add(Value a, Value b) { return arith::AddIOp::create(ops, loc, a, b); }
  Value multiply(Value a, int64_t b) { return arith::MulIOp::create(ops, loc, a, constant(b)); }

  OpBuilder &ops;
  Location loc;
  Value row, half; ///< Row of the invocation, and 0 or 1 for the first or the second half of its columns.
};

struct PlayLoad : OpConversionPattern<mlir::gpu::SubgroupMmaLoadMatrixOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(mlir::gpu::SubgroupMmaLoadMatrixOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    const auto type = cast<mlir::gpu::MMAMatrixType>(op.getRes().getType());
    const bool isRight = type.getOperand() == "BOp";
    if (!type.getElementType().isSignedInteger(8) || isRight != op.getTranspose().value_or(false))
      return rewriter.notifyMatchFailure(op, "expected bytes with the steps of the reduction side by side");
    Invocation me(rewriter, op.getLoc());
    const int64_t pitch = op.getLeadDimension().getSExtValue();
    Value line = isRight ? me.multiply(me.half, kColumns) : me.row;
    Value first = me.add(operands.getIndices().front(), me.multiply(line, pitch));
    SmallVector<Value> loaded;
    for (int64_t i = 0; i < vectorsOf(type); ++i) {
      Value at = me.add(first, me.constant(i / kVectorsOfLine * pitch + i % kVectorsOfLine));
      loaded.push_back(memref::LoadOp::create(rewriter, op.getLoc(), operands.getSrcMemref(), ValueRange{at}));
    }
    rewriter.replaceOpWithMultiple(op, {loaded});
    return success();
  }
};

struct PlayZeros : OpConversionPattern<mlir::gpu::SubgroupMmaConstantMatrixOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(mlir::gpu::SubgroupMmaConstantMatrixOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const auto type = VectorType::get({kLanes}, rewriter.getI32Type());
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getZeroAttr(type));
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>(vectorsOf(op.getType()), zero)});
    return success();
  }
};

struct PlayProduct : OpConversionPattern<mlir::gpu::SubgroupMmaComputeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(mlir::gpu::SubgroupMmaComputeOp op, OneToNOpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    const auto format =
        spirv::PackedVectorFormatAttr::get(rewriter.getContext(), spirv::PackedVectorFormat::PackedVectorFormat4x8Bit);
    auto extract = [&](Value vector, int64_t lane) -> Value {
      return vector::ExtractOp::create(rewriter, op.getLoc(), vector, lane);
    };
    SmallVector<Value> sums;
    for (int64_t column = 0; column < kColumns; ++column) {
      Value sum = extract(operands.getOpC()[column / kLanes], column % kLanes);
      for (int64_t word = 0; word < kVectorsOfLine * kLanes; ++word) {
        Value a = extract(operands.getOpA()[word / kLanes], word % kLanes);
        Value b = extract(operands.getOpB()[column * kVectorsOfLine + word / kLanes], word % kLanes);
        Value dot = spirv::SDotOp::create(rewriter, op.getLoc(), rewriter.getI32Type(), a, b, format);
        sum = arith::AddIOp::create(rewriter, op.getLoc(), sum, dot);
      }
      sums.push_back(sum);
    }
    SmallVector<Value> vectors;
    for (int64_t first = 0; first < kColumns; first += kLanes)
      vectors.push_back(vector::FromElementsOp::create(rewriter, op.getLoc(),
                                                       VectorType::get({kLanes}, rewriter.getI32Type()),
                                                       ArrayRef(sums).slice(first, kLanes)));
    rewriter.replaceOpWithMultiple(op, {vectors});
    return success();
  }
};

struct PlayStore : OpConversionPattern<mlir::gpu::SubgroupMmaStoreMatrixOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(mlir::gpu::SubgroupMmaStoreMatrixOp op, OneToNOpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    Invocation me(rewriter, op.getLoc());
    Value first = me.add(op.getIndices().front(), me.multiply(me.row, op.getLeadDimension().getSExtValue()));
    first = me.add(first, me.multiply(me.half, kVectorsOfSums));
    for (auto [number, vector] : llvm::enumerate(operands.getSrc()))
      memref::StoreOp::create(rewriter, op.getLoc(), vector, op.getDstMemref(),
                              ValueRange{me.add(first, me.constant(int64_t(number)))});
    rewriter.eraseOp(op);
    return success();
  }
};

/// Subgroups of an emulated GPU are smaller than those that have matrices. So all invocations wait for each other.
void widenBarriers(mlir::gpu::GPUModuleOp module) {
  module.walk([](spirv::ControlBarrierOp barrier) {
    OpBuilder ops(barrier);
    mlir::gpu::BarrierOp::create(ops, barrier.getLoc());
    barrier.erase();
  });
}

LogicalResult play(mlir::gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  TypeConverter types;
  types.addConversion([](Type type) { return type; });
  types.addConversion([](mlir::gpu::MMAMatrixType type, SmallVectorImpl<Type> &vectors) {
    vectors.append(vectorsOf(type), VectorType::get({kLanes}, IntegerType::get(type.getContext(), 32)));
    return success();
  });
  RewritePatternSet patterns(context);
  patterns.add<PlayLoad, PlayZeros, PlayProduct, PlayStore>(types, context);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<mlir::gpu::SubgroupMmaLoadMatrixOp, mlir::gpu::SubgroupMmaConstantMatrixOp,
                      mlir::gpu::SubgroupMmaComputeOp, mlir::gpu::SubgroupMmaStoreMatrixOp>();
  scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
  widenBarriers(module);
  return applyPartialConversion(module, target, std::move(patterns));
}

} // namespace

FailureOr<GpuKernelCode> playMatrices(const GpuKernelCode &variant) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, mlir::gpu::GPUDialect, math::MathDialect, memref::MemRefDialect,
                      scf::SCFDialect, spirv::SPIRVDialect, vector::VectorDialect>();
  OwningOpRef<ModuleOp> text = parseSourceString<ModuleOp>(variant.text, ParserConfig(&context));
  if (!text)
    return failure();
  auto module = *text->getOps<mlir::gpu::GPUModuleOp>().begin();
  if (!module.walk([](mlir::gpu::SubgroupMmaComputeOp) { return WalkResult::interrupt(); }).wasInterrupted() ||
      failed(play(module)))
    return failure();
  FailureOr<gpu::SpirvModule> lowered = gpu::lowerToSpirv(module);
  GpuKernelCode code = variant;
  if (failed(lowered) || failed(gpu::serialize(*lowered, code.code)))
    return failure();
  code.needs |= lowered->needs;
  return code;
}

} // namespace nacre::codegen
