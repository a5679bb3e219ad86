// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Largest values that the user states for sizes that only a run decides (`--bound`).
//
// All nodes that read such a tensor read the minimum of the tensor and its bound, so that no size exceeds the memory
// that is planned. The entry returns the tensor itself as well, and a run fails if it is larger.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_GIVENBOUNDS_H
#define NACRE_COMPILER_IMPORT_ENTRY_GIVENBOUNDS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

class GivenBounds {
public:
  /// Serves all entries of a model, whose nodes share `shared`.
  GivenBounds(const ImportOptions &options, ImportState &shared) : bounds(options.bounds), shared(shared) {}

  /// Returns `value`, the tensor called `name`, but at most its bound. Returns `value` itself if it has no bound, or
  /// null after an error at the location of `nn`.
  mlir::Value apply(llvm::StringRef name, mlir::Value value, NnBuilder nn);

  /// Appends the bounded sizes of the entry to `results`, and clears the list of sizes. Returns their notes.
  llvm::SmallVector<mlir::Attribute> addSizes(llvm::SmallVectorImpl<mlir::Value> &results, mlir::Builder &builder);

  /// Notes the names of the tensors of a graph, for suggestions.
  void noteNames(const llvm::StringMap<mlir::Value> &known);
  /// Reports an error if no entry has a tensor with a bound, or if a bound decides no size.
  llvm::LogicalResult check(mlir::Location loc) const;

private:
  struct GivenSize {
    mlir::Value size; ///< i64 scalar, as the model computes it
    const std::pair<const std::string, int64_t> *bound;
  };
  const std::map<std::string, int64_t> &bounds;
  ImportState &shared;
  llvm::SmallVector<GivenSize> sizes;
  llvm::StringSet<> met, names;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_GIVENBOUNDS_H
