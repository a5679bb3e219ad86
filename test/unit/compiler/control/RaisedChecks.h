// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules for every raised graph, and the results of graphs, before and after.

#ifndef NACRE_TEST_UNIT_COMPILER_CONTROL_RAISEDCHECKS_H
#define NACRE_TEST_UNIT_COMPILER_CONTROL_RAISEDCHECKS_H

#include "compiler/import/tensorflow/control/ControlGraph.h"

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace nacre::importer::tensorflow_format {

/// Returns the fault of a raised graph: a part must read only values that it, or a part around, has computed before,
/// and captures must be told in full. Empty where all is well.
std::string findFault(llvm::ArrayRef<ControlNode> nodes, const RaisedGraph &graph);

/// The values of all nodes are numbers: an operator without operands is one by its name, and `salt`; others mix those
/// of their operands. A predicate is odd or even.
using Number = uint32_t;

/// Runs the nodes as TensorFlow does. Returns no result if a value is dead, two values come to a Merge at once,
/// or a loop has too many iterations.
std::optional<Number> runNodes(llvm::ArrayRef<ControlNode> nodes, Port output, Number salt);
/// The same of the raised graph.
std::optional<std::vector<Number>> runRaised(llvm::ArrayRef<ControlNode> nodes, const RaisedGraph &graph, Number salt);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_TEST_UNIT_COMPILER_CONTROL_RAISEDCHECKS_H
