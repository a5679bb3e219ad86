// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which engines compute a model, as a user asks for it with `--place=`.
// Why:   the driver and the place phase speak of one choice; it has one type.

#ifndef NACRE_DIALECTS_PLAN_PLACEMENT_H
#define NACRE_DIALECTS_PLAN_PLACEMENT_H

namespace nacre {

struct Placement {
  enum class Engines {
    Cpu,
    Gpu,   ///< Everything that has GPU code.
    Split, ///< The GPU computes `percent` of each launch that can be cut.
    Auto   ///< What makes a run on the device short.
  };
  Engines engines = Engines::Cpu;
  unsigned percent = 0;
};

} // namespace nacre

#endif // NACRE_DIALECTS_PLAN_PLACEMENT_H
