// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The import phase: converts the file of a trained network to functions of `nn` operators with static shapes.
//
// Shapes are computed while the model is read: Shape, Gather and Concat nodes of exporters become constants,
// and an operand that decides a shape must be one. Weights stay in the mapped file.

#ifndef NACRE_COMPILER_IMPORT_IMPORT_H
#define NACRE_COMPILER_IMPORT_IMPORT_H

#include "compiler/import/model/ImportedNodes.h"
#include "compiler/import/options/ImportOptions.h"
#include "compiler/import/options/KeptTensors.h"
#include "compiler/import/options/MemoryCap.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <memory>
#include <string>
#include <vector>

namespace nacre::importer {

/// Problem of a model: an unsupported node, or an invalid input or output.
struct Problem {
  enum class Kind { Node, Value };
  Kind kind;
  std::string name; ///< name of the node or the value; empty: the model itself
  std::string what; ///< operator and version of the node, unless the reason names them; "input" or "output"
  std::string reason;

  /// Returns the problem in a line without its name.
  std::string describe() const { return what.empty() ? reason : what + ": " + reason; }
};

/// Result of checkModel.
struct CheckResult {
  std::vector<Problem> problems; ///< problems in the model's order
  size_t nodes = 0;              ///< number of the model's nodes, supported or not
};

class ModelView;

/// Model that is mapped and parsed once, so that functions for several purposes can be imported from it.
class Model {
public:
  ~Model();

  /// Reads the model at `path`; its content decides the format. `options` select its graphs and the files of its
  /// weights. Returns null after an error.
  static std::unique_ptr<Model> read(llvm::StringRef path, const ImportOptions &options, mlir::MLIRContext *context);

  /// Imports the functions that `options` select, as importModel does.
  mlir::OwningOpRef<mlir::ModuleOp> import(const ImportOptions &options, const KeptTensors &kept);

  /// Returns the limit of memory that the model states, if any.
  std::optional<MemoryCap> getMemoryCap() const;

  /// Returns the paths of all files that were read: the model's own, its weights, and those of `options`.
  const std::vector<std::string> &getFiles() const { return files; }

  /// Returns the nodes of all imports so far.
  const std::vector<ImportedNode> &getNodes() const { return nodes.getNodes(); }

private:
  Model(std::unique_ptr<ModelView> view, mlir::MLIRContext *context);

  std::unique_ptr<ModelView> view;
  mlir::MLIRContext *context;
  ImportedNodes nodes;
  std::vector<std::string> files;
};

/// Imports the model at `path`; its content decides the format. Arguments and results of the function carry their
/// names as `nn.name`; every op's location is its node's name. Returns null after emitting diagnostics, which name the
/// model's nodes.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::StringRef path, const ImportOptions &options,
                                              mlir::MLIRContext *context);

/// Imports the model, with these tensors among the results. If there are any, results of nodes are marked `nn.kept`.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::StringRef path, const ImportOptions &options,
                                              const KeptTensors &kept, mlir::MLIRContext *context);

/// Imports a model in memory; `bytes` must live as long as the context. It cannot have external data.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::MemoryBufferRef bytes, const ImportOptions &options,
                                              mlir::MLIRContext *context);

/// Lists in `result` everything that would make importModel refuse the model at `path`, and counts its nodes. For nodes
/// after a problem, it only checks whether the operator is supported. Fails, after emitting diagnostics, if the model
/// cannot be read.
mlir::LogicalResult checkModel(llvm::StringRef path, const ImportOptions &options, mlir::MLIRContext *context,
                               CheckResult &result);

/// Prints a Markdown page with the operators of every format, their versions, operands and limits.
void printOperators(llvm::raw_ostream &os);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_IMPORT_H
