// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the bytes of an ONNX model to a view that can be trusted.
//
// Models come from strangers. Only this code reads their bytes: everything that it accepts is safe to read, and
// everything that it rejects is an error at a location in the model, never a crash.
//
// The reader maps the file, parses its structure and checks all that the importer relies on. Names and order are
// checked in every graph (CheckedGraph.h), functions must exist and not recurse, and tensors must have the bytes of
// their shape. WireScan decides which bytes protobuf may parse; tensors stay views of the mapped file. The reader
// allocates at most getStructureBudget plus getDecodeBudget.

#ifndef NACRE_COMPILER_IMPORT_ONNX_READER_H
#define NACRE_COMPILER_IMPORT_ONNX_READER_H

#include "compiler/import/onnx/graph/CheckedGraph.h"
#include "compiler/import/onnx/graph/File.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace nacre::importer::onnx_format {

/// Checked model.
class OnnxModel {
public:
  /// Checks the model in `file`. Errors are emitted at the node or value that causes them.
  static mlir::FailureOr<std::unique_ptr<OnnxModel>> read(const ModelFile &file, mlir::MLIRContext *context);

  const CheckedGraph &getGraph() const { return *graph; }
  const onnx::ModelProto &getProto() const { return model; }

  /// Returns the version of `domain`'s operators that the model uses, or 0 if it states none. The standard domain
  /// always has one. A function has its own versions; null is the model's graph.
  int64_t getOpsetVersion(llvm::StringRef domain, const onnx::FunctionProto *function = nullptr) const;

  /// Returns the function that a node calls, or null.
  const CheckedGraph *findFunction(const onnx::NodeProto &node) const;

  /// Returns the elements of an initializer or of a node's attribute.
  mlir::FailureOr<StoredTensor> read(const onnx::TensorProto &tensor, mlir::Location loc) {
    return file.read(tensor, loc);
  }

  /// Returns the elements as a constant, always the same attribute. Errors are emitted at `loc`.
  mlir::FailureOr<mlir::ElementsAttr> readConstant(const onnx::TensorProto &tensor, llvm::StringRef name,
                                                   mlir::Location loc);

  mlir::FailureOr<mlir::ElementsAttr> readConstant(const onnx::SparseTensorProto &tensor, mlir::Location loc);

  /// Returns the location of the model.
  mlir::Location getLocation() const { return modelLoc; }

private:
  OnnxModel(const ModelFile &file, mlir::Location loc) : file(file.bytes, file.folder), modelLoc(loc) {}

  /// Size of a graph after all functions are inlined.
  struct Extent {
    uint64_t nodes = 0;
    unsigned calls = 0; ///< depth of nested calls of functions
  };
  struct Function {
    std::unique_ptr<CheckedGraph> body;
    std::optional<Extent> extent;
    bool isOpen = false; ///< true while its extent is being measured
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
