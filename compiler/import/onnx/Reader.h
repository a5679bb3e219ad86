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
  /// Reads the model at `path`. Errors are emitted at the node or value they concern.
  static mlir::FailureOr<std::unique_ptr<OnnxModel>> read(llvm::StringRef path, mlir::MLIRContext *context);

  /// Reads a model from memory; `name` is what diagnostics call it, `folder` where its external data lies.
  static mlir::FailureOr<std::unique_ptr<OnnxModel>> parse(std::shared_ptr<const llvm::MemoryBuffer> bytes,
                                                           llvm::StringRef name, llvm::StringRef folder,
                                                           mlir::MLIRContext *context);

  const onnx::GraphProto &getGraph() const { return model.graph(); }

  /// The nodes in an order in which each comes after what it reads.
  llvm::ArrayRef<const onnx::NodeProto *> getNodes() const { return nodes; }

  /// The version of `domain`'s operators that the model uses, or 0 when it does not say.
  int64_t getOpsetVersion(llvm::StringRef domain) const;

  /// The elements of an initializer or of a node's attribute.
  mlir::FailureOr<OnnxTensor> read(const onnx::TensorProto &tensor, mlir::Location loc) {
    return file.read(tensor, loc);
  }

  /// Where the model itself, a value, or a node is: the node's name, or `Operator#index:output` when it has none.
  mlir::Location getLocation() const { return modelLoc; }
  mlir::Location getLocation(llvm::StringRef valueName) const;
  mlir::Location getLocation(const onnx::NodeProto &node) const;

private:
  OnnxModel(std::shared_ptr<const llvm::MemoryBuffer> bytes, llvm::StringRef folder, mlir::Location loc)
      : file(std::move(bytes), folder.str()), modelLoc(loc) {}

  mlir::LogicalResult checkNames();
  mlir::LogicalResult sortNodes();

  OnnxFile file;
  onnx::ModelProto model;
  mlir::Location modelLoc;
  llvm::SmallVector<const onnx::NodeProto *> nodes;
  llvm::DenseMap<const onnx::NodeProto *, int> positions; ///< each node's index in the file
  /// Every value's producer: its node's index in the graph, or -1 for inputs and initializers.
  llvm::StringMap<int> producers;
};

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_READER_H
