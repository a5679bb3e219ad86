// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The row of a format, which recognizes and reads its files.

#ifndef NACRE_COMPILER_IMPORT_MODEL_FORMAT_H
#define NACRE_COMPILER_IMPORT_MODEL_FORMAT_H

#include "compiler/import/files/StateFile.h"
#include "compiler/import/model/GraphView.h"
#include "compiler/import/options/ImportOptions.h"

#include "llvm/ADT/ArrayRef.h"

namespace nacre::importer {

/// The operators of a name space, such as a domain of ONNX; other formats have one name space without a name.
struct OperatorSet {
  llvm::StringRef domain;
  const ImportRegistry *registry;
};

struct Format {
  const char *name;  ///< with its article, for messages: "an ONNX model"
  const char *title; ///< of its list of operators
  /// Returns whether the file looks like this format, even if it is damaged.
  bool (*claims)(const ModelFile &file);
  /// Checks the file and returns a view of the model, or of the part that --input and --output select; fails after emitting
  /// diagnostics.
  mlir::FailureOr<std::unique_ptr<ModelView>> (*read)(const ModelFile &file, const ImportOptions &options,
                                                      mlir::MLIRContext *context);
  /// All operators that have handlers.
  llvm::SmallVector<OperatorSet> (*getOperators)();
  /// Whether models have signatures, tags and checkpoints, which options can select.
  bool hasSignatures = false;
  /// For a model that is a folder, the possible names of the file to read.
  llvm::ArrayRef<llvm::StringLiteral> filesOfFolder = {};
  /// Whether weights are in a separate file or can be random, according to the options.
  bool hasWeightsApart = false;
  /// Writes the file with a state's tensors instead of its weights; null if the format does not support this.
  mlir::LogicalResult (*replaceWeights)(const ModelFile &file, const StateFile &state, llvm::raw_ostream &to,
                                        mlir::Location loc) = nullptr;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MODEL_FORMAT_H
