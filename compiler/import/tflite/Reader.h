// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of a TensorFlow Lite model to a view that can be trusted.
//
// What: verifies the tables and checks the graph (CheckedGraph.h).
// Why:  models come from strangers. This is the only code that meets their bytes; whatever it lets through is safe to
//       read, and whatever it refuses is an error at a place in the model, never a crash.
// How:  FlatBuffers' verifier runs before any table is read. Weights stay views of the mapped file.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_READER_H
#define NACRE_COMPILER_IMPORT_TFLITE_READER_H

#include "compiler/import/files/StoredTensor.h"
#include "compiler/import/options/ImportOptions.h"
#include "compiler/import/tflite/CheckedGraph.h"

#include "llvm/ADT/DenseSet.h"
#include <map>

namespace nacre::importer::tflite_format {

/// Which operator an operator is.
struct OperatorName {
  llvm::StringRef name;
  int64_t version;
};

class TfliteModel {
public:
  /// Checks the model in `file`, and the graphs that `options` ask for. Errors are emitted at the model, or at the value they
  /// concern.
  static mlir::FailureOr<std::unique_ptr<TfliteModel>> read(const ModelFile &file, const ImportOptions &options,
                                                            mlir::MLIRContext *context);

  /// What can be asked of the model, by the names of signatures; the only one has none.
  struct Entry {
    llvm::StringRef name;
    std::unique_ptr<CheckedGraph> graph;
  };
  llvm::ArrayRef<Entry> getEntries() const { return entries; }
  /// What a branch or a loop of a graph computes (getBodies).
  const CheckedGraph &getBody(int32_t index) const { return *bodies.find(index)->second.graph; }
  /// What variables that have handles are at first, of those that a graph which runs once gives a value.
  struct InitialValue {
    CheckedTensor tensor;
    mlir::ElementsAttr value;
  };
  const InitialValue *getInitial(const KeptVariable &variable) const {
    auto found = initials.find(variable.key);
    return found == initials.end() ? nullptr : &found->second;
  }
  /// Whether no entry assigns the variable, which is then what it is at first.
  bool isConstant(const KeptVariable &variable) const {
    return variable.hasHandle() && !assigned.contains(variable.key);
  }
  /// Whether sizes of the entries' inputs are left open.
  bool isOpen() const {
    return llvm::any_of(entries, [](const Entry &entry) { return entry.graph->isOpen(); });
  }
  OperatorName getName(const schema::Operator &op) const;
  int32_t getBuiltin(const schema::Operator &op) const;

  /// The elements of a constant of the graph; errors are emitted at `loc`.
  mlir::FailureOr<mlir::ElementsAttr> readConstant(const CheckedTensor &tensor, mlir::Location loc);

  size_t getFileSize() const { return bytes->getBufferSize(); }
  /// Where the model itself is.
  mlir::Location getLocation() const { return loc; }

private:
  TfliteModel(const ModelFile &file, const ImportOptions &options, mlir::Location loc)
      : bytes(file.bytes), loc(loc), sparseBudget(options.maxConstantBytes) {}

  mlir::LogicalResult verify();
  mlir::FailureOr<llvm::SmallVector<const schema::SignatureDef *>> chooseSignatures(const ImportOptions &options);
  mlir::LogicalResult readEntries(const ImportOptions &options);
  mlir::FailureOr<std::unique_ptr<CheckedGraph>> readGraph(int64_t index, const CheckedGraph::Role &role);
  struct Body {
    std::unique_ptr<CheckedGraph> graph;
    size_t depth; ///< of the branches and loops in it
  };
  mlir::FailureOr<size_t> readBodies(const CheckedGraph &graph, llvm::SmallVectorImpl<int32_t> &around);
  mlir::LogicalResult readInitials();
  mlir::FailureOr<mlir::ElementsAttr> readSparse(const CheckedTensor &tensor, mlir::Type type, mlir::Location at);
  mlir::FailureOr<Body> readBody(int32_t index, llvm::SmallVectorImpl<int32_t> &around);

  FileBytes bytes;
  mlir::Location loc;
  const schema::Model *root = nullptr;
  std::vector<Entry> entries;
  std::map<int32_t, Body> bodies;
  std::vector<std::unique_ptr<CheckedGraph>> initializers;
  llvm::DenseMap<VariableKey, InitialValue> initials;
  llvm::DenseSet<VariableKey> assigned;
  uint64_t listed = 0;      ///< tensors and operators of the graphs that are read
  uint64_t copiedBytes = 0; ///< of constants that are no views
  int64_t sparseBudget;     ///< bytes that sparse tensors may still take
};

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_READER_H
