// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers functional branches and loops (If, Case, While) to Switch and Merge.
//
// If, Case and While become calls between Switch and Merge, Enter and Exit. TensorFlow lowers them in the same way
// before it runs a graph. An IdentityN of the results replaces the node, so that readers of the results need no change.
// Other code inlines the calls and raises Switch and Merge (control/RaiseControl.h). So a branch inside a function
// inside a loop is no special case.
//
// The protobuf messages are changed while calls are inlined. A call waits for the pivot of its side; when it is
// inlined, its nodes without operands wait for this pivot. The first new nodes wait for everything that the replaced
// node waited for. The IdentityN waits for all side effects of the functions.
//
// A variable that a function writes is passed in and out as a value. Each function has its own copy of the variable,
// which is assigned before the call and read after it. At the end, the result is assigned to the model's variable.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_FUNCTIONALCONTROL_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_FUNCTIONALCONTROL_H

#include "compiler/import/tensorflow/saved/FunctionLibrary.h"

#include "mlir/IR/Location.h"
#include "tensorflow.pb.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace nacre::importer::tensorflow_format {

/// True if the operator is If, Case or While, or a variant of them.
bool isFunctionalControl(llvm::StringRef op);

/// Returns the number of operands before the functions' arguments: 1 for the predicate or the index of the branch, 0
/// for While.
int countDeciding(llvm::StringRef op);

/// Lowers `node`, whose functions are in `library`, and returns the added nodes that are calls. `addNode` adds a node
/// to the graph and names it as requested, or similarly. Errors are emitted at the node, in `modelLoc`.
llvm::FailureOr<llvm::SmallVector<tensorflow::NodeDef *>>
lowerFunctionalControl(tensorflow::NodeDef &node, mlir::Location modelLoc, FunctionLibrary &library,
                       llvm::function_ref<tensorflow::NodeDef *(const std::string &)> addNode);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_FUNCTIONALCONTROL_H
