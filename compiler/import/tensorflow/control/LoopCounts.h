// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the counters in a loop's condition.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPCOUNTS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPCOUNTS_H

#include "compiler/import/tensorflow/control/Flow.h"

namespace nacre::importer::tensorflow_format {

/// Finds comparisons of a counter with a limit in the loop's condition. The whole condition may be one, or operands of
/// its LogicalAnd. A counter grows by the same step in each iteration. Limits and steps are values from outside of the
/// loop, or nodes without operands inside the loop.
void findCounts(Flow &flow, unsigned frame, RaisedLoop &loop);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPCOUNTS_H
