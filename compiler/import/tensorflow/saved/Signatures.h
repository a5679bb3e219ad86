// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a saved model is wanted: one of its graphs, and the signatures through which it is called.
//
// What: a saved model has graphs for several purposes, told by tags, and each of them has signatures: inputs and outputs by
//       key.
// Why:  nothing is chosen silently: where a model leaves a choice, the error lists it, with what makes a choice unusable.

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

/// Inputs and outputs are in the order of their keys: the file has none.
struct Signature {
  llvm::StringRef name;
  std::vector<SignatureTensor> inputs, outputs;
};

/// The signature that initializes the model, and computes nothing.
constexpr llvm::StringLiteral savedModelInitName = "__saved_model_init_op";

/// The graph with this tag; without one that for serving, or the only one. Errors are emitted at `loc`.
mlir::FailureOr<tensorflow::MetaGraphDef *> chooseMetaGraph(tensorflow::SavedModel &model, llvm::StringRef tag,
                                                            mlir::Location loc);

/// How many signatures compute something.
int countSignatures(const tensorflow::MetaGraphDef &meta);

/// The signatures of these names; without one `serving_default`, or the only one. Views of `meta`.
mlir::FailureOr<std::vector<Signature>> chooseSignatures(const tensorflow::MetaGraphDef &meta,
                                                         llvm::ArrayRef<std::string> names, mlir::Location loc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_SIGNATURES_H
