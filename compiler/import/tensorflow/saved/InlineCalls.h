// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inlines the calls of a graph.
//
// PartitionedCall, StatefulPartitionedCall and nodes whose operator is a function of the graph's library are replaced
// by the nodes of that function, named `call/node`. Readers of a call's results then read the tensors that compute
// them. Branches and loops made of functions are lowered on the way (FunctionalControl.h). A NoOp with the name of the
// call remains; it waits for everything that the call does.
//
// A saved model wraps every signature and every layer in functions. After inlining, no reader needs to know this: the
// argument for a variable's handle becomes the handle itself. The messages are changed before names are checked. The
// number of all resulting nodes is counted first, and functions that call themselves are refused.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_INLINECALLS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_INLINECALLS_H

#include "mlir/IR/Location.h"
#include "tensorflow.pb.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/LogicalResult.h"
#include <optional>
#include <string>
#include <vector>

namespace nacre::importer::tensorflow_format {

/// Results of the inlined calls: tensors by the name of the call.
class CallResults {
public:
  /// True if a node is the graph's own, or computes a result of one of its own calls. Other nodes are inside functions.
  bool isOutermost(size_t node, llvm::StringRef name) const { return node < numOwn || given.contains(name); }

  /// Returns the tensor that `name` or `name:k` stands for, which is itself if it is not the result of a call. Returns
  /// nullopt if the call has no such result, or if calls return one another's results in a cycle.
  std::optional<std::string> resolve(llvm::StringRef tensor) const;

  bool isEmpty() const { return results.empty(); }

private:
  friend class CallInliner;

  /// Returns the tensor for a call's result, or null if the name is not such a result.
  std::string *find(llvm::StringRef tensor);

  llvm::StringMap<std::vector<std::string>> results;
  size_t numOwn = SIZE_MAX; ///< number of nodes before functions were inlined
  llvm::StringSet<> given;  ///< names of nodes that compute results of the graph's own calls
};

/// Inlines the calls in `graph`, which keeps its library. Errors are emitted at the call, in `modelLoc`.
mlir::FailureOr<CallResults> inlineCalls(tensorflow::GraphDef &graph, mlir::Location modelLoc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_INLINECALLS_H
