// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spells out attention that no kernel computes, before other passes match its products and its softmax.

#include "compiler/graph/Passes.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/attention/SpelledAttention.h"
#include "dialects/plan/Notes.h"

#include <algorithm>

namespace nacre::graph {
#define GEN_PASS_DEF_EXPANDATTENTIONPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

struct ExpandAttention : impl::ExpandAttentionPassBase<ExpandAttention> {
  using ExpandAttentionPassBase::ExpandAttentionPassBase;

  void runOnOperation() override {
    const int64_t most = plan::isOnCpu(getOperation()) ? int64_t(mostKeys) : std::min<int64_t>(mostKeys, mostKeysOnGpu);
    SmallVector<nn::AttentionOp> expanded;
    getOperation().walk([&](nn::AttentionOp op) {
      const bool hasKernel = !elementTypeOf(op.getQueries()).isF64() && shapeOf(op.getKeys()).back() <= most;
      if (!op.isOfCodes() && (all || !hasKernel))
        expanded.push_back(op);
    });
    for (nn::AttentionOp op : expanded) {
      OpBuilder builder(op);
      // Scores are f32 whatever the operands are, except for f64.
      Type scores = elementTypeOf(op.getQueries()).isF64() ? Type() : Type(builder.getF32Type());
      op.replaceAllUsesWith(nn::spellAttention(builder, op, scores).result);
      op.erase();
      ++numExpanded;
    }
  }
};

} // namespace

} // namespace nacre::graph
