// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of a saved model that no signature wraps, as signatures.
//
// What: a model may be saved as functions alone. A trace of one is a function of the graph, whose last arguments are objects of
//       the model: its variables and constants. For what is asked for, a signature is added, with a node that calls the trace.
// Why:  behind this a function of a model is what any signature is: nobody who reads the graph need know the objects.
// How:  a function is called as its child of the root object is, where it has one trace; any trace by its own name.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_CONCRETEFUNCTIONS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_CONCRETEFUNCTIONS_H

#include "mlir/IR/Location.h"
#include "tensorflow.pb.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/LogicalResult.h"
#include <map>
#include <string>

namespace nacre::importer::tensorflow_format {

/// The functions that a model offers beside its signatures, by what they are called: the name of the trace.
std::map<std::string, std::string> findFunctions(const tensorflow::SavedObjectGraph &objects);

/// Adds signatures for those of `names` that are functions and no signatures yet; without names for the model's only function,
/// where it has no signature. Gives the objects of variables that nodes were added for, by the names of these. Errors are
/// emitted at `loc`.
mlir::FailureOr<llvm::StringMap<int>> wrapFunctions(tensorflow::MetaGraphDef &meta, llvm::ArrayRef<std::string> names,
                                                    mlir::Location loc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_CONCRETEFUNCTIONS_H
