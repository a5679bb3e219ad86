// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs of TensorFlow around one node, drawn at random.

#ifndef NACRE_TEST_UNIT_COMPILER_TENSORFLOWDRAW_H
#define NACRE_TEST_UNIT_COMPILER_TENSORFLOWDRAW_H

#include "test/unit/compiler/OperandDraw.h"

#include "tensorflow.pb.h"

namespace nacre {

/// A graph whose node `node` is of the operator `op`, whose operands `rules` describe.
tensorflow::GraphDef drawGraph(Draw &draw, llvm::StringRef op, llvm::ArrayRef<importer::OperandRule> rules);

/// Gives the node what its operator needs, and now and then something else. `rank` is its first operand's.
void addAttributes(Draw &draw, tensorflow::NodeDef &node, size_t rank);

} // namespace nacre

#endif // NACRE_TEST_UNIT_COMPILER_TENSORFLOWDRAW_H
