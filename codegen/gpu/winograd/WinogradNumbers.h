// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  divides the products of Winograd's method among a workgroup, and computes with quads of transformed values.
// Why:   a convolution in blocks and the gradient of its filter have the same 16 products of matrices, with different
//        operands.
// How:   16 invocations compute a product of 32 rows by 16 quads of columns. Each invocation has eight rows, and four
//        quads of columns at distances of four, in 128 registers.

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
  static constexpr winograd::Method kMethod = {/*outputs=*/2, /*taps=*/3};
  static constexpr int64_t kTaps = kMethod.taps, kSide = kMethod.inputs(), kNumbers = kMethod.numbers();

  WinogradNumbers(ContractionGrid &grid, const GpuTile::WinogradProducts &tile)
      : grid(grid), build(grid.build), tile(tile), quads(tile.quads * tile.columnThreads),
        me(grid.function.invocation) {
    const int64_t lanes = tile.columnThreads * tile.rowThreads;
    number = build.divide(me, lanes);
    mlir::Value lane = build.remainder(me, lanes);
    // As in SharedTile, invocations whose index differs in the lowest bit read the same columns.
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
  /// Adds products to a row of `sums`: lane `lane` of `rows` times the quads of `columns`.
  void multiplyRow(llvm::MutableArrayRef<mlir::Value> sums, mlir::Value rows, int64_t lane,
                   llvm::ArrayRef<mlir::Value> columns) {
    mlir::Value factor = mlir::vector::ExtractOp::create(build.ops, build.loc, rows, lane);
    factor = mlir::vector::BroadcastOp::create(build.ops, build.loc, grid.quadType(), factor);
    for (auto [sum, column] : llvm::zip_equal(sums, columns))
      sum = multiplyAdd(factor, column, sum);
  }
  /// Returns a quad with `value` in all lanes.
  mlir::Value quadOf(double value) {
    auto type = mlir::cast<mlir::VectorType>(grid.quadType());
    mlir::Attribute element = build.ops.getFloatAttr(type.getElementType(), value);
    return mlir::arith::ConstantOp::create(build.ops, build.loc, mlir::DenseElementsAttr::get(type, element));
  }
  mlir::Value mask(mlir::Value condition) {
    auto type = mlir::VectorType::get({4}, build.ops.getI1Type());
    return mlir::vector::BroadcastOp::create(build.ops, build.loc, type, condition);
  }

  /// Returns the sums over all parts. `load` loads the inputs of a part, `transform` writes the transformed values to
  /// shared memory, and `multiply` adds their products to its argument.
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
    // The last part is loaded twice, because a branch would cost more.
    const llvm::SmallVector<mlir::Value> next =
        load(build.least(build.add(loop.getInductionVar(), 1), build.constant(parts - 1)));
    const llvm::SmallVector<mlir::Value> sums = multiply(loop.getRegionIterArgs());
    barrier();
    transform(next);
    barrier();
    mlir::scf::YieldOp::create(build.ops, build.loc, sums);
    return loop.getResults();
  }

  /// Row `line` of B^T d: a row of the tile, plus `sign` times another row.
  struct PixelRows {
    mlir::Value first, second, sign;
  };
  PixelRows pixelRowsOf(mlir::Value line) {
    auto isLine = [&](int64_t which) { return build.isEqual(line, build.constant(which)); };
    mlir::Value zero = build.constant(0), one = build.constant(1), two = build.constant(2), three = build.constant(3);
    return {select(isLine(0), zero, select(isLine(2), two, one)), select(isLine(3), three, select(isLine(2), one, two)),
            select(mask(isLine(1)), quadOf(1), quadOf(-1))};
  }
  /// Stores the transformed values of a PixelRows, at distances of `stride`. `pixels` has the pixels of the first row,
  /// then those of the second row.
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
  const GpuTile::WinogradProducts &tile;
  const int64_t quads; ///< Number of quads of columns.
  mlir::Value me;
  mlir::Value number;            ///< Index of the transformed value that these 16 invocations compute.
  mlir::Value laneQuad, laneRow; ///< First quad and first row of this invocation.
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_WINOGRAD_WINOGRADNUMBERS_H
