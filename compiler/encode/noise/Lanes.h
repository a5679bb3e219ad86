// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws samples of values and of their noise, and computes with them.
// Why: an activation or a softmax turns moments into others, in ways for which there is no short formula.
// How: a lane has a value and two errors: derivatives carry errors from operands to results. The samples of a number
//      are quantiles of a normal distribution in a random order, so few of them have exactly its mean and variance.
//      Numbers that are never negative are those of a normal distribution after a ReLU.

#ifndef NACRE_COMPILER_ENCODE_NOISE_LANES_H
#define NACRE_COMPILER_ENCODE_NOISE_LANES_H

#include "compiler/encode/noise/Moments.h"
#include "mlir/IR/Block.h"

#include <array>
#include <optional>

namespace nacre::encode {

inline constexpr unsigned kLanes = 32;
using LaneNumbers = std::array<double, kLanes>;

/// Samples of a number. Results are only meaningful for a sample of all operands, so lanes are never mixed.
struct Lanes {
  LaneNumbers value = {};
  LaneNumbers noise = {};  ///< Error that is independent at each position.
  LaneNumbers offset = {}; ///< Error that is equal at all positions.
  double scaled = 0;       ///< Share of the power of `noise` that is proportional to the square of the value.
};

/// Draws numbers that only look random: they are the same in each compilation.
class Draws {
public:
  using Order = std::array<unsigned, kLanes>;
  Order order();
  Lanes draw(const Moments &moments) { return draw(moments, sign()); }
  /// The offset has the given sign. All positions of a channel have the same one.
  Lanes draw(const Moments &moments, double sign);
  double sign() { return next() & 1 ? 1 : -1; }
  /// Adds the error of rounding to f16.
  void round(Lanes &lanes);

private:
  void drawNoise(Lanes &lanes, const Moments &moments);
  uint64_t next();
  uint64_t state = 1;
};

Lanes reordered(const Lanes &lanes, const Draws::Order &order);

/// Returns the moments of a number from its samples.
Moments momentsOf(const Lanes &lanes);

/// Scalar operations of a block, such as the body of a linalg.generic.
class LaneProgram {
public:
  /// Fails if the block has operations that are not known, or reads values that are neither its arguments nor
  /// constants.
  static std::optional<LaneProgram> get(mlir::Block &block);

  /// Computes the operands of the terminator from the arguments of the block.
  llvm::SmallVector<Lanes, 1> run(llvm::ArrayRef<const Lanes *> arguments);

  /// Index of the argument that the block returns unchanged, except for its type; `nullopt` if it computes something.
  std::optional<unsigned> copiedArgument() const;

private:
  enum class Kind {
    Add,
    Subtract,
    Multiply,
    Divide,
    Maximum,
    Minimum,
    MultiplyAdd,
    Power,
    Compare,
    Select,
    Copy,
    Unary
  };
  struct Function {
    double (*value)(double);
    double (*slope)(double argument, double value);
  };
  struct Step {
    Kind kind = Kind::Copy;
    llvm::SmallVector<unsigned, 3> operands = {}; ///< Indices of numbers.
    Function function = {};
    unsigned predicate = 0;
  };
  static std::optional<Step> readStep(mlir::Operation &op);
  static std::optional<Function> functionOf(mlir::Operation &op);
  static void run(const Step &step, llvm::ArrayRef<const Lanes *> operands, Lanes &result);

  unsigned arguments = 0;
  std::vector<Lanes> numbers; ///< Samples of arguments, which stay empty, and of constants and results of steps.
  llvm::SmallVector<std::pair<unsigned, Step>> steps; ///< Each with the index of its result.
  llvm::SmallVector<unsigned, 1> results;
};

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_NOISE_LANES_H
