// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raises the control flow of a graph of TensorFlow: Switch and Merge to conditionals, frames to loops.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_RAISECONTROL_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_RAISECONTROL_H

#include "compiler/import/tensorflow/control/Flow.h"

#include <variant>

namespace nacre::importer::tensorflow_format {

/// What computes `outputs`, which are the results of its main part; operands and controls are places in `nodes`, which must
/// outlive the result. What a predicate that is known does not choose is left out. Takes time n log n.
std::variant<RaisedGraph, ControlProblem> raiseControl(llvm::ArrayRef<ControlNode> nodes, llvm::ArrayRef<Port> outputs,
                                                       KnownPredicate getKnown);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_RAISECONTROL_H
