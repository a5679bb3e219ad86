// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of an ONNX model to a view that can be trusted.
//
// What: maps the file, parses its structure and checks everything that the importer relies on: names and order of every graph
//       (CheckedGraph.h), which functions there are and that they end, that a tensor has as many bytes as its shape says.
// Why:  models come from strangers. This is the only code that meets their bytes; whatever it lets through is safe to
//       read, and whatever it refuses is an error at a place in the model, never a crash.
// How:  WireScan decides what protobuf may parse; tensors stay views of the mapped file. In total the reader allocates
//       at most getStructureBudget and getDecodeBudget together.

#ifndef NACRE_COMPILER_IMPORT_ONNX_READER_H
#define NACRE_COMPILER_IMPORT_ONNX_READER_H

#include "compiler/import/onnx/graph/CheckedGraph.h"
#include "compiler/import/onnx/graph/File.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace nacre::importer::onnx_format {

/// A checked model.
class OnnxModel {
public:
  /// Checks the model in `file`. Errors are emitted at the node or value they concern.
  static mlir::FailureOr<std::unique_ptr<OnnxModel>> read(const ModelFile &file, mlir::MLIRContext *context);

  const CheckedGraph &getGraph() const { return *graph; }
  const onnx::ModelProto &getProto() const { return model; }

  /// The version of `domain`'s operators that the model uses, or 0 when it does not say. That of the standard domain is
  /// always known. A function has versions of its own; null: the model's graph.
  int64_t getOpsetVersion(llvm::StringRef domain, const onnx::FunctionProto *function = nullptr) const;

  /// The function that a node calls, or null.
  const CheckedGraph *findFunction(const onnx::NodeProto &node) const;

  /// The elements of an initializer or of a node's attribute.
  mlir::FailureOr<StoredTensor> read(const onnx::TensorProto &tensor, mlir::Location loc) {
    return file.read(tensor, loc);
  }

  /// The same as a constant, the same attribute each time; errors are emitted at `loc`.
  mlir::FailureOr<mlir::ElementsAttr> readConstant(const onnx::TensorProto &tensor, llvm::StringRef name,
                                                   mlir::Location loc);

  mlir::FailureOr<mlir::ElementsAttr> readConstant(const onnx::SparseTensorProto &tensor, mlir::Location loc);

  /// Where the model itself is.
  mlir::Location getLocation() const { return modelLoc; }

private:
  OnnxModel(const ModelFile &file, mlir::Location loc) : file(file.bytes, file.folder), modelLoc(loc) {}

  /// What a graph comes to where calls of functions are what they call.
  struct Extent {
    uint64_t nodes = 0;
    unsigned calls = 0; ///< how deep functions call one another
  };
  struct Function {
    std::unique_ptr<CheckedGraph> body;
    std::optional<Extent> extent;
    bool isOpen = false; ///< its extent is being measured
  };

  mlir::LogicalResult settleOpset();
  mlir::LogicalResult readFunctions();
  mlir::FailureOr<Extent> measure(const CheckedGraph &graph, unsigned depth);
  uint64_t countListed() const;

  OnnxFile file;
  onnx::ModelProto model;
  mlir::Location modelLoc;
  int64_t standardOpset = 0;
  std::unique_ptr<CheckedGraph> graph;
  llvm::StringMap<Function> functions;
  llvm::DenseMap<const onnx::TensorProto *, mlir::ElementsAttr> constants;
};

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_READER_H
