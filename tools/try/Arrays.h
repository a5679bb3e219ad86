// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes tensors as .npy files. A PC makes the inputs of a phone and compares its outputs.

#ifndef NACRE_TOOLS_TRY_ARRAYS_H
#define NACRE_TOOLS_TRY_ARRAYS_H

#include "runtime/include/nacre/runtime.h"

namespace nacre::tries {

/// Reads an array of exactly `bytes` bytes. Returns false if the file does not contain such an array.
bool readArray(const char *path, void *to, uint64_t bytes);

/// Writes an output of shape `dims`, whose elements are in memory with the larger shape info.dims. Returns false if the
/// file is incomplete.
bool writeArray(const char *path, const nacre_tensor_info &info, const int64_t *dims, const void *data);

} // namespace nacre::tries

#endif // NACRE_TOOLS_TRY_ARRAYS_H
