// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the few things that shaders of points and rows are built from: positions, addresses, loads, stores, loops.
// Why:   an invocation finds its point by dividing its number into digits, one per loop; divisions are what such
//        shaders spend most on, and most of them cancel against the strides.
// How:   positions stay symbolic until an address is built; there, neighbouring digits of one counter whose strides fit
//        become one digit again.

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

/// Where a loop stands: base + constant + scale * digit, and the `lanes` - 1 indices after that. None is negative.
struct Position {
  mlir::Value counter;           ///< Null: the digit is 0.
  int64_t divisor = 1, size = 1; ///< The digit is counter / divisor % size;
  bool leading = true;           ///< without the remainder, where the quotient is always below size.
  int64_t scale = 1;
  mlir::Value base;         ///< Null: 0.
  int64_t baseMultiple = 1; ///< Which the base is one of.
  int64_t constant = 0;
  unsigned lanes = 1;

  bool operator==(const Position &other) const { return key() == other.key(); }
  bool operator<(const Position &other) const { return key() < other.key(); }

  /// Lane `lane` alone.
  Position lane(unsigned lane) const;

private:
  std::tuple<void *, int64_t, int64_t, bool, int64_t, void *, int64_t, unsigned> key() const {
    return {counter.getAsOpaquePointer(), divisor, size, leading, scale, base.getAsOpaquePointer(), constant, lanes};
  }
};

using Point = llvm::SmallVector<Position, 6>; ///< One position per loop.

/// Digits of `counter`, which is below the product of `sizes`; the last one moves fastest.
Point splitCounter(mlir::Value counter, llvm::ArrayRef<int64_t> sizes);

/// The axis whose elements lie one after another, if it has several.
std::optional<unsigned> contiguousAxis(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);

/// The positions in a box of `sizes`, counted by `counter` in the order of memory, the contiguous axis in vectors.
Point pointsInOrder(mlir::Value counter, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides,
                    unsigned lanes);

/// The loop of `at` with several lanes, if there is one.
std::optional<unsigned> laneLoop(llvm::ArrayRef<Position> at);

/// Whether the address at `at`, whose lanes are not looked at, is a multiple of `unit` for certain. A loop with lanes
/// must have stride 1, 0 or be left out by a stride of 0.
bool isMultiple(llvm::ArrayRef<Position> at, llvm::ArrayRef<int64_t> strides, int64_t offset, int64_t unit);

class PointBuilder final : public TermBuilder {
public:
  explicit PointBuilder(KernelFunction &function);

  KernelFunction &function;

  // Constants, each built once, at the start of the function.
  mlir::Value index(int64_t value);
  mlir::Value constant(mlir::TypedAttr value) override;

  mlir::Value value(const Position &position);
  /// (offset + sum of strides[i] * at[i]) / unit; isMultiple holds where the unit is not 1.
  mlir::Value address(llvm::ArrayRef<Position> at, llvm::ArrayRef<int64_t> strides, int64_t offset, int64_t unit = 1);

  // Of operand `operand` of the launch; the address counts vectors of `width` elements.
  mlir::Value load(unsigned operand, mlir::Value address, unsigned width);
  void store(mlir::Value value, unsigned operand, mlir::Value address);

  /// A scalar in all lanes; vectors are left alone.
  mlir::Value broadcast(mlir::Value value, unsigned width);
  mlir::Value lane(mlir::Value value, unsigned lane);
  /// A vector of `lanes`; the one value where there is but one.
  mlir::Value join(llvm::ArrayRef<mlir::Value> lanes);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value multiply(mlir::Value a, int64_t b);
  mlir::Value below(mlir::Value a, mlir::Value b); ///< Neither is negative.
  mlir::Value both(mlir::Value a, mlir::Value b);  ///< Either may be null, which means true.

  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value counter, mlir::ValueRange carried)>;
  /// `count` iterations, at least one.
  llvm::SmallVector<mlir::Value> loop(int64_t count, mlir::ValueRange carried, LoopBody body);
  void loop(int64_t count, llvm::function_ref<void(mlir::Value)> body);
  /// Null conditions are true.
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> body);
  void barrier();

private:
  mlir::Value digit(mlir::Value counter, int64_t divisor, int64_t size, bool leading);

  mlir::OpBuilder atEntry;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  std::map<std::tuple<void *, int64_t, int64_t>, mlir::Value> digits; ///< By counter, divisor, size (0: leading).
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_POINTBUILDER_H
