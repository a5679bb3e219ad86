// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a model's tables in the structs of runtime.h.
// Why: tools and apps ask for names, shapes and launches without knowing the format.
// How: rows become structs and offsets become pointers; nothing else is copied.

#ifndef NACRE_RUNTIME_SRC_DESCRIBE_H
#define NACRE_RUNTIME_SRC_DESCRIBE_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime {

/// Returns the step of the launch with index `index`, in the order of the table; nullptr if there are fewer launches.
const nacre_step *find_launch(const nacre_entry &entry, uint32_t index);

/// Returns the number of outputs that the app sees, which excludes hidden outputs.
inline uint32_t output_count(const nacre_entry &entry) { return entry.output_count - entry.hidden_outputs; }

/// Returns the index of the output that counts the valid elements of `output` along `axis`. Returns -1 if the axis
/// always has its full size.
inline int64_t count_of_axis(const nacre_model_table &model, const nacre_tensor &output, uint32_t axis) {
  return output.first_count == NACRE_NO_COUNTS ? -1 : model.dims[output.first_count + axis];
}

/// Copies `from` to a caller's struct of `size` bytes, which may be older or newer. Fields that only the caller knows
/// become 0.
template <typename T> void copy_out(void *to, size_t size, const T &from) {
  __builtin_memset(to, 0, size);
  __builtin_memcpy(to, &from, size < sizeof from ? size : sizeof from);
}

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_DESCRIBE_H
