// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of weights.h. Only the tables of functions of models whose weights are in a file refer to them.

#ifndef NACRE_RUNTIME_SRC_WEIGHTS_WEIGHTS_FILE_H
#define NACRE_RUNTIME_SRC_WEIGHTS_WEIGHTS_FILE_H

#include "runtime/include/nacre/weights_format.h"

namespace nacre::runtime {

extern const nacre_weights_functions weights_files;

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_WEIGHTS_WEIGHTS_FILE_H
