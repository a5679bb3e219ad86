// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks one graph: tensors, inputs, operators and outputs (CheckedGraph.cpp), and variables (GraphVariables.cpp).

#ifndef NACRE_COMPILER_IMPORT_TFLITE_GRAPHREADER_H
#define NACRE_COMPILER_IMPORT_TFLITE_GRAPHREADER_H

#include "compiler/import/tflite/CheckedGraph.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseSet.h"

namespace nacre::importer::tflite_format {

/// Maximum length of names. Longer names are cut off: tensors may share a long name, and hashing it for each would take
/// too long.
constexpr size_t longestName = 200;
/// Maximum number of inputs or outputs, which limits the time for loops over them.
constexpr size_t mostPorts = 4096;

class GraphReader {
public:
  GraphReader(const schema::Model &model, const CheckedGraph::Role &role, llvm::StringRef file, mlir::Location loc,
              CheckedGraph &graph)
      : model(model), role(role), file(file), loc(loc), graph(graph), saver(graph.allocator) {}

  mlir::LogicalResult read(const schema::SubGraph &table) {
    return mlir::success(succeeded(readTensors(table)) && succeeded(readInputs(table)) &&
                         succeeded(readOperators(table)) && succeeded(readOutputs(table)));
  }

private:
  using Names = const flatbuffers::Vector<flatbuffers::Offset<schema::TensorMap>> *;

  mlir::LogicalResult readTensors(const schema::SubGraph &table);
  mlir::LogicalResult readInputs(const schema::SubGraph &table);
  mlir::LogicalResult readOperators(const schema::SubGraph &table);
  mlir::LogicalResult readOperand(int32_t index, size_t place);
  mlir::LogicalResult readOperands(const schema::Operator &op);
  mlir::LogicalResult readResults(const schema::Operator &op);
  mlir::LogicalResult checkIntermediates(const schema::Operator &op);
  mlir::LogicalResult readOutputs(const schema::SubGraph &table);
  void takeShapes();
  KeptVariable &getVariable(size_t tensor);
  mlir::LogicalResult assignVariables(const schema::Operator &op);
  mlir::LogicalResult openHandle(const schema::Operator &op);
  mlir::LogicalResult useHandle(const schema::Operator &op, bool assigns);
  mlir::LogicalResult noteInitializer(const schema::Operator &op);
  mlir::LogicalResult readOperator(const schema::Operator &op);
  mlir::LogicalResult checkVariableNames();

  /// Returns the name of the tensor `index` in the list, or `own` if the list does not contain the tensor.
  static llvm::StringRef nameOf(Names names, int32_t index, llvm::StringRef own);
  /// Returns `wanted`, or a similar name if `wanted` is empty or already used.
  llvm::StringRef makeName(llvm::StringRef wanted, size_t number);
  void name(size_t index, llvm::StringRef wanted);

  mlir::InFlightDiagnostic error() { return mlir::emitError(loc); }
  mlir::InFlightDiagnostic error(const schema::Tensor &tensor) { return error(toText(tensor.name())); }
  mlir::InFlightDiagnostic error(llvm::StringRef name) {
    return mlir::emitError(
        mlir::NameLoc::get(mlir::StringAttr::get(loc.getContext(), name.take_front(longestName)), loc));
  }

  const schema::Model &model;
  const CheckedGraph::Role &role;
  llvm::StringRef file;
  mlir::Location loc;
  CheckedGraph &graph;
  llvm::StringSaver saver;
  llvm::DenseSet<llvm::StringRef> ports;     ///< names of inputs and outputs
  llvm::DenseMap<size_t, size_t> variableOf; ///< indices of variables, by tensor
  llvm::DenseMap<size_t, VariableKey> handles;
  llvm::DenseMap<VariableKey, size_t> variableOfKey;
};

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_GRAPHREADER_H
