// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a graph's variables.
//
// What: a variable that nothing writes while the model runs is a constant, whose elements are in a checkpoint.
// How:  the key is what the graph's own restoring says (RestoredVariables.h); where a model has none, what its objects say
//       (ObjectKeys.h); at last the variable's name. What no checkpoint has may have a value that the graph gives it first.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_SAVEDVARIABLES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_SAVEDVARIABLES_H

#include "compiler/import/tensorflow/checkpoint/TensorBundle.h"
#include "compiler/import/tensorflow/saved/RestoredVariables.h"

#include "llvm/ADT/StringMap.h"

namespace nacre::importer::tensorflow_format {

/// The name that nodes of one variable share: its own, where it has no other.
llvm::StringRef getSharedName(const tensorflow::NodeDef &variable);

/// Makes one node of those that stand for one variable: whoever reads another reads the first.
void uniteVariables(tensorflow::GraphDef &graph);

class SavedVariables {
public:
  /// Those of a graph without a checkpoint.
  SavedVariables() = default;
  /// `objectKeys` are those of variables by their names.
  SavedVariables(std::unique_ptr<TensorBundle> bundle, llvm::DenseMap<int, CheckpointPart> restored,
                 llvm::StringMap<std::string> objectKeys)
      : bundle(std::move(bundle)), restored(std::move(restored)), objectKeys(std::move(objectKeys)) {}

  /// Where the checkpoint has the variable, if it has it.
  std::optional<CheckpointPart> find(const CheckedNode &variable, int id) const;

  /// The value, the same attribute each time. Errors are emitted at `loc`.
  mlir::FailureOr<mlir::ElementsAttr> read(const CheckedNode &variable, int id, mlir::Location loc);

private:
  std::unique_ptr<TensorBundle> bundle;
  llvm::DenseMap<int, CheckpointPart> restored;
  llvm::StringMap<std::string> objectKeys;
  llvm::StringMap<mlir::ElementsAttr> values; ///< by part
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_SAVEDVARIABLES_H
