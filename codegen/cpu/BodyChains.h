// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  chains of operations in a scalar body that a machine computes in fewer instructions if it sees them together.
// Why:   a body spells out how integers are rounded, clamped and narrowed, so that every engine and every test can read
//        it. Machines have single instructions for most of these chains.
// How:   1. each family of chains has a reader, which follows operands backwards from the chain's last operation;
//        2. BodyChains calls all readers for each operation of a body. Operations that only chains use are not computed
//           separately.

#ifndef NACRE_CODEGEN_CPU_BODYCHAINS_H
#define NACRE_CODEGEN_CPU_BODYCHAINS_H

#include "codegen/cpu/VectorBuilder.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>

namespace nacre::codegen::cpu {

struct BodyChain {
  llvm::SmallVector<mlir::Value, 2> operands; ///< Values of the body that the chain reads
  /// Emits code for the whole chain. Its result has the same bits as that of the chain's operations one by one. The
  /// operands are all scalars or all vectors.
  std::function<mlir::Value(VectorBuilder &build, llvm::ArrayRef<mlir::Value> operands)> emit;
};

/// Reads the chain that ends in `op`. Returns `nullopt` if no chain does, or if `target` does not compute it faster as
/// a whole.
using ChainReader = std::optional<BodyChain> (*)(mlir::Operation *op, const Target &target);

/// Reads one of two chains. A float is rounded, a zero point is added, and the sum is clamped and converted to an
/// integer. Or an i32 is clamped and narrowed to 8 bits.
std::optional<BodyChain> readQuantizedChain(mlir::Operation *op, const Target &target);
/// Reads the high half of a product with a fixed-point factor, or a shift to the right that rounds
/// (compiler/kernels/bodies/FixedPointBodies.h).
std::optional<BodyChain> readFixedPointChain(mlir::Operation *op, const Target &target);
/// Reads an access to a constant table of 256 bytes whose index is a byte.
std::optional<BodyChain> readTableChain(mlir::Operation *op, const Target &target);

/// All chains of one scalar body.
class BodyChains {
public:
  BodyChains(mlir::Block &body, const Target &target);

  /// Returns the chain that ends in `op`; null if there is no such chain.
  const BodyChain *endingIn(mlir::Operation *op) const;
  /// True if only chains use `op`. It need not be computed then.
  bool cover(mlir::Operation *op) const { return covered.contains(op); }

private:
  llvm::DenseMap<mlir::Operation *, BodyChain> chains;
  llvm::DenseSet<mlir::Operation *> covered;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_BODYCHAINS_H
