// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What some values of a loop, or of the graph around all loops, are computed by: a part, with its conditionals.
//
// What: everything that the results need is put into the part, or into the side of a conditional inside it.
// How:  1. What is needed, each behind what it needs: nodes, loops inside as a whole, and the steps of Merges.
//       2. Steps of one predicate and one guard become one conditional where none depends on another: of each step it is
//          counted how many others are before it, in how many conditionals; equal counts are independent.
//       3. From the results backwards everything goes to the innermost side that holds all its readers, as far as what
//          guards it allows: what TensorFlow computes in any case is not moved into a side.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPPARTS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPPARTS_H

#include "compiler/import/tensorflow/control/Flow.h"

namespace nacre::importer::tensorflow_format {

/// What is known of a loop frame, once it is raised.
struct FrameLoop {
  unsigned loop = Port::none; ///< among the loops of the raised graph
  Guards::Guard guard = Guards::always;
};

/// The part of the frame `frame` that computes `results`, which are traced; it must not be guarded by more than `guard`. Loops
/// inside are raised already. What is read of frames around is added to `captures`.
std::optional<ControlProblem> buildPart(Flow &flow, llvm::ArrayRef<FrameLoop> loops, unsigned frame,
                                        llvm::ArrayRef<Port> results, RaisedGraph &graph, RaisedPart &part,
                                        std::vector<Port> &captures);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPPARTS_H
