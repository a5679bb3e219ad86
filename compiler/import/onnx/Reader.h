// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of an ONNX model to a view that can be trusted.
//
// What: maps the file, parses its structure and checks everything that the importer relies on: every name is defined
//       once, nodes come in an order in which they can be computed, a tensor has as many bytes as its shape says.
// Why:  models come from strangers. This is the only code that meets their bytes; whatever it lets through is safe to
//       read, and whatever it refuses is an error at a place in the model, never a crash.
// How:  WireScan decides what protobuf may parse; tensors stay views of the mapped file. In total the reader allocates
//       at most four times the file's size and 16 MiB.

#ifndef NACRE_COMPILER_IMPORT_ONNX_READER_H
#define NACRE_COMPILER_IMPORT_ONNX_READER_H

#include "compiler/import/onnx/File.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace nacre::importer::onnx_format {
/// A checked model.
class OnnxModel {
public:
  /// Checks the model in `file`. Errors are emitted at the node or value they concern.
  static mlir::FailureOr<std::unique_ptr<OnnxModel>> read(const ModelFile &file, mlir::MLIRContext *context);

  const onnx::GraphProto &getGraph() const { return model.graph(); }

  /// The nodes in an order in which each comes after what it reads.
  llvm::ArrayRef<const onnx::NodeProto *> getNodes() const { return nodes; }

  /// The version of `domain`'s operators that the model uses, or 0 when it does not say. That of the standard domain is
  /// always known.
  int64_t getOpsetVersion(llvm::StringRef domain) const;

  /// The elements of an initializer or of a node's attribute.
  mlir::FailureOr<StoredTensor> read(const onnx::TensorProto &tensor, mlir::Location loc) {
    return file.read(tensor, loc);
  }

  /// Where the model itself, a value, or a node is: the node's name, or `Operator#index:output` when it has none.
  mlir::Location getLocation() const { return modelLoc; }
  mlir::Location getLocation(llvm::StringRef valueName) const;
  mlir::Location getLocation(const onnx::NodeProto &node) const;

private:
  OnnxModel(const ModelFile &file, mlir::Location loc) : file(file.bytes, file.folder), modelLoc(loc) {}

  mlir::LogicalResult settleOpset();
  mlir::LogicalResult checkNames();
  mlir::LogicalResult sortNodes();

  OnnxFile file;
  onnx::ModelProto model;
  mlir::Location modelLoc;
  int64_t standardOpset = 0;
  llvm::SmallVector<const onnx::NodeProto *> nodes;
  llvm::DenseMap<const onnx::NodeProto *, int> positions; ///< each node's index in the file
  /// Every value's producer: its node's index in the graph, or -1 for inputs and initializers.
  llvm::StringMap<int> producers;
};

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_READER_H
