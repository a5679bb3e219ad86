// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the meanings that a node has in different places: the reference interpreter, folding, and kernels on both
//        engines.
// Why:   each is written by itself; a test must not care which is which.
// How:   nodes that are compiled are put into one model, which is much faster than a model for each: linking, loading
//        and starting a session are done once.

#ifndef NACRE_TEST_MEANING_MEANINGS_H
#define NACRE_TEST_MEANING_MEANINGS_H

#include "compiler/options/CompilerOptions.h"
#include "test/meaning/Node.h"

#include <optional>

namespace nacre::meaning {

using Tensors = std::vector<evaluate::Tensor>;
using Nodes = llvm::ArrayRef<const Node *>;

/// Results by the reference interpreter, of the node's operands or of others.
Tensors interpret(const Node &node, llvm::ArrayRef<evaluate::Tensor> operands, mlir::MLIRContext *context);

/// Results of each node by the graph phase, all operands being constants; none where it leaves one to the kernels.
/// Fails after an error.
std::optional<std::vector<std::vector<std::optional<evaluate::Tensor>>>> fold(Nodes nodes, mlir::MLIRContext *context);

enum class Outcome { Done, NoDevice, Failed };

/// Results of each node by a library, which is written to `path`. Fails after an error.
Outcome compileAndRun(Nodes nodes, Placement::Engines engines, const std::string &path, mlir::MLIRContext *context,
                      std::vector<Tensors> &results);

} // namespace nacre::meaning

#endif // NACRE_TEST_MEANING_MEANINGS_H
