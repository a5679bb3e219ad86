// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The learning rate and the variables of optimizers, which are nodes of a training graph.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_OPTIMIZERNODES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_OPTIMIZERNODES_H

#include "compiler/import/tensorflow/graph/CheckedGraph.h"
#include "dialects/nn/Variables.h"

#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace nacre::importer::tensorflow_format {

using Nodes = std::vector<bool>; ///< Set of nodes: true for each node that is in the set.

/// Returns the placeholder that all optimizers among `runs` read as their learning rate. Without one, emits a note and
/// returns "".
std::string findLearningRate(const CheckedGraph &graph, const Nodes &runs);

/// Emits a note if optimizers read a learning rate that is not a placeholder.
void noteFixedRate(const CheckedGraph &graph);

/// Returns the roles of the variables that optimizers change, by name: weights, and moments.
llvm::StringMap<nn::VariableRole> findTrainedRoles(const CheckedGraph &graph);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_OPTIMIZERNODES_H
