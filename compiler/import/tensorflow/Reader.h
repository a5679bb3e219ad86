// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the bytes of a TensorFlow model to a checked view.
//
// The reader parses the file, inlines the functions of its graph and checks the graph (CheckedGraph.h). For each
// requested signature it finds the part to compute (Section.h) and the values of its variables
// (saved/SavedVariables.h). A model may be malicious, and only this code reads its bytes. A model that it accepts is
// safe to read for all other code. A model that it refuses causes an error at a place in the model, never a crash.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_READER_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_READER_H

#include "compiler/import/tensorflow/Section.h"
#include "compiler/import/tensorflow/TrainingGraph.h"
#include "compiler/import/tensorflow/graph/File.h"
#include "compiler/import/tensorflow/saved/InlineCalls.h"
#include "compiler/import/tensorflow/saved/SavedVariables.h"
#include "compiler/import/tensorflow/saved/Signatures.h"
#include "compiler/import/tensorflow/saved/WrittenVariables.h"
#include "dialects/nn/Variables.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace nacre::importer::tensorflow_format {

/// A variable of an entry that keeps its value from run to run, because this or another entry writes it.
struct KeptVariable {
  int node;
  bool isAssigned;
  mlir::ElementsAttr initial = {};
  nn::VariableRole role = nn::VariableRole::Recurrent;
};

/// A function that the model offers.
struct TensorFlowEntry {
  llvm::StringRef name; ///< empty if the model has only one entry
  /// Tensors of the signature. `inputs` are the first inputs of the section, and `outputs` are all its outputs. Both
  /// are empty if the graph has no signature.
  std::vector<SignatureTensor> inputs, outputs;
  Section section;
  /// Variables that are the last inputs of the section. Assigned variables are also its last outputs.
  std::vector<KeptVariable> kept = {};
};

/// True if the user names tensors instead of a signature.
bool namesTensors(const ImportOptions &options);

class TensorFlowModel {
public:
  /// Reads a frozen graph, a MetaGraph or a saved model, in binary or text form. Errors are emitted at the node they
  /// concern.
  static mlir::FailureOr<std::unique_ptr<TensorFlowModel>> read(const ModelFile &file, const ImportOptions &options,
                                                                mlir::MLIRContext *context);

  const CheckedGraph &getGraph() const { return *graph; }
  llvm::ArrayRef<TensorFlowEntry> getEntries() const { return entries; }

  /// Returns a tensor of the file as a constant. Each call with the same tensor returns the same attribute. Errors are
  /// emitted at `loc`.
  mlir::FailureOr<mlir::ElementsAttr> readConstant(const tensorflow::TensorProto &tensor, llvm::StringRef name,
                                                   mlir::Location loc);
  /// Returns the value of the node `node`, which is a Const or a variable, as a constant.
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
  tensorflow::SavedModel saved;             ///< also used to wrap a file that contains only a graph or a MetaGraph
  tensorflow::MetaGraphDef *meta = nullptr; ///< the chosen graph of `saved`
  llvm::StringMap<int> wrapped;             ///< index of each variable's object, by the name of its node, for functions
                                            ///< without a signature
  CallResults calls;
  std::optional<CheckedGraph> graph;
  std::vector<TensorFlowEntry> entries;
  std::vector<std::vector<WrittenVariable>> written; ///< variables that each entry writes
  bool isTrained = false;                            ///< true if the entries `main`, `train` and `evaluate` are parts
                                                     ///< of one training graph
  std::optional<TrainingGraph> training;             ///< set if the model is a training graph
  llvm::StringMap<nn::VariableRole> roles;           ///< roles of the variables that optimizers change
  std::vector<std::string> impliedOutputs;           ///< default outputs, found before assignments are edited
  VariableEdits edits;
  SavedVariables variables;
  llvm::DenseMap<uint64_t, mlir::ElementsAttr> constants; ///< constants that were read, by the first payload of their
                                                          ///< elements
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_READER_H
