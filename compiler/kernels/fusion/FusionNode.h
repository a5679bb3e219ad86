// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes an operator to the fusion policy. Every node has operands, a shape, an engine and readers. An operator that
// only some rules know also has a role. A role has the numbers that its rules need, so a new rule adds a role and no
// member to other nodes.

#ifndef NACRE_COMPILER_KERNELS_FUSION_FUSIONNODE_H
#define NACRE_COMPILER_KERNELS_FUSION_FUSIONNODE_H

#include "dialects/nn/WorkKind.h"

#include "llvm/ADT/SmallVector.h"
#include <variant>

namespace nacre::kernels {

using nn::WorkKind;

/// Value in `operands` for a constant whose elements all have one value. Kernel bodies contain this value.
constexpr int kSplatOperand = -2;

/// Roles of operators: what the rules of fusion know of them besides their kind. The numbers of rules are those of
/// FusionPolicy.h.
namespace roles {

/// Lookup of rows in a table. One kernel can hold several such operators (rule 3).
struct RowLookup {};

/// Elementwise read of a table at a computed index. Only nests and rows may contain it.
struct TableRead {};

/// Conversion to a type of more bytes (rule 9).
struct Widening {};

/// Equal part of the columns of a contraction, which is its operand. Only the group of this contraction may take it.
struct ProductPart {};

/// Attention of codes. Operators that quantize its sums may follow it.
struct CodedAttention {};

/// Codes of maxima (rule 7).
struct MaximumCodes {
  int maxima = -1; ///< Index of the node that computes the maxima. Its kernel may also compute the codes.
};

/// Normalization of rows, which the kernel of a product that reads them may compute (rule 5).
struct Normalization {};

/// Depthwise convolution: one filter per channel (rule 4).
struct Depthwise {
  double multiplyAdds = 0;
};

/// 1x1 convolution: a product of the channels of each pixel (operand 0) with a matrix (rule 4).
struct Pointwise {
  int64_t columns = 0;
};

/// Reduction of rows. A kernel of rows may contain it (rule 6).
struct RowReduction {
  /// Index that the reductions of a kernel of rows share, because they reduce the same axes of the same shape.
  int rows = -1;
  /// Index of the shape of the operand, like FusionNode::shape.
  int wholeShape = -1;
  /// True if a kernel of rows that begins with this reduction may write several results.
  bool hasSeveralResults = false;
};

} // namespace roles

using FusionRole = std::variant<std::monostate, roles::RowLookup, roles::TableRead, roles::Widening, roles::ProductPart,
                                roles::CodedAttention, roles::MaximumCodes, roles::Normalization, roles::Depthwise,
                                roles::Pointwise, roles::RowReduction>;

/// Operator of a block. Nodes are listed after the nodes that compute their operands.
struct FusionNode {
  // What it computes.
  WorkKind kind = WorkKind::Boundary;
  /// Index of the result's shape. Nodes with equal shapes have equal indices.
  int shape = 0;
  /// Index of the engine that computes it, or of "any engine". Only nodes with equal indices share a kernel.
  int engine = 0;
  FusionRole role;

  // What it reads.
  /// Index of the node that computes each operand; -1 for inputs and constants, kSplatOperand for constants of one
  /// value.
  llvm::SmallVector<int, 2> operands;
  /// True for each operand that has at most one value per channel.
  llvm::SmallVector<bool, 2> isOfChannels;

  // Who reads its result.
  /// True if the result also has readers that are not nodes.
  bool escapes = false;
  /// True if the only reader that is not a node is a state that takes this value when the run ends.
  bool becomesState = false;
  /// True if the only reader that is not a node is the function's return, and the result is small (SmallResults.h).
  bool isSmallResult = false;

  // What may share its kernel.
  /// Index of the operand that the kernel may compute while it reads it; -1 if there is no such operand.
  int prologueOperand = -1;
  /// True if the kernel of a product may compute this result as its left operand.
  bool mayBeMade = true;
  /// True if its kernel may write several new states: the update of a weight and of its moments after the gradient.
  bool mayUpdate = false;

  template <typename Role> bool is() const { return std::holds_alternative<Role>(role); }
  /// Returns the role if it is `Role`. Otherwise, returns null.
  template <typename Role> const Role *as() const { return std::get_if<Role>(&role); }

  /// True if only nodes read the result before the run ends.
  bool staysOrUpdates() const { return !escapes || becomesState; }
  /// True if its kernel may apply elementwise operators after it.
  bool mayBeFollowed() const {
    return kind != WorkKind::Scan && kind != WorkKind::Serial &&
           (kind != WorkKind::Attention || is<roles::CodedAttention>());
  }
  /// True if a body of its kernel may read tables.
  bool mayReadTables() const {
    return kind == WorkKind::Elementwise || kind == WorkKind::Nest || kind == WorkKind::Row;
  }
  /// True if it reads an operand with shape index `other` element by element.
  bool readsWhole(int other) const {
    const auto *reduction = as<roles::RowReduction>();
    return (reduction ? reduction->wholeShape : shape) == other;
  }
};

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_FUSIONNODE_H
