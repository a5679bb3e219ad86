// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the building blocks of shaders for points and rows: positions, addresses, loads, stores, loops.
// Why:   an invocation finds its point by dividing its index into digits, one for each loop. Divisions are the most
//        expensive part of such shaders, and most of them cancel out against the strides.
// How:   positions stay symbolic until an address is built. Adjacent digits of one counter then become one digit again,
//        if their strides allow it.

#ifndef NACRE_CODEGEN_GPU_POINTS_POINTBUILDER_H
#define NACRE_CODEGEN_GPU_POINTS_POINTBUILDER_H

#include "codegen/Term.h"
#include "codegen/gpu/KernelFunction.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <tuple>

namespace nacre::codegen::gpu {

/// Index of a loop: base + constant + scale * digit. If `lanes` is above 1, it also stands for the lanes - 1 following
/// indices. No term is negative.
struct Position {
  mlir::Value counter;           ///< Null if the digit is 0.
  int64_t divisor = 1, size = 1; ///< The digit is counter / divisor % size.
  bool leading = true;           ///< True if the quotient is always below `size`, so that no remainder is needed.
  int64_t scale = 1;
  mlir::Value base;         ///< Null if the base is 0.
  int64_t baseMultiple = 1; ///< Known divisor of `base`.
  int64_t constant = 0;
  unsigned lanes = 1;

  bool operator==(const Position &other) const { return key() == other.key(); }
  bool operator<(const Position &other) const { return key() < other.key(); }

  /// Returns the position of the lane with index `lane`.
  Position lane(unsigned lane) const;

private:
  std::tuple<void *, int64_t, int64_t, bool, int64_t, void *, int64_t, unsigned> key() const {
    return {counter.getAsOpaquePointer(), divisor, size, leading, scale, base.getAsOpaquePointer(), constant, lanes};
  }
};

using Point = llvm::SmallVector<Position, 6>; ///< One position per loop.

/// Returns the digits of `counter`, which is below the product of `sizes`. The last digit moves fastest.
Point splitCounter(mlir::Value counter, llvm::ArrayRef<int64_t> sizes);

/// Returns the axis with stride 1, if its size is above 1; otherwise, returns `nullopt`.
std::optional<unsigned> contiguousAxis(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);

/// Returns the positions in a box of `sizes` at which `counter` counts the box in the order of memory. The contiguous
/// axis has vectors of `lanes` elements.
Point pointsInOrder(mlir::Value counter, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides,
                    unsigned lanes);

/// Returns the index of the loop of `at` with several lanes; `nullopt` if there is no such loop.
std::optional<unsigned> laneLoop(llvm::ArrayRef<Position> at);

/// True if the address of `at` is known to be a multiple of `unit`. Lanes are ignored. A loop with lanes must have
/// stride 1 or 0.
bool isMultiple(llvm::ArrayRef<Position> at, llvm::ArrayRef<int64_t> strides, int64_t offset, int64_t unit);

class PointBuilder final : public TermBuilder {
public:
  explicit PointBuilder(KernelFunction &function);

  KernelFunction &function;

  // Constants. Each is built once, at the start of the function.
  mlir::Value index(int64_t value);
  mlir::Value constant(mlir::TypedAttr value) override;

  mlir::Value value(const Position &position);
  /// Returns (offset + sum of strides[i] * at[i]) / unit. If `unit` is not 1, isMultiple() must be true.
  mlir::Value address(llvm::ArrayRef<Position> at, llvm::ArrayRef<int64_t> strides, int64_t offset, int64_t unit = 1);

  // Accesses of the launch's operand with index `operand`. An address counts vectors of `width` elements.
  mlir::Value load(unsigned operand, mlir::Value address, unsigned width);
  void store(mlir::Value value, unsigned operand, mlir::Value address);

  /// Returns a vector with a scalar in all lanes. Returns a vector unchanged.
  mlir::Value broadcast(mlir::Value value, unsigned width);
  mlir::Value lane(mlir::Value value, unsigned lane);
  /// Returns a vector of the values `lanes`. A single value stays a scalar.
  mlir::Value join(llvm::ArrayRef<mlir::Value> lanes);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value subtract(mlir::Value a, mlir::Value b); ///< Returns a - b. A negative difference wraps around.
  mlir::Value multiply(mlir::Value a, int64_t b);
  /// Returns a < b as an unsigned comparison; neither may be negative.
  mlir::Value below(mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b); ///< Returns the conjunction. A null operand means true.

  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value counter, mlir::ValueRange carried)>;
  /// Emits a loop of `count` iterations, at least one.
  llvm::SmallVector<mlir::Value> loop(int64_t count, mlir::ValueRange carried, LoopBody body);
  void loop(int64_t count, llvm::function_ref<void(mlir::Value)> body);
  /// Emits a loop from `low` to `high`, which may have no iteration. Neither may be negative.
  llvm::SmallVector<mlir::Value> loop(mlir::Value low, mlir::Value high, mlir::ValueRange carried, LoopBody body);
  /// Emits `body` under `condition`. A null condition means true.
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> body);
  void barrier();

private:
  llvm::SmallVector<mlir::Value> loopBetween(mlir::Value low, mlir::Value high, mlir::ValueRange carried,
                                             LoopBody body);
  mlir::Value digit(mlir::Value counter, int64_t divisor, int64_t size, bool leading);

  mlir::OpBuilder atEntry;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  /// Computed digits by counter, divisor and size. The size is 0 if the digit is leading.
  std::map<std::tuple<void *, int64_t, int64_t>, mlir::Value> digits;
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_POINTBUILDER_H
