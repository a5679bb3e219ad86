// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a graph's variables.
//
// A variable that no node writes while the model runs is a constant; its elements are in a checkpoint. Its key comes
// from the graph's restore nodes (RestoredVariables.h), or else from the model's objects (ObjectKeys.h). Without both,
// the key is the variable's name. A variable that is not in the checkpoint may have an initial value in the graph.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_SAVEDVARIABLES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_SAVEDVARIABLES_H

#include "compiler/import/tensorflow/checkpoint/TensorBundle.h"
#include "compiler/import/tensorflow/saved/RestoredVariables.h"

#include "llvm/ADT/StringMap.h"

namespace nacre::importer::tensorflow_format {

/// Returns the name that all nodes of a variable share, or the node's own name if it has no shared name.
llvm::StringRef getSharedName(const tensorflow::NodeDef &variable);

/// Merges the nodes of each variable: all readers then read the variable's first node.
void uniteVariables(tensorflow::GraphDef &graph);

class SavedVariables {
public:
  /// Creates the variables of a graph without a checkpoint, which have no values.
  SavedVariables() = default;
  /// Creates the variables of a graph with a checkpoint. `objectKeys` has keys by the names of variables.
  SavedVariables(std::unique_ptr<TensorBundle> bundle, llvm::DenseMap<int, CheckpointPart> restored,
                 llvm::StringMap<std::string> objectKeys)
      : bundle(std::move(bundle)), restored(std::move(restored)), objectKeys(std::move(objectKeys)) {}

  /// Returns the variable's part of the checkpoint, or nullopt if the checkpoint does not contain the variable.
  std::optional<CheckpointPart> find(const CheckedNode &variable, int id) const;

  /// Returns the variable's value. Each call returns the same attribute. Errors are emitted at `loc`.
  mlir::FailureOr<mlir::ElementsAttr> read(const CheckedNode &variable, int id, mlir::Location loc);

private:
  std::unique_ptr<TensorBundle> bundle;
  llvm::DenseMap<int, CheckpointPart> restored;
  llvm::StringMap<std::string> objectKeys;
  llvm::StringMap<mlir::ElementsAttr> values; ///< values that were read, by their part of the checkpoint
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_SAVEDVARIABLES_H
