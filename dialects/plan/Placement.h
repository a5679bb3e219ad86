// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the engines that compute a model, as `--place=` states them.
// Why:   the driver and the place phase share this choice.

#ifndef NACRE_DIALECTS_PLAN_PLACEMENT_H
#define NACRE_DIALECTS_PLAN_PLACEMENT_H

namespace nacre {

struct Placement {
  enum class Engines {
    Cpu,
    Gpu,   ///< The GPU computes everything that has GPU code.
    Split, ///< The GPU computes `percent` of each launch that can be cut.
    Auto   ///< The compiler makes the fastest choice for the device.
  };
  Engines engines = Engines::Cpu;
  unsigned percent = 0;
};

} // namespace nacre

#endif // NACRE_DIALECTS_PLAN_PLACEMENT_H
