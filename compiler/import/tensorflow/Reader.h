// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of a TensorFlow model to a view that can be trusted.
//
// What: parses the file, inlines the functions of its graph, checks that (CheckedGraph.h), finds what of it is computed
//       (Section.h), for each signature that is asked for, and where its variables' values are (saved/SavedVariables.h).
// Why:  models come from strangers. This is the only code that meets their bytes; whatever it lets through is safe to
//       read, and whatever it refuses is an error at a place in the model, never a crash.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_READER_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_READER_H

#include "compiler/import/tensorflow/Section.h"
#include "compiler/import/tensorflow/TrainingGraph.h"
#include "compiler/import/tensorflow/graph/File.h"
#include "compiler/import/tensorflow/saved/InlineCalls.h"
#include "compiler/import/tensorflow/saved/SavedVariables.h"
#include "compiler/import/tensorflow/saved/Signatures.h"
#include "compiler/import/tensorflow/saved/WrittenVariables.h"

#include "llvm/ADT/DenseMap.h"

namespace nacre::importer::tensorflow_format {

/// A variable that is written: by this entry, or by another, and then read here.
struct KeptVariable {
  int node;
  bool isAssigned;
  mlir::ElementsAttr initial = {};
  nn::VariableRole role = nn::VariableRole::Recurrent;
};

/// A function that the model offers.
struct TensorFlowEntry {
  llvm::StringRef name; ///< empty where there is only one
  /// Of the first inputs and of all outputs of the section; none where the graph has no signature.
  std::vector<SignatureTensor> inputs, outputs;
  Section section;
  /// The last inputs of the section; those that are assigned are its last outputs.
  std::vector<KeptVariable> kept = {};
};

/// Whether the user names tensors, not a signature.
bool namesTensors(const ImportOptions &options);

class TensorFlowModel {
public:
  /// Reads a frozen graph, a MetaGraph or a saved model, as bytes or as text. Errors are emitted at the node they concern.
  static mlir::FailureOr<std::unique_ptr<TensorFlowModel>> read(const ModelFile &file, const ImportOptions &options,
                                                                mlir::MLIRContext *context);

  const CheckedGraph &getGraph() const { return *graph; }
  llvm::ArrayRef<TensorFlowEntry> getEntries() const { return entries; }

  /// A tensor of the file as a constant, the same attribute each time; errors are emitted at `loc`.
  mlir::FailureOr<mlir::ElementsAttr> readConstant(const tensorflow::TensorProto &tensor, llvm::StringRef name,
                                                   mlir::Location loc);
  /// The value of a Const, or of a variable.
  mlir::FailureOr<mlir::ElementsAttr> readConstant(int node, mlir::Location loc);

private:
  explicit TensorFlowModel(FileBytes bytes) : file(std::move(bytes)) {}

  mlir::LogicalResult parse(WireRoot root, const ImportOptions &options, mlir::Location loc);
  mlir::LogicalResult findEntries(const ImportOptions &options, mlir::Location loc);
  mlir::FailureOr<TensorFlowEntry> makeEntry(const Signature &signature, mlir::Location loc);
  mlir::LogicalResult findNamedEntry(const ImportOptions &options);
  mlir::LogicalResult findSignatures(llvm::ArrayRef<std::string> names, mlir::Location loc);
  mlir::FailureOr<bool> findTrainedEntries(const ImportOptions &options, mlir::Location loc);
  mlir::FailureOr<bool> findTrainedSignatures(mlir::Location loc);
  mlir::FailureOr<bool> findTrainedParts(const ImportOptions &options);
  mlir::FailureOr<std::vector<TensorId>> addWritten(llvm::ArrayRef<TensorId> inputs, std::vector<TensorId> outputs,
                                                    llvm::ArrayRef<int> last, llvm::StringRef what);
  void keepVariables();
  mlir::LogicalResult startKept();
  mlir::FailureOr<mlir::ElementsAttr> readInitial(int variable, std::optional<TensorId> given);
  mlir::LogicalResult bindVariables(llvm::StringRef prefix, mlir::Location loc);
  std::vector<int> findVariables(const TensorFlowEntry &entry) const;
  std::vector<int> findVariables() const;
  bool isKept(int variable) const;
  nn::VariableRole findRole(const KeptVariable &kept) const;
  mlir::LogicalResult startVariables(const ImportOptions &options, mlir::Location loc);

  TensorFlowFile file;
  tensorflow::SavedModel saved;             ///< around whatever the file holds
  tensorflow::MetaGraphDef *meta = nullptr; ///< of `saved`
  llvm::StringMap<int> wrapped;             ///< variables of functions without a signature: objects by node
  CallResults calls;
  std::optional<CheckedGraph> graph;
  std::vector<TensorFlowEntry> entries;
  std::vector<std::vector<WrittenVariable>> written; ///< by each entry
  bool isTrained = false;                            ///< the entries are those of a model that trains itself
  std::optional<TrainingGraph> training;             ///< of one that is no more than a graph
  llvm::StringMap<nn::VariableRole> roles;           ///< of variables that optimizers change
  std::vector<std::string> impliedOutputs;           ///< of a graph whose assignments are edited
  VariableEdits edits;
  SavedVariables variables;
  llvm::DenseMap<uint64_t, mlir::ElementsAttr> constants; ///< by where their elements begin
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_READER_H
