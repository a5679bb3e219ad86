// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view of a graph in which branches and loops are single nodes with subgraphs. The importer walks over this view.
//
// Switch, Merge, Enter and the like are not nodes of this view. A conditional is one node of the operator Merge, with
// the graphs `then` and `else`. A loop is one node of LoopCond, with the graphs `condition` and `body`. Nodes,
// attributes and constants come from the flat view of the file. This view tells to which graph each node belongs, and
// which values it reads (control/RaiseControl.h).

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_RAISEDVIEW_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_RAISEDVIEW_H

#include "compiler/import/model/GraphView.h"
#include "compiler/import/tensorflow/Section.h"

namespace nacre::importer::tensorflow_format {

/// True if the section has control flow to raise.
bool hasControlFlow(const CheckedGraph &graph, const Section &section);

/// Returns the view of the raised graph. `flat` is the view of `section`, with the same order of nodes. `flat` and
/// `graph` must outlive the result and all views opened from it. Errors are emitted at the node they concern.
mlir::FailureOr<std::unique_ptr<GraphView>> raiseView(GraphView &flat, const CheckedGraph &graph,
                                                      const Section &section);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_RAISEDVIEW_H
