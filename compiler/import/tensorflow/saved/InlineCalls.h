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
  /// True if the node with the index `node` was in the graph before inlining, or computes a result of a call there.
  /// Other nodes are inside functions.
  bool isOutermost(size_t node, llvm::StringRef name) const { return node < numOwn || given.contains(name); }

  /// Returns the tensor that computes `name` or `name:k`. It is the same name if that is not a result of a call.
  /// Returns nullopt if the call has no such result, or if calls return one another's results in a cycle.
  std::optional<std::string> resolve(llvm::StringRef tensor) const;

  bool isEmpty() const { return results.empty(); }

private:
  friend class CallInliner;

  /// Returns the tensor that computes a call's result; null if `tensor` is not a result of a call.
  std::string *find(llvm::StringRef tensor);

  llvm::StringMap<std::vector<std::string>> results;
  size_t numOwn = SIZE_MAX; ///< number of nodes before functions were inlined
  llvm::StringSet<> given;  ///< names of nodes that compute results of the graph's own calls
};

/// Inlines the calls in `graph`. The functions stay in its library. Errors are emitted at the call, in `modelLoc`.
mlir::FailureOr<CallResults> inlineCalls(tensorflow::GraphDef &graph, mlir::Location modelLoc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_INLINECALLS_H
