// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads an ONNX model and provides a view that the importer can trust.
//
// Models come from strangers. Only this code reads the file. Everything that it accepts is safe to read, and everything
// that it rejects is an error at a location in the model, never a crash.
//
// The reader maps the file, parses its structure and checks all properties on which the importer relies. It checks
// names and the order of nodes in every graph (CheckedGraph.h). Functions must exist and must not recurse, and the size
// of a tensor's data must match its shape. WireScan decides which bytes protobuf may parse. Tensors remain views of the
// mapped file. The reader allocates at most getStructureBudget() plus getDecodeBudget() bytes.

#ifndef NACRE_COMPILER_IMPORT_ONNX_READER_H
#define NACRE_COMPILER_IMPORT_ONNX_READER_H

#include "compiler/import/onnx/graph/CheckedGraph.h"
#include "compiler/import/onnx/graph/File.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace nacre::importer::onnx_format {

/// ONNX model that has been checked.
class OnnxModel {
public:
  /// Checks the model in `file`. Emits errors at the node or value that causes them.
  static mlir::FailureOr<std::unique_ptr<OnnxModel>> read(const ModelFile &file, mlir::MLIRContext *context);

  const CheckedGraph &getGraph() const { return *graph; }
  const onnx::ModelProto &getProto() const { return model; }

  /// Returns the version of the operators of `domain` that the model uses, or 0 if it states none. The model always
  /// states a version for the standard domain. A function has its own versions; a null `function` stands for the
  /// model's graph.
  int64_t getOpsetVersion(llvm::StringRef domain, const onnx::FunctionProto *function = nullptr) const;

  /// Returns the function that a node calls, or null.
  const CheckedGraph *findFunction(const onnx::NodeProto &node) const;

  /// Returns the elements of an initializer or of an attribute of a node.
  mlir::FailureOr<StoredTensor> read(const onnx::TensorProto &tensor, mlir::Location loc) {
    return file.read(tensor, loc);
  }

  /// Returns the elements as a constant. Each call for a tensor returns the same attribute. Emits errors at `loc`.
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
    unsigned calls = 0; ///< depth of nested function calls
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
