// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the graph of a saved model, and its signatures.
//
// A saved model has graphs for several purposes, marked by tags. Each graph has signatures: inputs and outputs by key.
// If a model leaves a choice, an error lists the candidates, and why some of them cannot be used.

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

/// Returns the graph with the tag `tag`. If `tag` is empty, returns the graph for serving, or the only graph. Errors
/// are emitted at `loc`.
mlir::FailureOr<tensorflow::MetaGraphDef *> chooseMetaGraph(tensorflow::SavedModel &model, llvm::StringRef tag,
                                                            mlir::Location loc);

/// Returns the number of signatures, without the one that initializes the model.
int countSignatures(const tensorflow::MetaGraphDef &meta);

/// Returns the signatures with the names `names`. If `names` is empty, returns `serving_default`, or the only
/// signature. The result refers to `meta`.
mlir::FailureOr<std::vector<Signature>> chooseSignatures(const tensorflow::MetaGraphDef &meta,
                                                         llvm::ArrayRef<std::string> names, mlir::Location loc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_SIGNATURES_H
