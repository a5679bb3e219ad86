// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds dropout to tensors that the user names. Graphs that are exported for inference lack operators that only training
// needs. All nodes that read such a tensor read the result of the dropout, as if the model had a dropout node there.

#ifndef NACRE_COMPILER_IMPORT_TRAINING_ADDEDDROPOUTS_H
#define NACRE_COMPILER_IMPORT_TRAINING_ADDEDDROPOUTS_H

#include "compiler/import/builder/OpenWeights.h"

#include "llvm/ADT/StringSet.h"

namespace nacre::importer {

class AddedDropouts {
public:
  explicit AddedDropouts(const TrainedEntry &entry) : entry(entry) {}

  /// Returns `value`, the tensor called `name`, after its dropout. Returns `value` itself if it has no dropout, or null
  /// after an error at the location of `nn`.
  mlir::Value apply(llvm::StringRef name, mlir::Value value, NnBuilder nn);

  /// Reports an error if a tensor with a dropout was not found. `known` has all tensors of the graph.
  llvm::LogicalResult check(const llvm::StringMap<mlir::Value> &known, const OpenWeights &weights,
                            mlir::Location loc) const;

private:
  const TrainedEntry &entry;
  llvm::StringSet<> met;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_TRAINING_ADDEDDROPOUTS_H
