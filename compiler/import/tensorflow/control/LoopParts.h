// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the part that computes some values of a loop, or of the graph around all loops.
//
// Each node that the results depend on is put into the part, or into a side of a conditional inside the part.
//
// - Units are nodes, whole inner loops, and steps of Merges. All needed units are ordered, each after the units that it
//   depends on.
// - Independent steps with the same predicate and the same guard become one conditional. To find them, the steps that
//   each step depends on are counted, for each number of conditionals around them. Steps with equal counts are
//   independent.
// - From the results backwards, each unit is moved to the innermost side that contains all its readers and that its
//   guard allows. Nodes that TensorFlow always computes are not moved into a side.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPPARTS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPPARTS_H

#include "compiler/import/tensorflow/control/Flow.h"

namespace nacre::importer::tensorflow_format {

/// Facts about a raised loop frame.
struct FrameLoop {
  unsigned loop = Port::none; ///< index among the loops of the raised graph
  Guards::Guard guard = Guards::always;
};

/// Builds the part of the frame `frame` that computes `results`. They must be traced (Flow::trace), and the frame's
/// guard must imply their guards. Inner loops must already be raised. Values that the part reads from outer frames are
/// added to `captures`.
std::optional<ControlProblem> buildPart(Flow &flow, llvm::ArrayRef<FrameLoop> loops, unsigned frame,
                                        llvm::ArrayRef<Port> results, RaisedGraph &graph, RaisedPart &part,
                                        std::vector<Port> &captures);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPPARTS_H
