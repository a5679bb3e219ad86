// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes as nodes of any operator may have them.

#ifndef NACRE_TEST_UNIT_COMPILER_NODEATTRIBUTES_H
#define NACRE_TEST_UNIT_COMPILER_NODEATTRIBUTES_H

#include "test/unit/compiler/NodeDraw.h"

#include <vector>

namespace nacre {

/// A name that some operator knows.
llvm::StringRef drawAttributeName(Draw &draw);

/// Adds the attribute of that name, with a value that means something to some operator; `rank` is that of the first
/// operand.
void addAttribute(Draw &draw, onnx::NodeProto &node, llvm::StringRef name, size_t rank);

/// Attributes without which an operator computes nothing.
std::vector<const char *> requiredAttributes(llvm::StringRef op, int64_t version);

} // namespace nacre

#endif // NACRE_TEST_UNIT_COMPILER_NODEATTRIBUTES_H
