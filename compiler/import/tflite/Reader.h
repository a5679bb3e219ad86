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

#include "compiler/import/StoredTensor.h"
#include "compiler/import/tflite/CheckedGraph.h"

namespace nacre::importer::tflite_format {

/// Which operator an operator is.
struct OperatorName {
  llvm::StringRef name;
  int64_t version;
};

class TfliteModel {
public:
  /// Checks the model in `file`. Errors are emitted at the model, or at the value they concern.
  static mlir::FailureOr<std::unique_ptr<TfliteModel>> read(const ModelFile &file, mlir::MLIRContext *context);

  const CheckedGraph &getGraph() const { return *graph; }
  OperatorName getName(const schema::Operator &op) const;

  /// The elements of a constant of the graph; errors are emitted at `loc`.
  mlir::FailureOr<mlir::ElementsAttr> readConstant(const CheckedTensor &tensor, mlir::Location loc);

  size_t getFileSize() const { return bytes->getBufferSize(); }
  /// Where the model itself is.
  mlir::Location getLocation() const { return loc; }

private:
  TfliteModel(const ModelFile &file, mlir::Location loc) : bytes(file.bytes), loc(loc) {}

  mlir::LogicalResult verify();
  mlir::LogicalResult readGraph();

  FileBytes bytes;
  mlir::Location loc;
  const schema::Model *root = nullptr;
  std::unique_ptr<CheckedGraph> graph;
  uint64_t copiedBytes = 0; ///< of constants that are no views
};

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_READER_H
