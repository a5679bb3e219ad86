// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spells out attention that no kernel computes, before other passes match its products and its softmax.

#include "compiler/graph/Passes.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/attention/SpelledAttention.h"
#include "dialects/plan/Notes.h"

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
    getOperation().walk([&](nn::AttentionOp op) {
      Type type = elementTypeOf(op.getQueries());
      if (op.isOfCodes() || (!all && !type.isF64() && shapeOf(op.getKeys()).back() <= most))
        return;
      OpBuilder builder(op);
      // Scores are f32 whatever the operands are, except for f64.
      op.replaceAllUsesWith(nn::spellAttention(builder, op, type.isF64() ? type : builder.getF32Type()).result);
      op.erase();
      ++numExpanded;
    });
  }
};

} // namespace
} // namespace nacre::graph
