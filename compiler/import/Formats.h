// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats that models come in.
//
// What: one row for each, which says whether a file is of the format and reads it.
// Why:  the format of a file is told by its content; names lie. Another format is a folder and one line in Formats.cpp.

#ifndef NACRE_COMPILER_IMPORT_FORMATS_H
#define NACRE_COMPILER_IMPORT_FORMATS_H

#include "compiler/import/GraphView.h"
#include "compiler/import/Import.h"
#include "compiler/import/state/StateFile.h"

#include "llvm/ADT/ArrayRef.h"

namespace nacre::importer {

/// The operators of one name space: ONNX's domains are some; other formats have one, without a name.
struct OperatorSet {
  llvm::StringRef domain;
  const ImportRegistry *registry;
};

struct Format {
  const char *name;  ///< with its article, for messages: "an ONNX model"
  const char *title; ///< of its list of operators
  /// Whether the file looks like one of this format, be it damaged.
  bool (*claims)(const ModelFile &file);
  /// Checks the file and gives a view of the model, or of the part that --input and --output name; fails after emitting
  /// diagnostics.
  mlir::FailureOr<std::unique_ptr<ModelView>> (*read)(const ModelFile &file, const ImportOptions &options,
                                                      mlir::MLIRContext *context);
  /// All operators that have handlers.
  llvm::SmallVector<OperatorSet> (*getOperators)();
  /// Whether models have signatures, tags and checkpoints, which options may name.
  bool hasSignatures = false;
  /// Of a model that is a folder, the names that the file to read may have there.
  llvm::ArrayRef<llvm::StringLiteral> filesOfFolder = {};
  /// Whether weights lie in a file of their own, or may be drawn, as options say.
  bool hasWeightsApart = false;
  /// Writes the file with a state's tensors in place of its weights; null where trained weights do not go back to the format.
  mlir::LogicalResult (*replaceWeights)(const ModelFile &file, const StateFile &state, llvm::raw_ostream &to,
                                        mlir::Location loc) = nullptr;
};

/// The formats that Nacre reads, in the order in which they are asked.
llvm::ArrayRef<const Format *> getFormats();

/// Reads the file by the first of `formats` that claims it. Where none does, the error says what the file seems to be,
/// and what to do.
mlir::FailureOr<std::unique_ptr<ModelView>> readModel(const ModelFile &file, llvm::ArrayRef<const Format *> formats,
                                                      const ImportOptions &options, mlir::MLIRContext *context);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_FORMATS_H
