// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs without calls: what a function computes stands where it is called.
//
// What: PartitionedCall, StatefulPartitionedCall and nodes whose operator is a function of the graph's library are replaced by
//       the nodes of that function, called `call/node`. What reads a call's results reads what computes them. Branches and
//       loops whose sides are functions are lowered on the way (FunctionalControl.h).
// Why:  a saved model wraps every signature, and every layer, in functions. Behind this no one needs to know: a variable is
//       passed to a function as a handle, and becomes the handle itself.
// How:  on the messages, before names are checked. What all calls come to is counted first, and functions that call
//       themselves are refused. A call stays behind as a NoOp that waits for all that the call did.

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

/// The tensors that calls gave, by the name of the call.
class CallResults {
public:
  /// Whether a node is the graph's own, or computes what a call gives there: what else functions compute is theirs.
  bool isOutermost(size_t node, llvm::StringRef name) const { return node < numOwn || given.contains(name); }

  /// The tensor that stands for `name` or `name:k`: itself where it is no call's. Nothing where the call has no such
  /// result, or where calls give one another's results in a circle.
  std::optional<std::string> resolve(llvm::StringRef tensor) const;

  bool isEmpty() const { return results.empty(); }

private:
  friend class CallInliner;

  /// The tensor that stands for a call's result; null where the name is none of one.
  std::string *find(llvm::StringRef tensor);

  llvm::StringMap<std::vector<std::string>> results;
  size_t numOwn = SIZE_MAX; ///< nodes of the graph before any of a function
  llvm::StringSet<> given;  ///< names of nodes whose results the graph's own calls give
};

/// Replaces the calls in `graph`, whose library stays. Errors are emitted at the call, in `modelLoc`.
mlir::FailureOr<CallResults> inlineCalls(tensorflow::GraphDef &graph, mlir::Location modelLoc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_INLINECALLS_H
