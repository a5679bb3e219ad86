// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the bytes of a TensorFlow model to a checked view.
//
// The reader parses the file, inlines the functions of its graph and checks the graph (CheckedGraph.h). For each
// requested signature it finds the part to compute (Section.h) and the values of its variables
// (saved/SavedVariables.h). Models come from strangers, and only this code reads their bytes. Everything that it
// accepts is safe to read; everything that it refuses is an error at a place in the model, never a crash.

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

/// A variable that an entry reads and that this or another entry writes.
struct KeptVariable {
  int node;
  bool isAssigned;
  mlir::ElementsAttr initial = {};
  nn::VariableRole role = nn::VariableRole::Recurrent;
};

/// A function that the model offers.
struct TensorFlowEntry {
  llvm::StringRef name; ///< empty if the model has only one
  /// Tensors of the signature: the first inputs, and all outputs of the section. Empty if the graph has no signature.
  std::vector<SignatureTensor> inputs, outputs;
  Section section;
  /// The last inputs of the section. The assigned ones are also its last outputs.
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

  /// Returns a tensor of the file as a constant, the same attribute on each call. Errors are emitted at `loc`.
  mlir::FailureOr<mlir::ElementsAttr> readConstant(const tensorflow::TensorProto &tensor, llvm::StringRef name,
                                                   mlir::Location loc);
  /// Returns the value of a Const or of a variable.
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
  tensorflow::SavedModel saved;             ///< wraps a file that holds only a graph or a MetaGraph
  tensorflow::MetaGraphDef *meta = nullptr; ///< the chosen graph of `saved`
  llvm::StringMap<int> wrapped;             ///< objects of variables by node, for functions without a signature
  CallResults calls;
  std::optional<CheckedGraph> graph;
  std::vector<TensorFlowEntry> entries;
  std::vector<std::vector<WrittenVariable>> written; ///< variables that each entry writes
  bool isTrained = false;                            ///< true if the entries are those of a model that trains itself
  std::optional<TrainingGraph> training;             ///< set if the model is only a graph that trains
  llvm::StringMap<nn::VariableRole> roles;           ///< roles of the variables that optimizers change
  std::vector<std::string> impliedOutputs;           ///< default outputs, found before assignments are edited
  VariableEdits edits;
  SavedVariables variables;
  llvm::DenseMap<uint64_t, mlir::ElementsAttr> constants; ///< keyed by the first payload of their elements
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_READER_H
