// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds signatures for functions of a saved model that no signature wraps.
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

/// Returns the functions that a model offers besides its signatures: for each name, the name of the trace.
std::map<std::string, std::string> findFunctions(const tensorflow::SavedObjectGraph &objects);

/// Adds signatures for those of `names` that are functions without a signature. If `names` is empty, wraps the model's
/// only function if it has no signature. Returns the objects of variables for which nodes were added, by the nodes'
/// names. Errors are emitted at `loc`.
mlir::FailureOr<llvm::StringMap<int>> wrapFunctions(tensorflow::MetaGraphDef &meta, llvm::ArrayRef<std::string> names,
                                                    mlir::Location loc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_CONCRETEFUNCTIONS_H
