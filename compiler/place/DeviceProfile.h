// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what a device can do, as far as placement asks: rates, bandwidths and latencies of both engines.
// Why:   the cost model is for no device in particular; a new phone is a new file.
// How:   JSON (docs/device-profile.schema.json), read strictly: a misspelt or missing figure is an error that names its
//        path, never a default. profiles/ holds those that nacre-compile carries in itself.

#ifndef NACRE_COMPILER_PLACE_DEVICEPROFILE_H
#define NACRE_COMPILER_PLACE_DEVICEPROFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace nacre::place {

/// Cores of one kind.
struct Cluster {
  std::string core;
  unsigned cores = 0;
  double gigahertz = 0;
  double flopsPerCycle = 0;      ///< Of one core, fp32, a fused multiply-add being two.
  double integerOpsPerCycle = 0; ///< The same for products of bytes, by the core's best instructions.
};

/// A cache that an engine has to itself, or almost: the last before memory.
struct Cache {
  double bytes = 0;
  double bytesPerSecond = 0;
};

struct CpuProfile {
  std::vector<Cluster> clusters; ///< Fastest first.
  unsigned threads = 0;          ///< Those that the runtime uses: its default is the number of big cores.
  double bytesPerSecond = 0;     ///< From memory, all threads.
  double coreBytesPerSecond = 0; ///< From memory, one thread.
  Cache cache;                   ///< Its rate is for one thread; each has as much.
  double launchSeconds = 0;      ///< To hand a launch to the threads and to have it back.

  /// Multiplications and additions per second of the `count` fastest cores.
  double flopsPerSecond(unsigned count) const;
  /// How many times faster the fastest core multiplies bytes than fp32.
  double integerRate() const;
};

/// What a GPU was measured to do, in elements that the iterations of loops read and write per second, by form of work.
struct GpuRates {
  double streamed = 0, depthwise = 0, pointwise = 0, row = 0, movement = 0;
};

struct GpuProfile {
  double fp32FlopsPerSecond = 0; ///< Peaks; with `rates`, what large products reach.
  double fp16FlopsPerSecond = 0;
  double invocations = 0; ///< At the same time, for full speed: fewer use a part of it.
  double bytesPerSecond = 0;
  Cache cache;
  double dispatchSeconds = 0;    ///< From the end of one dispatch to the work of the next, with a barrier between.
  double meetingSeconds = 0;     ///< A submission and the wait for its fence, without any work.
  std::optional<GpuRates> rates; ///< None: the peaks and CostModel's table have to do.
};

struct MemoryProfile {
  bool shared = true;            ///< Both engines see the same memory: nothing is copied.
  double bytesPerSecond = 0;     ///< Of all engines together.
  double copyBytesPerSecond = 0; ///< Between the two memories; 0 where shared.
};

struct DeviceProfile {
  std::string name;
  std::string description;
  CpuProfile cpu;
  GpuProfile gpu;
  MemoryProfile memory;
};

/// Reads a profile. Errors begin with `where` and name line and column, or the path of the figure at fault.
llvm::Expected<DeviceProfile> parseDeviceProfile(llvm::StringRef json, llvm::StringRef where);

/// One of profiles/.
struct ShippedProfile {
  llvm::StringRef name; ///< The file's name without `.json`, and the profile's own.
  llvm::StringRef json;
};
llvm::ArrayRef<ShippedProfile> shippedProfiles();

/// A shipped profile's name, or the path of a file (anything that ends in `.json`).
llvm::Expected<DeviceProfile> loadDeviceProfile(llvm::StringRef nameOrPath);

} // namespace nacre::place

#endif // NACRE_COMPILER_PLACE_DEVICEPROFILE_H
