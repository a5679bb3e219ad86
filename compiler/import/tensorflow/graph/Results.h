// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of TensorFlow's operators: how many there are, how they are called, what they hold.
//
// Why:  a graph says none of it. Whoever looks for outputs, cuts at a tensor, or reads `node:argument:k` in the body of a
//       function has to know.
// How:  operators of one result whose type is their attribute T need no row; others have one.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_RESULTS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_RESULTS_H

#include "tensorflow.pb.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace nacre::importer::tensorflow_format {

/// Results that share a name in the operator's definition.
struct ResultGroup {
  llvm::StringRef name;
  int count;
};

/// The node's results in order; an operator without a row has one, whose name is not known and empty.
llvm::SmallVector<ResultGroup, 1> getResultGroups(const tensorflow::NodeDef &node);

int countResults(const tensorflow::NodeDef &node);

/// The number of the result that the body of a function calls `group:index`; nothing where there is none.
std::optional<int> findResult(const tensorflow::NodeDef &node, llvm::StringRef group, int index);

/// TensorFlow's number of the element type of a result; DT_INVALID where the node does not say.
tensorflow::DataType getResultType(const tensorflow::NodeDef &node, int result);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_RESULTS_H
