// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block as a line of operators with indices, in which Repetition.h finds the iterations of an unrolled loop.

#ifndef NACRE_COMPILER_GRAPH_CONTROL_NUMBEREDBLOCK_H
#define NACRE_COMPILER_GRAPH_CONTROL_NUMBEREDBLOCK_H

#include "compiler/graph/control/Repetition.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::graph {

/// True for products that read a weight, with which an iteration may begin.
bool isAnchor(mlir::Operation &op);

/// Returns the axis along which a slice takes one element. Returns `nullopt` unless it takes all elements along all
/// other axes.
std::optional<int64_t> getRowAxis(nn::SliceOp slice);

/// Operators and values of a block by their indices in `line`.
struct NumberedBlock {
  OperatorLine line;
  llvm::SmallVector<mlir::Operation *> operators;
  llvm::SmallVector<mlir::Value> values;

  explicit NumberedBlock(mlir::Block &block);

private:
  unsigned numberOf(mlir::Value value);
  void add(mlir::Operation &op);

  template <typename Key> static unsigned intern(llvm::DenseMap<Key, unsigned> &known, Key key) {
    return known.try_emplace(key, known.size()).first->second;
  }

  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::DenseMap<mlir::Type, unsigned> types;
  llvm::DenseMap<std::pair<const void *, std::pair<const void *, const void *>>, unsigned> kinds;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> tensors;
};

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_CONTROL_NUMBEREDBLOCK_H
