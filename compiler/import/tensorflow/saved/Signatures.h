// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the graph of a saved model, and its signatures.
//
// A saved model has graphs for several purposes, marked by tags. Each graph has signatures: inputs and outputs by key.
// Nothing is chosen silently. If a model leaves a choice, the error lists it, with the reason why a choice cannot be
// used.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_SIGNATURES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_SIGNATURES_H

#include "mlir/IR/Location.h"
#include "tensorflow.pb.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include <string>
#include <vector>

namespace nacre::importer::tensorflow_format {

/// An input or an output of a signature.
struct SignatureTensor {
  llvm::StringRef key;
  const tensorflow::TensorInfo *info;
};

/// A signature. Its inputs and outputs are sorted by key, because the file has no order.
struct Signature {
  llvm::StringRef name;
  std::vector<SignatureTensor> inputs, outputs;
};

/// Signature that initializes the model and computes nothing.
constexpr llvm::StringLiteral savedModelInitName = "__saved_model_init_op";

/// Returns the graph with this tag. Without a tag, returns the one for serving, or the only one. Errors are emitted at
/// `loc`.
mlir::FailureOr<tensorflow::MetaGraphDef *> chooseMetaGraph(tensorflow::SavedModel &model, llvm::StringRef tag,
                                                            mlir::Location loc);

/// Returns how many signatures compute something.
int countSignatures(const tensorflow::MetaGraphDef &meta);

/// Returns the signatures with these names. Without names, returns `serving_default`, or the only one. The result
/// refers to `meta`.
mlir::FailureOr<std::vector<Signature>> chooseSignatures(const tensorflow::MetaGraphDef &meta,
                                                         llvm::ArrayRef<std::string> names, mlir::Location loc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_SIGNATURES_H
