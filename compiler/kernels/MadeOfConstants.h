// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NACRE_COMPILER_KERNELS_MADEOFCONSTANTS_H
#define NACRE_COMPILER_KERNELS_MADEOFCONSTANTS_H

#include "mlir/IR/Value.h"

namespace nacre::kernels {

/// True if `value` is computed from constants only, such as weights that a kernel decodes as it loads them.
bool isMadeOfConstants(mlir::Value value);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_MADEOFCONSTANTS_H
