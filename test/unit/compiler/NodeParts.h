// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of drawn nodes that their operator alone explains.

#ifndef NACRE_TEST_UNIT_COMPILER_NODEPARTS_H
#define NACRE_TEST_UNIT_COMPILER_NODEPARTS_H

#include "test/unit/compiler/NodeDraw.h"

namespace nacre {

/// The graphs that an operator has as attributes.
void addGraphs(onnx::NodeProto &node, int64_t version);

/// Gives a required attribute, drawn by its name, what its name does not tell: it is of another kind for this operator,
/// whose first operand has the shape `x`.
void settleAttribute(Draw &draw, onnx::AttributeProto &attribute, llvm::StringRef op, int64_t version,
                     const std::vector<int64_t> &x);

} // namespace nacre

#endif // NACRE_TEST_UNIT_COMPILER_NODEPARTS_H
