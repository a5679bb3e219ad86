// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sweeps over the scores between the two products of attention: the scores from sums of products, and the softmax.
//
// Bounds of the visible keys are arithmetic with the indices of the row and the key.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_CONTRACTIONS_SCORESWEEPS_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_CONTRACTIONS_SCORESWEEPS_H

#include "compiler/kernels/bodies/KernelBody.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// Correction of sums of products of codes for the zero points of the codes. It adds sums of rows of the left codes and
/// sums of columns of the right codes. Each has a map and a factor. It also adds a constant.
struct Centred {
  llvm::SmallVector<mlir::Value> tensors;
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<int64_t> factors;
  int64_t constant = 0;

  /// Returns `sum` with its correction. `ofTensors` are the elements of `tensors`.
  mlir::Value emit(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum, mlir::ValueRange ofTensors) const;
};

/// Sweeps over the scores [batches..., rows, keys]. If the operands are codes, the scores begin as integers and end as
/// codes.
class ScoreSweeps {
public:
  ScoreSweeps(KernelBody &body, mlir::Value scores);

  /// Computes the scores from sums of products: scales and caps them, adds the mask, and hides keys out of bounds.
  /// `centred` corrects sums of codes for their zero points.
  void finishScores(nn::AttentionOp op, const Centred &centred);
  /// Returns the softmax of the scores along the keys.
  mlir::Value soften(nn::AttentionOp op);

private:
  using ScalarBody = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>;

  /// An operand of a sweep: a constant, or a tensor with an index among those of the sweep.
  struct Read {
    mlir::Value operand;
    mlir::TypedAttr splat;
    unsigned index = 0;
  };

  /// Tensors that a sweep reads, with their maps.
  struct Reads {
    llvm::SmallVector<mlir::Value> tensors;
    llvm::SmallVector<mlir::AffineMap> maps;

    void add(mlir::Value tensor, mlir::AffineMap map) {
      tensors.push_back(tensor);
      maps.push_back(map);
    }
  };

  /// Returns the storage type of the weights. Codes have the type of the queries.
  mlir::Type storageOf(nn::AttentionOp op) const;
  /// Emits the code of a weight.
  mlir::Value quantize(mlir::OpBuilder &b, mlir::Value weight, nn::AttentionOp op);
  /// True if the query of the current row sees the current key by its position.
  mlir::Value isSeen(mlir::OpBuilder &b, nn::AttentionOp op, mlir::Value offset);
  /// Notes the bounds of `op` on the sweep that hides keys.
  void setBounds(nn::AttentionOp op, const Read &offset);
  /// Adds an operand of the attention that broadcasts to the scores, and that may be null.
  Read addOperand(Reads &reads, mlir::Value operand);
  /// Returns the element of an operand, in its compute type. `scalars` are the elements of all tensors of the sweep.
  mlir::Value take(mlir::OpBuilder &b, const Read &read, mlir::ValueRange scalars) const;
  mlir::Value map(const Reads &reads, mlir::Type type, ScalarBody scalar);
  /// Reduces the results of `scalar` along the keys.
  mlir::Value reduce(nn::ReduceKind kind, const Reads &reads, ScalarBody scalar);

  KernelBody &body;
  mlir::Value scores;
  llvm::ArrayRef<int64_t> shape;
  mlir::Type type;
  mlir::AffineMap identity, rowMap;
};

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_CONTRACTIONS_SCORESWEEPS_H
