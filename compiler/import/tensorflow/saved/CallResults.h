// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that compute the results of inlined calls.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_CALLRESULTS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_CALLRESULTS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <cstdint>
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

  /// Resolves results that are results of other calls. Then each result is the tensor that computes it.
  void settle();

  /// Returns the tensor that computes a call's result; null if `tensor` is not a result of a call.
  std::string *find(llvm::StringRef tensor);

  llvm::StringMap<std::vector<std::string>> results;
  size_t numOwn = SIZE_MAX; ///< number of nodes before functions were inlined
  llvm::StringSet<> given;  ///< names of nodes that compute results of the graph's own calls
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_CALLRESULTS_H
