// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inlines the calls of a graph.
//
// PartitionedCall, StatefulPartitionedCall and nodes whose operator is a function of the graph's library are replaced
// by the nodes of that function, named `call/node`. Readers of a call's results then read the tensors that compute
// them. Branches and loops that call functions are also lowered (FunctionalControl.h). A NoOp with the name of the call
// remains. It waits for all side effects of the call.
//
// A saved model wraps every signature and every layer in functions. After inlining, later code need not know functions:
// the argument for a variable's handle becomes the handle itself. The protobuf messages are changed before names are
// checked. The resulting nodes are counted first, and functions that call themselves are refused.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_INLINECALLS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_INLINECALLS_H

#include "compiler/import/tensorflow/saved/CallResults.h"

#include "mlir/IR/Location.h"
#include "tensorflow.pb.h"
#include "llvm/Support/LogicalResult.h"

namespace nacre::importer::tensorflow_format {

/// Inlines the calls in `graph`. The functions stay in its library. Errors are emitted at the call, in `modelLoc`.
mlir::FailureOr<CallResults> inlineCalls(tensorflow::GraphDef &graph, mlir::Location modelLoc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_INLINECALLS_H
