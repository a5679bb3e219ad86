// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a loop's condition counts its iterations.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPCOUNTS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPCOUNTS_H

#include "compiler/import/tensorflow/control/Flow.h"

namespace nacre::importer::tensorflow_format {

/// Finds the comparisons of a counter with a limit that the condition is, or that LogicalAnd joins to it. A counter grows by
/// as much in every iteration. Limits and steps are values outside of the loop, or nodes without operands inside.
void findCounts(Flow &flow, unsigned frame, RaisedLoop &loop);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPCOUNTS_H
