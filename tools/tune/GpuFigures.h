// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what the GPU of this machine reaches with the code that nacre-compile writes.
// Why:   peaks say little of a GPU, and nothing of what a submission costs with its driver.
// How:   models compiled for this machine (make_kernels.py), a launch for each form of work; the runtime in them tells
//        each launch's time by the GPU's own clock. So there is no compiler here, and no Vulkan: a phone will do.

#ifndef NACRE_TOOLS_TUNE_GPUFIGURES_H
#define NACRE_TOOLS_TUNE_GPUFIGURES_H

#include <cstdint>
#include <string>

namespace nacre::tune {

/// Work in 1e9 per second: operations of products, bytes, else elements that loops read and write.
struct GpuFigures {
  std::string device;
  bool isUnified = false; ///< It shares memory with the CPU.
  bool isPlayed = false;  ///< By a CPU.
  double product = 0;
  double halves = 0; ///< Products of f16; those of f32 where it has none.
  double streamed = 0, depthwise = 0, pointwise = 0, row = 0, movement = 0;
  double bytes = 0, cacheBytes = 0;
  double dispatchMicroseconds = 0, meetingMicroseconds = 0;
};

/// Measures device number `device` (counted from 0; -1: the best) with the libraries in `folder`. False, with the
/// reason, where there is no GPU or no library.
bool measureGpu(const std::string &folder, int device, GpuFigures &figures, std::string &reason);

} // namespace nacre::tune

#endif // NACRE_TOOLS_TUNE_GPUFIGURES_H
