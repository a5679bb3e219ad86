// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a model after the user's options are applied. Each input has a static shape, or a value.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_SETTLEDINPUTS_H
#define NACRE_COMPILER_IMPORT_ENTRY_SETTLEDINPUTS_H

#include "compiler/import/model/GraphView.h"
#include "compiler/import/options/ImportOptions.h"
#include "dialects/nn/Variables.h"

namespace nacre::importer {

/// Axis to which `--shape` gives another size than the model states. It is the batch, if every operator allows it.
struct NewBatch {
  int64_t axis, stated, wanted;

  /// True if the axis is probably the batch.
  bool isLikely() const { return axis == 0; }
  /// Returns the text of the error for an axis that is not a batch.
  std::string describe() const;
};

struct SettledInput {
  llvm::StringRef name;
  llvm::StringRef source;                              ///< name of the tensor in the graph
  mlir::RankedTensorType type;                         ///< null after an error
  mlir::ElementsAttr value;                            ///< null if the value comes at run time
  llvm::StringRef variable;                            ///< variable that the input holds; empty if it is not a variable
  mlir::ElementsAttr initial;                          ///< initial value of that variable
  nn::VariableRole role = nn::VariableRole::Recurrent; ///< role of the variable
  std::optional<NewBatch> batch;                       ///< change of the batch; `type` still has the stated size
  std::optional<int64_t> emptiedAxis;                  ///< open axis whose size `--shape` sets to 0
};

struct SettledInputs {
  llvm::SmallVector<SettledInput> inputs;
  llvm::StringMap<int64_t> symbols; ///< sizes of open dimensions that have a name
  int64_t statedBatch = 0;          ///< batch that the model or `--shape` states; 0 if it is open
  bool changesBatch = false;        ///< true if any input has a new batch, and all new batches agree
  bool hasFailed = false;
};

/// Determines the shapes and values of all inputs of a graph that are not constants, in order. If `--shape` sets a
/// symbolic dimension for one input, all inputs use that size. A first dimension without a size becomes 1, with a
/// remark. Reports every error, and one error for all missing shapes together. Calls `beforeAsking` before that one, to
/// report errors that no shape can fix.
SettledInputs settleInputs(ModelView &model, GraphView &graph, const ImportOptions &options,
                           llvm::function_ref<void()> beforeAsking);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_SETTLEDINPUTS_H
