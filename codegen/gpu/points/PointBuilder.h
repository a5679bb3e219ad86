// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the building blocks of shaders for points and rows: positions, addresses, loads, stores, loops.
// Why:   an invocation finds its point by dividing its number into digits, one per loop. Divisions are the most
//        expensive part of such shaders, and most of them cancel against the strides.
// How:   positions stay symbolic until an address is built. Then adjacent digits of one counter become one digit again,
//        if their strides fit.

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

/// Index of a loop: base + constant + scale * digit, and the `lanes` - 1 indices after it. None of the terms is
/// negative.
struct Position {
  mlir::Value counter;           ///< Null if the digit is 0.
  int64_t divisor = 1, size = 1; ///< The digit is counter / divisor % size.
  bool leading = true;           ///< True if the quotient is always below `size`, so that no remainder is needed.
  int64_t scale = 1;
  mlir::Value base;         ///< Null if the base is 0.
  int64_t baseMultiple = 1; ///< Known divisor of the base.
  int64_t constant = 0;
  unsigned lanes = 1;

  bool operator==(const Position &other) const { return key() == other.key(); }
  bool operator<(const Position &other) const { return key() < other.key(); }

  /// Returns the position of lane `lane`.
  Position lane(unsigned lane) const;

private:
  std::tuple<void *, int64_t, int64_t, bool, int64_t, void *, int64_t, unsigned> key() const {
    return {counter.getAsOpaquePointer(), divisor, size, leading, scale, base.getAsOpaquePointer(), constant, lanes};
  }
};

using Point = llvm::SmallVector<Position, 6>; ///< One position per loop.

/// Returns the digits of `counter`, which is below the product of `sizes`; the last one moves fastest.
Point splitCounter(mlir::Value counter, llvm::ArrayRef<int64_t> sizes);

/// Returns the axis whose elements are contiguous, if it has several.
std::optional<unsigned> contiguousAxis(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);

/// Returns the positions in a box of `sizes` that `counter` counts in the order of memory. The contiguous axis has
/// vectors of `lanes`.
Point pointsInOrder(mlir::Value counter, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides,
                    unsigned lanes);

/// Returns the loop of `at` with several lanes, if there is one.
std::optional<unsigned> laneLoop(llvm::ArrayRef<Position> at);

/// True if the address at `at` is certainly a multiple of `unit`. Lanes are ignored. A loop with lanes must have stride
/// 1 or 0.
bool isMultiple(llvm::ArrayRef<Position> at, llvm::ArrayRef<int64_t> strides, int64_t offset, int64_t unit);

class PointBuilder final : public TermBuilder {
public:
  explicit PointBuilder(KernelFunction &function);

  KernelFunction &function;

  // Constants, each built once, at the start of the function.
  mlir::Value index(int64_t value);
  mlir::Value constant(mlir::TypedAttr value) override;

  mlir::Value value(const Position &position);
  /// Returns (offset + sum of strides[i] * at[i]) / unit. If the unit is not 1, isMultiple must hold.
  mlir::Value address(llvm::ArrayRef<Position> at, llvm::ArrayRef<int64_t> strides, int64_t offset, int64_t unit = 1);

  // Accesses operand `operand` of the launch; the address counts vectors of `width` elements.
  mlir::Value load(unsigned operand, mlir::Value address, unsigned width);
  void store(mlir::Value value, unsigned operand, mlir::Value address);

  /// Returns a scalar in all lanes; vectors are returned unchanged.
  mlir::Value broadcast(mlir::Value value, unsigned width);
  mlir::Value lane(mlir::Value value, unsigned lane);
  /// Returns a vector of `lanes`; a single value stays a scalar.
  mlir::Value join(llvm::ArrayRef<mlir::Value> lanes);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value multiply(mlir::Value a, int64_t b);
  mlir::Value below(mlir::Value a, mlir::Value b); ///< Unsigned comparison: neither may be negative.
  mlir::Value both(mlir::Value a, mlir::Value b);  ///< Either may be null, which means true.

  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value counter, mlir::ValueRange carried)>;
  /// Emits `count` iterations, at least one.
  llvm::SmallVector<mlir::Value> loop(int64_t count, mlir::ValueRange carried, LoopBody body);
  void loop(int64_t count, llvm::function_ref<void(mlir::Value)> body);
  /// Emits `body` under `condition`; null means true.
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> body);
  void barrier();

private:
  mlir::Value digit(mlir::Value counter, int64_t divisor, int64_t size, bool leading);

  mlir::OpBuilder atEntry;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  /// Computed digits by counter, divisor and size (0 if leading).
  std::map<std::tuple<void *, int64_t, int64_t>, mlir::Value> digits;
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_POINTBUILDER_H
