// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of variables in an object-based checkpoint, for models whose graph has no restore operators.
//
// A saved model and its checkpoint contain the same objects, as two graphs with different indices. Both graphs are
// walked together from the root, by the names of children. The model's graph has the variables, and the checkpoint's
// graph has their keys.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_OBJECTKEYS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_OBJECTKEYS_H

#include "compiler/import/tensorflow/checkpoint/TensorBundle.h"

#include "tensorflow.pb.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace nacre::importer::tensorflow_format {

/// Key in the checkpoint for each object of the model, by the object's index.
using ObjectKeys = llvm::DenseMap<int, std::string>;

ObjectKeys findObjectKeys(const tensorflow::SavedObjectGraph &model,
                          const tensorflow::TrackableObjectGraph &checkpoint);

/// Returns the keys by the names of variables. If several variables have the same name, the name is left out.
llvm::StringMap<std::string> nameObjectKeys(const tensorflow::SavedObjectGraph &model, const ObjectKeys &keys);

/// Returns the keys of the model's objects in `bundle`. The result is empty if `bundle` has no objects. Errors are
/// emitted at `loc`.
mlir::FailureOr<ObjectKeys> readObjectKeys(const tensorflow::SavedObjectGraph &model, TensorBundle &bundle,
                                           mlir::Location loc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_OBJECTKEYS_H
