// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of attention and of the operators around it. Each operand fits only the others.

#ifndef NACRE_TEST_UNIT_COMPILER_ATTENTIONSHAPES_H
#define NACRE_TEST_UNIT_COMPILER_ATTENTIONSHAPES_H

#include "test/unit/compiler/NodeDraw.h"

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace nacre {

/// The shape of operand `index` of `op`, whose first operand has this name (two operators may be called alike); nothing
/// for operators that are not here.
std::optional<std::vector<int64_t>> getAttentionShape(llvm::StringRef op, llvm::StringRef firstOperand, size_t index);

/// Draws the attributes of such an operator: its numbers of heads, and some of the others.
void addAttentionAttributes(Draw &draw, onnx::NodeProto &node, llvm::StringRef firstOperand);

} // namespace nacre

#endif // NACRE_TEST_UNIT_COMPILER_ATTENTIONSHAPES_H
