// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes tensors as .npy files, because inputs and outputs of a phone are made and compared on a PC.

#ifndef NACRE_TOOLS_TRY_ARRAYS_H
#define NACRE_TOOLS_TRY_ARRAYS_H

#include "runtime/include/nacre/runtime.h"

namespace nacre::tries {

/// Reads an array of exactly so many bytes. Returns whether the file has one.
bool readArray(const char *path, void *to, uint64_t bytes);

/// Writes an output of `dims` whose memory has the layout of info.dims. Returns whether the file is complete.
bool writeArray(const char *path, const nacre_tensor_info &info, const int64_t *dims, const void *data);

} // namespace nacre::tries

#endif // NACRE_TOOLS_TRY_ARRAYS_H
