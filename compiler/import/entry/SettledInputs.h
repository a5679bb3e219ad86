// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a model, with what the user says about them: each has a static shape, or a value.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_SETTLEDINPUTS_H
#define NACRE_COMPILER_IMPORT_ENTRY_SETTLEDINPUTS_H

#include "compiler/import/model/GraphView.h"
#include "compiler/import/options/ImportOptions.h"
#include "dialects/nn/Variables.h"

namespace nacre::importer {

/// An axis whose size the model states, and for which `--shape` wants another one: the batch, if every operator allows it.
struct NewBatch {
  int64_t axis, stated, wanted;

  /// Whether nothing but the batch is likely to be there.
  bool isLikely() const { return axis == 0; }
  /// What is wrong if it is no batch.
  std::string describe() const;
};

struct SettledInput {
  llvm::StringRef name;
  llvm::StringRef source;                              ///< what the graph calls it
  mlir::RankedTensorType type;                         ///< null after an error
  mlir::ElementsAttr value;                            ///< null where the value comes when the model runs
  llvm::StringRef variable;                            ///< whose value it is; empty where it is an input
  mlir::ElementsAttr initial;                          ///< what the variable is at first
  nn::VariableRole role = nn::VariableRole::Recurrent; ///< and what it is for
  std::optional<NewBatch> batch;                       ///< of which `type` has the stated size
  std::optional<int64_t> emptiedAxis;                  ///< an open axis that `--shape` gives no elements
};

struct SettledInputs {
  llvm::SmallVector<SettledInput> inputs;
  llvm::StringMap<int64_t> symbols; ///< the sizes that open dimensions with a name have taken
  int64_t statedBatch = 0;          ///< the batch that the model states, or the user by `--shape`; 0: it is open
  bool changesBatch = false;        ///< an input has a new batch, and all that have one agree
  bool hasFailed = false;
};

/// Settles all inputs of a graph of the model that are not constants, in its order. A symbolic dimension takes the size that `--shape`
/// gives it for any input; a first one without takes 1, with a remark. Reports every error, and what must be given with
/// `--shape` in one. `beforeAsking` is called before that, to report what no shape cures.
SettledInputs settleInputs(ModelView &model, GraphView &graph, const ImportOptions &options,
                           llvm::function_ref<void()> beforeAsking);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_SETTLEDINPUTS_H
