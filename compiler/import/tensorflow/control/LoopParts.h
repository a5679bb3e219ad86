// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the part that computes some values of a loop, or of the graph around all loops.
//
// Everything that the results need is put into the part, or into a side of a conditional inside it.
//
// - Needed units are ordered, each after the units that it needs. These are nodes, inner loops as a whole, and steps of
//   Merges.
// - Independent steps of one predicate and one guard become one conditional. For each step, the steps before it are
//   counted, by the number of conditionals around them. Steps with equal counts are independent.
// - From the results backwards, each unit goes to the innermost side that contains all its readers, as far as its
//   guards allow. Nodes that TensorFlow computes in any case are not moved into a side.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPPARTS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPPARTS_H

#include "compiler/import/tensorflow/control/Flow.h"

namespace nacre::importer::tensorflow_format {

/// Facts about a raised loop frame.
struct FrameLoop {
  unsigned loop = Port::none; ///< index among the loops of the raised graph
  Guards::Guard guard = Guards::always;
};

/// Builds the part of `frame` that computes `results`, which are traced and need no other guards than `guard`. Inner
/// loops are already raised. Values that are read from outer frames are added to `captures`.
std::optional<ControlProblem> buildPart(Flow &flow, llvm::ArrayRef<FrameLoop> loops, unsigned frame,
                                        llvm::ArrayRef<Port> results, RaisedGraph &graph, RaisedPart &part,
                                        std::vector<Port> &captures);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPPARTS_H
