// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out what the body of a loop does with a value that the loop carries.
//
// A list that grows in each iteration changes its type, so a loop of `nn` cannot carry it. But if the body only appends
// to the list, the appended values can become a stack.

#ifndef NACRE_COMPILER_IMPORT_CONTROL_BODYREADERS_H
#define NACRE_COMPILER_IMPORT_CONTROL_BODYREADERS_H

#include "compiler/import/model/GraphView.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace nacre::importer {

class BodyReaders {
public:
  explicit BodyReaders(const GraphView &body);

  /// Returns the only node that reads the body's input `input`. Its first operand must be the input, and its first
  /// result must become the output with the index `output` and nothing else. Each of them may pass through Identity.
  /// Returns null if there is no such node.
  const GraphNode *findOnlyUse(llvm::StringRef input, size_t output) const;

private:
  /// Position where a node reads a value.
  struct Reader {
    size_t node;
    size_t operand;
  };

  const Reader *findReader(llvm::StringRef value) const;
  bool isOnlyOutput(llvm::StringRef value, size_t output) const;

  std::vector<GraphNode> nodes;
  llvm::StringMap<llvm::SmallVector<Reader, 2>> readers;
  llvm::StringSet<> captured;
  std::vector<llvm::StringRef> outputs;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_CONTROL_BODYREADERS_H
