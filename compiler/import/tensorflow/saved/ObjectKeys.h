// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of variables in a checkpoint of objects, for models whose graph does not restore itself.
//
// A saved model and its checkpoint contain the same objects, as two graphs with different numbers. Both are walked
// together from the root, by the names of children. If one has a variable, the other has its key.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_OBJECTKEYS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_OBJECTKEYS_H

#include "compiler/import/tensorflow/checkpoint/TensorBundle.h"

#include "tensorflow.pb.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace nacre::importer::tensorflow_format {

/// Keys in the checkpoint, by the model's objects.
using ObjectKeys = llvm::DenseMap<int, std::string>;

ObjectKeys findObjectKeys(const tensorflow::SavedObjectGraph &model,
                          const tensorflow::TrackableObjectGraph &checkpoint);

/// Returns keys by the names of variables. Names that several variables have are left out.
llvm::StringMap<std::string> nameObjectKeys(const tensorflow::SavedObjectGraph &model, const ObjectKeys &keys);

/// Returns the keys of objects in `bundle`, or none if it has no objects. Errors are emitted at `loc`.
mlir::FailureOr<ObjectKeys> readObjectKeys(const tensorflow::SavedObjectGraph &model, TensorBundle &bundle,
                                           mlir::Location loc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_OBJECTKEYS_H
