// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a model's tables, told in the words of runtime.h.
// Why:   tools and apps ask for names, shapes and launches without knowing the format.
// How:   see describe.cpp.

#ifndef NACRE_RUNTIME_SRC_DESCRIBE_H
#define NACRE_RUNTIME_SRC_DESCRIBE_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime {

/// The step of launch number `index`, counted along the table; nullptr if there are fewer.
const nacre_step *find_launch(const nacre_entry &entry, uint32_t index);

/// How many outputs the app is told of.
inline uint32_t output_count(const nacre_entry &entry) { return entry.output_count - entry.hidden_outputs; }

/// The output that says how many elements an axis of `output` has; -1 where it has all of its shape's.
inline int64_t count_of_axis(const nacre_model_table &model, const nacre_tensor &output, uint32_t axis) {
  return output.first_count == NACRE_NO_COUNTS ? -1 : model.dims[output.first_count + axis];
}

/// Fills what the caller's header knows of a struct; what it alone knows becomes 0.
template <typename T> void copy_out(void *to, size_t size, const T &from) {
  __builtin_memset(to, 0, size);
  __builtin_memcpy(to, &from, size < sizeof from ? size : sizeof from);
}

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_DESCRIBE_H
