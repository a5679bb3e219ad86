// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the bytes of a TensorFlow Lite model to a checked view.
//
// The reader verifies the tables and checks the graphs (CheckedGraph.h). FlatBuffers' verifier runs before any table is
// read. A model may be malicious, and only this code reads its bytes. A model that it accepts is safe to read for all
// other code. A model that it refuses causes an error at a place in the model, never a crash. Weights are not copied,
// but refer to the mapped file.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_READER_H
#define NACRE_COMPILER_IMPORT_TFLITE_READER_H

#include "compiler/import/files/StoredTensor.h"
#include "compiler/import/options/ImportOptions.h"
#include "compiler/import/tflite/CheckedGraph.h"

#include "llvm/ADT/DenseSet.h"
#include <map>

namespace nacre::importer::tflite_format {

/// Name and version of an operator.
struct OperatorName {
  llvm::StringRef name;
  int64_t version;
};

class TfliteModel {
public:
  /// Checks the model in `file`, and the graphs that `options` name. Errors are emitted at the model, or at the value
  /// they concern.
  static mlir::FailureOr<std::unique_ptr<TfliteModel>> read(const ModelFile &file, const ImportOptions &options,
                                                            mlir::MLIRContext *context);

  /// An entry of the model. It has the name of its signature; if there is only one entry, its name is empty.
  struct Entry {
    llvm::StringRef name;
    std::unique_ptr<CheckedGraph> graph;
  };
  llvm::ArrayRef<Entry> getEntries() const { return entries; }
  /// Returns the graph of a branch or a loop, by its index from getBodies().
  const CheckedGraph &getBody(int32_t index) const { return *bodies.find(index)->second.graph; }
  /// The initial value of a variable with a handle. A graph that runs once assigns this value.
  struct InitialValue {
    CheckedTensor tensor;
    mlir::ElementsAttr value;
  };
  const InitialValue *getInitial(const KeptVariable &variable) const {
    auto found = initials.find(variable.key);
    return found == initials.end() ? nullptr : &found->second;
  }
  /// True if the variable has a handle and no entry assigns it. It then keeps its initial value.
  bool isConstant(const KeptVariable &variable) const {
    return variable.hasHandle() && !assigned.contains(variable.key);
  }
  /// True if the model does not fix all sizes of the entries' inputs.
  bool isOpen() const {
    return llvm::any_of(entries, [](const Entry &entry) { return entry.graph->isOpen(); });
  }
  OperatorName getName(const schema::Operator &op) const;
  int32_t getBuiltin(const schema::Operator &op) const;

  /// Returns the elements of a constant of the graph; errors are emitted at `loc`.
  mlir::FailureOr<mlir::ElementsAttr> readConstant(const CheckedTensor &tensor, mlir::Location loc);

  size_t getFileSize() const { return bytes->getBufferSize(); }
  /// Returns the location of the model as a whole.
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
    size_t depth; ///< nesting depth of branches and loops in the graph
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
  uint64_t listed = 0;      ///< number of tensors and operators in all graphs that were read
  uint64_t copiedBytes = 0; ///< size in bytes of the constants that were copied
  int64_t sparseBudget;     ///< number of bytes that may still be allocated for sparse tensors
};

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_READER_H
