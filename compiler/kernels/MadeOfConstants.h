// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NACRE_COMPILER_KERNELS_MADEOFCONSTANTS_H
#define NACRE_COMPILER_KERNELS_MADEOFCONSTANTS_H

#include "mlir/IR/Value.h"

namespace nacre::kernels {

/// Also what a kernel makes of constants as it loads them, such as weights from their codes.
bool isMadeOfConstants(mlir::Value value);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_MADEOFCONSTANTS_H
