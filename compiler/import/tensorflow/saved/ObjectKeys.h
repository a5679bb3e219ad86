// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of variables in a checkpoint of objects, for models whose graph does not restore itself.
//
// How:  a saved model and its checkpoint hold the same objects, as two graphs whose numbers differ. Both are walked at once
//       from the root, by the names of children; where the one has a variable, the other has its key.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_OBJECTKEYS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_OBJECTKEYS_H

#include "compiler/import/tensorflow/checkpoint/TensorBundle.h"

#include "tensorflow.pb.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace nacre::importer::tensorflow_format {

/// By the model's objects.
using ObjectKeys = llvm::DenseMap<int, std::string>;

ObjectKeys findObjectKeys(const tensorflow::SavedObjectGraph &model,
                          const tensorflow::TrackableObjectGraph &checkpoint);

/// By the names of variables, of which those are left out that several have.
llvm::StringMap<std::string> nameObjectKeys(const tensorflow::SavedObjectGraph &model, const ObjectKeys &keys);

/// Those of the objects of `bundle`: empty where it has none. Errors are emitted at `loc`.
mlir::FailureOr<ObjectKeys> readObjectKeys(const tensorflow::SavedObjectGraph &model, TensorBundle &bundle,
                                           mlir::Location loc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_OBJECTKEYS_H
