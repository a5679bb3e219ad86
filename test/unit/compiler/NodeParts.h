// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of drawn nodes that only their operator explains.

#ifndef NACRE_TEST_UNIT_COMPILER_NODEPARTS_H
#define NACRE_TEST_UNIT_COMPILER_NODEPARTS_H

#include "test/unit/compiler/NodeDraw.h"

namespace nacre {

/// Says the name and the type of a value.
void setType(onnx::ValueInfoProto &info, const std::string &name, int32_t type, const std::vector<int64_t> &shape);

/// Adds an initializer of `shape` whose elements are drawn, of a type of which `maybeConstant` holds: one that keeps
/// its elements as varints or floats.
void addConstant(Draw &draw, onnx::GraphProto &graph, const std::string &name, int32_t type,
                 const std::vector<int64_t> &shape);
bool maybeConstant(int32_t type);

/// Adds a node that gives as many rows of an input as a run finds. From version 9 on.
void addOpen(onnx::GraphProto &graph, const std::string &name, int32_t type, const std::vector<int64_t> &shape);

/// The graphs that an operator has as attributes.
void addGraphs(onnx::NodeProto &node, int64_t version);

/// Adds a node that makes the sequence `name` of one tensor, whose name is returned.
std::string addSequence(onnx::GraphProto &graph, const std::string &name);

/// The name of a tensor that the model can have as its output for `result` of `op`: of a sequence, its length.
std::string measureSequence(onnx::GraphProto &graph, llvm::StringRef op, const std::string &result);

/// Gives a required attribute, drawn by its name, what its name does not tell: it is of another kind for this operator,
/// whose first operand has the shape `x`.
void settleAttribute(Draw &draw, onnx::AttributeProto &attribute, llvm::StringRef op, int64_t version,
                     const std::vector<int64_t> &x);

} // namespace nacre

#endif // NACRE_TEST_UNIT_COMPILER_NODEPARTS_H
