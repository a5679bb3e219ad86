// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches and loops of TensorFlow's second kind, whose sides are functions, as those of the first.
//
// What: If, Case and While become calls between Switch and Merge, Enter and Exit, as TensorFlow itself lowers them before it
//       runs a graph. In place of the node stays an IdentityN of its results, so that nobody who reads them need know.
// Why:  calls are inlined and Switch and Merge are raised (control/RaiseControl.h) in any case: so a branch inside a function
//       inside a loop is no case of its own.
// How:  on the messages, where calls are inlined. A call waits for the pivot of its side, and hands that to its nodes without
//       operands. What the node waited for its first nodes wait for, and it still waits for all that its functions do.
//       A variable that a function writes goes in and comes out as a value: each function has a variable of its own for it,
//       which is written before the call and read behind it, and the node ends with an assignment to the model's.

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

/// Whether the operator chooses between functions, or repeats them.
bool isFunctionalControl(llvm::StringRef op);

/// How many operands come before those that its functions take.
int countDeciding(llvm::StringRef op);

/// Lowers `node`, whose functions are in `library`. `addNode` adds one to its graph, of that name or one like it. The calls among those that are added. Errors
/// are emitted at the node, in `modelLoc`.
llvm::FailureOr<llvm::SmallVector<tensorflow::NodeDef *>>
lowerFunctionalControl(tensorflow::NodeDef &node, mlir::Location modelLoc, FunctionLibrary &library,
                       llvm::function_ref<tensorflow::NodeDef *(const std::string &)> addNode);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_FUNCTIONALCONTROL_H
