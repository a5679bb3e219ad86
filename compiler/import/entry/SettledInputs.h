// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a model, with the options that the user sets for them. Each has a static shape, or a value.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_SETTLEDINPUTS_H
#define NACRE_COMPILER_IMPORT_ENTRY_SETTLEDINPUTS_H

#include "compiler/import/model/GraphView.h"
#include "compiler/import/options/ImportOptions.h"
#include "dialects/nn/Variables.h"

namespace nacre::importer {

/// Axis for which `--shape` wants another size than the model states: the batch, if every operator allows it.
struct NewBatch {
  int64_t axis, stated, wanted;

  /// True if the axis is probably the batch.
  bool isLikely() const { return axis == 0; }
  /// Returns the error if the axis is not a batch.
  std::string describe() const;
};

struct SettledInput {
  llvm::StringRef name;
  llvm::StringRef source;                              ///< name in the graph
  mlir::RankedTensorType type;                         ///< null after an error
  mlir::ElementsAttr value;                            ///< null if the value comes at run time
  llvm::StringRef variable;                            ///< variable whose value it is; empty for an input
  mlir::ElementsAttr initial;                          ///< initial value of the variable
  nn::VariableRole role = nn::VariableRole::Recurrent; ///< role of the variable
  std::optional<NewBatch> batch;                       ///< change of the batch; `type` still has the stated size
  std::optional<int64_t> emptiedAxis;                  ///< open axis to which `--shape` gives no elements
};

struct SettledInputs {
  llvm::SmallVector<SettledInput> inputs;
  llvm::StringMap<int64_t> symbols; ///< sizes of open dimensions that have a name
  int64_t statedBatch = 0;          ///< batch that the model or `--shape` states; 0 if it is open
  bool changesBatch = false;        ///< true if an input has a new batch, and all that have one agree
  bool hasFailed = false;
};

/// Settles all inputs of a graph that are not constants, in order. A symbolic dimension takes the size that `--shape`
/// gives it for any input. A first dimension without a size becomes 1, with a remark. Reports every error, and one
/// error with all missing shapes. `beforeAsking` is called before that, to report errors that no shape can cure.
SettledInputs settleInputs(ModelView &model, GraphView &graph, const ImportOptions &options,
                           llvm::function_ref<void()> beforeAsking);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_SETTLEDINPUTS_H
