// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph whose control flow is raised, as the walk over a model sees it.
//
// What: Switch, Merge, Enter and their kin are no nodes any more. A conditional is one node, which the operator Merge stands
//       for, with the graphs `then` and `else`; a loop is one of LoopCond with the graphs `condition` and `body`.
// How:  the view of the graph as it is in the file still answers for nodes, attributes and constants; this one says which of
//       them are where, and what they read (control/RaiseControl.h).

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_RAISEDVIEW_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_RAISEDVIEW_H

#include "compiler/import/model/GraphView.h"
#include "compiler/import/tensorflow/Section.h"

namespace nacre::importer::tensorflow_format {

/// Whether there is control flow to raise.
bool hasControlFlow(const CheckedGraph &graph, const Section &section);

/// The view of the raised graph; `flat` is that of the section, whose nodes it has in their order. Both must live as long as
/// the result, and what is opened from it. Errors are emitted at the node they concern.
mlir::FailureOr<std::unique_ptr<GraphView>> raiseView(GraphView &flat, const CheckedGraph &graph,
                                                      const Section &section);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_RAISEDVIEW_H
