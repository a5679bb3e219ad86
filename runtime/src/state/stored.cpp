// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements stored.h. It visits stored elements in order. The loops yield the position of each element in the model's
// tensor.

#include "runtime/src/state/stored.h"

namespace nacre::runtime {
namespace {

constexpr uint32_t kMostLoops = 40;

struct Loop {
  uint64_t iterations, stride;
};

const Loop *loops_of(const nacre_model_table &model, const nacre_variable &variable) {
  return reinterpret_cast<const Loop *>(model.dims + variable.first_loop);
}

} // namespace

bool are_loops_right(const nacre_model_table &model, const nacre_variable &variable) {
  const uint32_t count = variable.loop_count;
  if (count - 4 > kMostLoops - 4 || uint64_t(variable.first_loop) + 2 * count > model.dim_count)
    return false;
  const Loop *loops = loops_of(model, variable), &columns = loops[count - 1];
  uint64_t bytes = variable.element_bytes, end = bytes;
  for (const Loop *loop = loops; loop <= &columns; ++loop) {
    bytes *= loop->iterations;
    end += (loop->iterations - 1) * loop->stride;
  }
  return bytes == variable.stored_bytes &&
         end - (loops[1].iterations * columns.iterations - variable.part_columns) * columns.stride ==
             variable.tensor.bytes;
}

void copy_stored(const nacre_model_table &model, const nacre_variable &variable, char *stored, char *in_model,
                 bool packs) {
  const Loop *loops = loops_of(model, variable), *last = loops + variable.loop_count - 1;
  uint64_t counters[kMostLoops] = {};
  for (const char *end = stored + variable.stored_bytes; stored != end; stored += variable.element_bytes) {
    if (counters[1] * last->iterations + counters[last - loops] < variable.part_columns)
      __builtin_memcpy(packs ? stored : in_model, packs ? in_model : stored, variable.element_bytes);
    else if (packs)
      __builtin_memset(stored, 0, variable.element_bytes);
    uint64_t *counter = counters + (last - loops);
    for (const Loop *loop = last;; --loop, *counter-- = 0) {
      in_model += loop->stride;
      if (++*counter < loop->iterations || loop == loops)
        break;
      in_model -= *counter * loop->stride;
    }
  }
}

} // namespace nacre::runtime
