// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NACRE_COMPILER_KERNELS_MADEOFCONSTANTS_H
#define NACRE_COMPILER_KERNELS_MADEOFCONSTANTS_H

#include "mlir/IR/Value.h"

namespace nacre::kernels {

/// True if `value` is computed only from constants, such as a weight that a kernel decodes when it loads it.
bool isMadeOfConstants(mlir::Value value);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_MADEOFCONSTANTS_H
