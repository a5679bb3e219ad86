// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  chains of a scalar body's operations for which machines have fewer instructions.
// Why:   a body spells out how integers are rounded, clamped and narrowed, so that every engine and every test can read
//        it. Machines have instructions for most of it.
// How:   1. each family of chains has a reader, which follows operands backwards from the last operation;
//        2. BodyChains asks all readers for each operation of a body. Operations that only chains use are not computed
//           separately.

#ifndef NACRE_CODEGEN_CPU_BODYCHAINS_H
#define NACRE_CODEGEN_CPU_BODYCHAINS_H

#include "codegen/cpu/VectorBuilder.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>

namespace nacre::codegen::cpu {

struct BodyChain {
  llvm::SmallVector<mlir::Value, 2> operands; ///< Values of the body with which the chain begins
  /// Emits the result of the last operation, with the same bits, for operands that are all scalars or all vectors.
  std::function<mlir::Value(VectorBuilder &build, llvm::ArrayRef<mlir::Value> operands)> emit;
};

/// Reads the chain that ends in `op`, if there is one that `target` computes better as a whole.
using ChainReader = std::optional<BodyChain> (*)(mlir::Operation *op, const Target &target);

/// Reads a float that is rounded, moved by a zero point, clamped and converted; or an i32 that is clamped and narrowed
/// to 8 bits.
std::optional<BodyChain> readQuantizedChain(mlir::Operation *op, const Target &target);
/// Reads the high half of a product with a fixed-point number, or a shift to the right that rounds
/// (compiler/kernels/bodies/FixedPointBodies.h).
std::optional<BodyChain> readFixedPointChain(mlir::Operation *op, const Target &target);
/// Reads an access to a table of 256 bytes, at a byte of the body.
std::optional<BodyChain> readTableChain(mlir::Operation *op, const Target &target);

/// The chains of a body.
class BodyChains {
public:
  BodyChains(mlir::Block &body, const Target &target);

  /// Returns the chain that ends in `op`; null if there is no such chain.
  const BodyChain *endingIn(mlir::Operation *op) const;
  /// True if only chains use `op`, so that it need not be computed.
  bool cover(mlir::Operation *op) const { return covered.contains(op); }

private:
  llvm::DenseMap<mlir::Operation *, BodyChain> chains;
  llvm::DenseSet<mlir::Operation *> covered;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_BODYCHAINS_H
