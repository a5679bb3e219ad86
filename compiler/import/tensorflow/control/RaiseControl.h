// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raises the control flow of a TensorFlow graph: Switch and Merge to conditionals, frames to loops.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_RAISECONTROL_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_RAISECONTROL_H

#include "compiler/import/tensorflow/control/Flow.h"

#include <variant>

namespace nacre::importer::tensorflow_format {

/// Returns the raised graph, whose main part computes `outputs`, or the problem that prevents it. Operands and controls
/// are indices in `nodes`, which must outlive the result. Sides that a known predicate excludes are left out. The time
/// is O(n log n) for n nodes.
std::variant<RaisedGraph, ControlProblem> raiseControl(llvm::ArrayRef<ControlNode> nodes, llvm::ArrayRef<Port> outputs,
                                                       KnownPredicate getKnown);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_RAISECONTROL_H
