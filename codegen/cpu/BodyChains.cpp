// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/BodyChains.h"

using namespace mlir;

namespace nacre::codegen::cpu {

BodyChains::BodyChains(Block &body, const Target &target) {
  constexpr ChainReader readers[] = {readQuantizedChain, readFixedPointChain, readTableChain};
  llvm::DenseSet<Value> beginnings;
  // Go through the body backwards: users come before their operands, and longer chains before shorter ones.
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    const bool isPart =
        llvm::all_of(op.getUsers(), [&](Operation *user) { return covered.contains(user) || chains.contains(user); });
    if (!op.use_empty() && isPart && op.getNumResults() == 1 && !beginnings.contains(op.getResult(0))) {
      covered.insert(&op);
      continue;
    }
    for (ChainReader read : readers)
      if (std::optional<BodyChain> chain = read(&op, target)) {
        beginnings.insert(chain->operands.begin(), chain->operands.end());
        chains.insert({&op, std::move(*chain)});
        break;
      }
  }
}

const BodyChain *BodyChains::endingIn(Operation *op) const {
  auto found = chains.find(op);
  return found == chains.end() ? nullptr : &found->second;
}

} // namespace nacre::codegen::cpu
