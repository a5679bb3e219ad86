// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds signatures for functions of a saved model that have no signature.
//
// A model may be saved as functions without signatures. A trace of such a function is a function of the graph, whose
// last arguments are objects of the model: its variables and constants. For each requested function, a signature and a
// node that calls the trace are added. After that, readers of the graph need not know the objects.
//
// A function with one trace has the name of its child of the root object; each trace also has its own name.

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

/// Returns the functions that a model has in addition to its signatures. The map has the name of the trace for each
/// name.
std::map<std::string, std::string> findFunctions(const tensorflow::SavedObjectGraph &objects);

/// Adds a signature for each name in `names` that is a function without a signature. If `names` is empty and the model
/// has one function and no signature, adds a signature for this function. Also adds nodes for the variables of these
/// functions. Returns the index of each variable's object, by the node's name. Errors are emitted at `loc`.
mlir::FailureOr<llvm::StringMap<int>> wrapFunctions(tensorflow::MetaGraphDef &meta, llvm::ArrayRef<std::string> names,
                                                    mlir::Location loc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_CONCRETEFUNCTIONS_H
