// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The import phase: converts the file of a trained network to functions of `nn` operators with static shapes.
//
// Shapes are computed while the model is read. So the Shape, Gather and Concat nodes that exporters write become
// constants. An operand that decides a shape must be constant. Weights stay in the mapped file.

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
  std::string name; ///< Name of the node or the value; empty if the problem is of the whole model.
  std::string what; ///< Operator and version of the node, unless `reason` names them; "input" or "output" for a value.
  std::string reason;

  /// Returns the text of the problem as one line, without the name.
  std::string describe() const { return what.empty() ? reason : what + ": " + reason; }
};

/// Result of checkModel.
struct CheckResult {
  std::vector<Problem> problems; ///< Problems in the order of the model.
  size_t nodes = 0;              ///< Number of nodes in the model, supported or not.
};

class ModelView;

/// Model that is mapped and parsed once, so that functions for several purposes can be imported from it.
class Model {
public:
  ~Model();

  /// Reads the model at `path`; its content decides the format. `options` select the graphs to import and the files of
  /// weights. Returns null after an error.
  static std::unique_ptr<Model> read(llvm::StringRef path, const ImportOptions &options, mlir::MLIRContext *context);

  /// Imports the functions that `options` select, like importModel.
  mlir::OwningOpRef<mlir::ModuleOp> import(const ImportOptions &options, const KeptTensors &kept);

  /// Returns the memory limit that the model states, or `nullopt`.
  std::optional<MemoryCap> getMemoryCap() const;

  /// Returns the paths of all files that were read: the model, its weights, and files that `options` name.
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

/// Imports the model at `path`; its content decides the format. Each argument and result has its name in the attribute
/// `nn.name`. Each operator's location is the name of its node. Returns null after an error; diagnostics name the
/// model's nodes.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::StringRef path, const ImportOptions &options,
                                              mlir::MLIRContext *context);

/// Imports the model and also returns the tensors that `kept` selects. If there are any, results of nodes are marked
/// `nn.kept`.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::StringRef path, const ImportOptions &options,
                                              const KeptTensors &kept, mlir::MLIRContext *context);

/// Imports a model in memory. `bytes` must live as long as the context, and cannot refer to external data.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::MemoryBufferRef bytes, const ImportOptions &options,
                                              mlir::MLIRContext *context);

/// Lists in `result` every problem for which importModel would reject the model at `path`, and counts the nodes. For
/// nodes after a problem, it only checks whether the operator is supported. Fails after diagnostics if the model cannot
/// be read.
mlir::LogicalResult checkModel(llvm::StringRef path, const ImportOptions &options, mlir::MLIRContext *context,
                               CheckResult &result);

/// Prints a Markdown page that lists the operators of every format with their versions, operands and limits.
void printOperators(llvm::raw_ostream &os);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_IMPORT_H
