// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuses matmul(softmax(scale * matmul(q, k) + mask), v) to one nn.attention, of floats or of codes. In one kernel, the
// scores of some rows never leave a core or a workgroup. One launch replaces three, or nine for codes with zero points.

#ifndef NACRE_COMPILER_GRAPH_ATTENTION_FUSEATTENTION_H
#define NACRE_COMPILER_GRAPH_ATTENTION_FUSEATTENTION_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace nacre::graph {

struct AttentionParts {
  nn::MatMulOp first, second;
  nn::SoftmaxOp softmax;
  double scale;
  mlir::Value mask; ///< Null if there is no mask.
};

/// Returns the parts of attention whose weights `softmax` computes and `second` multiplies, directly or as codes. No
/// other operator may read a part. `softmax` may be null.
std::optional<AttentionParts> matchAttention(nn::MatMulOp second, nn::SoftmaxOp softmax, int64_t mostKeys);

/// Creates the attention of `parts`. The parts remain. `codes` is null for floats.
nn::AttentionOp createAttention(mlir::OpBuilder &builder, const AttentionParts &parts, mlir::Value queries,
                                mlir::Value keys, mlir::Value values, mlir::ArrayAttr codes);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_ATTENTION_FUSEATTENTION_H
