// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry of the list of formats: functions that recognize and read files of one format.

#ifndef NACRE_COMPILER_IMPORT_MODEL_FORMAT_H
#define NACRE_COMPILER_IMPORT_MODEL_FORMAT_H

#include "compiler/import/files/StateFile.h"
#include "compiler/import/model/GraphView.h"
#include "compiler/import/options/ImportOptions.h"

#include "llvm/ADT/ArrayRef.h"

namespace nacre::importer {

/// Operators of one name space, such as a domain of ONNX. Other formats have one name space, which has no name.
struct OperatorSet {
  llvm::StringRef domain;
  const ImportRegistry *registry;
};

struct Format {
  const char *name;  ///< name of a model with its article, for messages: "an ONNX model"
  const char *title; ///< title of the list of operators in the documentation
  /// True if the file looks like this format, even if it is damaged.
  bool (*claims)(const ModelFile &file);
  /// Checks the file and returns a view of the model, or of the part that --input and --output select. Fails after an
  /// error.
  mlir::FailureOr<std::unique_ptr<ModelView>> (*read)(const ModelFile &file, const ImportOptions &options,
                                                      mlir::MLIRContext *context);
  /// Returns all operators that have handlers.
  llvm::SmallVector<OperatorSet> (*getOperators)();
  /// True if models have signatures, tags and checkpoints, which options can select.
  bool hasSignatures = false;
  /// Possible names of the file to read if the model is a folder.
  llvm::ArrayRef<llvm::StringLiteral> filesOfFolder = {};
  /// True if weights can be in a separate file, or random, as options say.
  bool hasWeightsApart = false;
  /// Writes the file to `to` with the tensors of `state` instead of its weights. Null if the format does not support
  /// this.
  mlir::LogicalResult (*replaceWeights)(const ModelFile &file, const StateFile &state, llvm::raw_ostream &to,
                                        mlir::Location loc) = nullptr;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MODEL_FORMAT_H
