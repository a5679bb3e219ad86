// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans a run of a model without variables. See phases.h and walk.h.

#include "runtime/src/gpu_vulkan/plan/walk.h"
#include "runtime/src/slot_functions.h"

namespace nacre::runtime {
using namespace gpu;

bool plan_phases(const nacre_entry &entry, const Share *shares, const Layout &layout, bool unified, MemoryPool &pool,
                 Schedule &schedule) {
  List<Left> left = {};
  Walk<false> walk(entry, shares, layout, nullptr, unified, pool, schedule);
  if (pool.failed() || !walk.run(left))
    return false;
  walk.end_run(!unified, left);
  return !pool.failed();
}

} // namespace nacre::runtime
