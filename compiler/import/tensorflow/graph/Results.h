// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of TensorFlow's operators: their number, names and types.
//
// A graph does not contain them. They are needed to find outputs, to cut the graph at a tensor, and to read
// `node:argument:k` in the body of a function. Operators with one result of the type T need no row in the table; all
// others have a row.

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

/// Returns the node's results in order. An operator without a row has one result, whose name is unknown and empty.
llvm::SmallVector<ResultGroup, 1> getResultGroups(const tensorflow::NodeDef &node);

int countResults(const tensorflow::NodeDef &node);

/// Returns the index of the result that is named `group:index` in the body of a function, or nullopt if it does not
/// exist.
std::optional<int> findResult(const tensorflow::NodeDef &node, llvm::StringRef group, int index);

/// Returns the element type of a result, or DT_INVALID if the node does not state it.
tensorflow::DataType getResultType(const tensorflow::NodeDef &node, int result);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_RESULTS_H
