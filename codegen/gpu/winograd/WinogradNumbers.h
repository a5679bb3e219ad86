// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the division of Winograd's products among a workgroup, and arithmetic on quads of transformed values.
// Why:   a convolution in blocks and the gradient of its filter are the same 16 products of matrices, with different
//        operands.
// How:   16 invocations compute a product of 32 rows by 16 quads of columns. Each has eight rows, and four quads of
//        columns that are four apart, in 128 registers.

#ifndef NACRE_CODEGEN_GPU_WINOGRAD_WINOGRADNUMBERS_H
#define NACRE_CODEGEN_GPU_WINOGRAD_WINOGRADNUMBERS_H

#include "codegen/gpu/GpuTile.h"
#include "codegen/gpu/contraction/ContractionGrid.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace nacre::codegen::gpu {

class WinogradNumbers {
protected:
  static constexpr int64_t kTaps = 3, kSide = 4, kNumbers = kSide * kSide; ///< Constants of F(2x2, 3x3).

  WinogradNumbers(ContractionGrid &grid, const GpuTile &tile)
      : grid(grid), build(grid.build), tile(tile), quads(tile.quads * tile.columnThreads),
        me(grid.function.invocation) {
    const int64_t lanes = tile.columnThreads * tile.rowThreads;
    number = build.divide(me, lanes);
    mlir::Value lane = build.remainder(me, lanes);
    // As in SharedTile: invocations that differ in the lowest bit read the same columns.
    laneQuad = build.remainder(build.divide(lane, 2), tile.columnThreads);
    laneRow = build.add(build.remainder(lane, 2), build.multiply(build.divide(lane, 2 * tile.columnThreads), 2));
  }

  void barrier() { mlir::gpu::BarrierOp::create(build.ops, build.loc); }
  mlir::Value load(mlir::Value array, mlir::Value at) {
    return mlir::memref::LoadOp::create(build.ops, build.loc, array, mlir::ValueRange{at});
  }
  void store(mlir::Value value, mlir::Value array, mlir::Value at) {
    mlir::memref::StoreOp::create(build.ops, build.loc, value, array, mlir::ValueRange{at});
  }
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) {
    return mlir::arith::SelectOp::create(build.ops, build.loc, condition, yes, no);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) { return mlir::arith::AddFOp::create(build.ops, build.loc, a, b); }
  mlir::Value subtract(mlir::Value a, mlir::Value b) { return mlir::arith::SubFOp::create(build.ops, build.loc, a, b); }
  mlir::Value multiply(mlir::Value a, mlir::Value b) { return mlir::arith::MulFOp::create(build.ops, build.loc, a, b); }
  mlir::Value multiplyAdd(mlir::Value a, mlir::Value b, mlir::Value c) {
    return mlir::vector::FMAOp::create(build.ops, build.loc, a, b, c);
  }
  /// Adds the products of lane `lane` of `rows` and the quads of `columns` to a row of `sums`.
  void multiplyRow(llvm::MutableArrayRef<mlir::Value> sums, mlir::Value rows, int64_t lane,
                   llvm::ArrayRef<mlir::Value> columns) {
    mlir::Value factor = mlir::vector::ExtractOp::create(build.ops, build.loc, rows, lane);
    factor = mlir::vector::BroadcastOp::create(build.ops, build.loc, grid.quadType(), factor);
    for (auto [sum, column] : llvm::zip_equal(sums, columns))
      sum = multiplyAdd(factor, column, sum);
  }
  /// Returns a quad whose lanes are all `value`.
  mlir::Value quadOf(double value) {
    auto type = mlir::cast<mlir::VectorType>(grid.quadType());
    mlir::Attribute element = build.ops.getFloatAttr(type.getElementType(), value);
    return mlir::arith::ConstantOp::create(build.ops, build.loc, mlir::DenseElementsAttr::get(type, element));
  }
  mlir::Value mask(mlir::Value condition) {
    auto type = mlir::VectorType::get({4}, build.ops.getI1Type());
    return mlir::vector::BroadcastOp::create(build.ops, build.loc, type, condition);
  }

  /// Returns the sums of all parts. `load` loads the inputs of a part's values, `transform` writes the values to shared
  /// memory, and `multiply` adds their products to its argument.
  llvm::SmallVector<mlir::Value> reduce(int64_t parts,
                                        llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value)> load,
                                        llvm::function_ref<void(llvm::ArrayRef<mlir::Value>)> transform,
                                        llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)> multiply) {
    transform(load(build.constant(0)));
    barrier();
    const llvm::SmallVector<mlir::Value> zeros(tile.rows * tile.quads, grid.zeroQuad());
    auto loop = mlir::scf::ForOp::create(build.ops, build.loc, build.constant(0), build.constant(parts),
                                         build.constant(1), zeros);
    const mlir::OpBuilder::InsertionGuard guard(build.ops);
    build.ops.setInsertionPointToStart(loop.getBody());
    // The last part is loaded twice: a branch would cost more.
    const llvm::SmallVector<mlir::Value> next =
        load(build.least(build.add(loop.getInductionVar(), 1), build.constant(parts - 1)));
    const llvm::SmallVector<mlir::Value> sums = multiply(loop.getRegionIterArgs());
    barrier();
    transform(next);
    barrier();
    mlir::scf::YieldOp::create(build.ops, build.loc, sums);
    return loop.getResults();
  }

  /// Row `line` of B^T d, as the sum of a row of the tile and of another row times a sign.
  struct PixelRows {
    mlir::Value first, second, sign;
  };
  PixelRows pixelRowsOf(mlir::Value line) {
    auto isLine = [&](int64_t which) { return build.isEqual(line, build.constant(which)); };
    mlir::Value zero = build.constant(0), one = build.constant(1), two = build.constant(2), three = build.constant(3);
    return {select(isLine(0), zero, select(isLine(2), two, one)), select(isLine(3), three, select(isLine(2), one, two)),
            select(mask(isLine(1)), quadOf(1), quadOf(-1))};
  }
  /// Stores the values of such a row, `stride` apart. `pixels` are those of the first row, then those of the second
  /// one.
  void storePixelNumbers(llvm::ArrayRef<mlir::Value> pixels, mlir::Value sign, mlir::Value array, mlir::Value at,
                         int64_t stride) {
    mlir::Value d[kSide];
    for (int64_t j = 0; j < kSide; ++j)
      d[j] = multiplyAdd(sign, pixels[kSide + j], pixels[j]);
    const mlir::Value numbers[] = {subtract(d[0], d[2]), add(d[1], d[2]), subtract(d[2], d[1]), subtract(d[1], d[3])};
    for (auto [j, value] : llvm::enumerate(numbers))
      store(value, array, build.add(at, int64_t(j) * stride));
  }

  ContractionGrid &grid;
  IndexBuilder &build;
  const GpuTile &tile;
  const int64_t quads; ///< Quads of columns.
  mlir::Value me;
  mlir::Value number;            ///< Transformed value that these 16 invocations compute.
  mlir::Value laneQuad, laneRow; ///< First quad and row of this invocation.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_WINOGRAD_WINOGRADNUMBERS_H
