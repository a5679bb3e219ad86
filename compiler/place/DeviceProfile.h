// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rates, bandwidths and latencies of a device's engines, for placement.
// Why: the cost model is independent of devices; a new phone only needs a new file.
// How: the files are JSON (docs/device-profile.schema.json). Reading is strict: a misspelt or missing value is an error
//      that names its path, never a default. nacre-compile contains the profiles of profiles/.

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
  double flopsPerCycle = 0;      ///< Rate of one core in fp32; a fused multiply-add counts as two.
  double integerOpsPerCycle = 0; ///< Rate of one core for products of bytes, with its best instructions.
};

/// Last-level cache that an engine has mostly to itself.
struct Cache {
  double bytes = 0;
  double bytesPerSecond = 0;
};

struct CpuProfile {
  std::vector<Cluster> clusters; ///< Fastest first.
  unsigned threads = 0;          ///< Threads that the runtime uses; by default the number of big cores.
  double bytesPerSecond = 0;     ///< Rate from memory of all threads together.
  double coreBytesPerSecond = 0; ///< Rate from memory of one thread.
  Cache cache;                   ///< Last-level cache; its rate is that of one thread, and each thread has the same.
  double launchSeconds = 0;      ///< Time to start the threads of a launch and to wait for them.

  /// Returns the multiplications and additions per second of the `count` fastest cores.
  double flopsPerSecond(unsigned count) const;
  /// Returns how many times faster the fastest core multiplies bytes than fp32.
  double integerRate() const;
};

/// Measured rates of a GPU by form of work, in elements that the iterations of loops read and write per second.
struct GpuRates {
  double streamed = 0, depthwise = 0, pointwise = 0, row = 0, movement = 0;
};

struct GpuProfile {
  double fp32FlopsPerSecond = 0; ///< Peak; with `rates`, the rate that large products reach.
  double fp16FlopsPerSecond = 0;
  double invocations = 0; ///< Concurrent invocations needed for full speed; fewer reach a part of it.
  double bytesPerSecond = 0;
  Cache cache;
  double dispatchSeconds = 0;    ///< Time from the end of one dispatch to the work of the next, with a barrier between.
  double meetingSeconds = 0;     ///< Time of a submission and of the wait for its fence, without any work.
  std::optional<GpuRates> rates; ///< Measured rates; `nullopt` to use the peaks and CostModel's table.
};

struct MemoryProfile {
  bool shared = true;            ///< True if both engines share one memory, so that nothing is copied.
  double bytesPerSecond = 0;     ///< Bandwidth of all engines together.
  double copyBytesPerSecond = 0; ///< Rate of copies between the two memories; 0 if they share one.
};

struct DeviceProfile {
  std::string name;
  std::string description;
  CpuProfile cpu;
  GpuProfile gpu;
  MemoryProfile memory;
};

/// Parses a profile. Errors begin with `where` and name line and column, or the path of the wrong value.
llvm::Expected<DeviceProfile> parseDeviceProfile(llvm::StringRef json, llvm::StringRef where);

/// Profile from profiles/.
struct ShippedProfile {
  llvm::StringRef name; ///< Name of the file without `.json`, and of the profile.
  llvm::StringRef json;
};
llvm::ArrayRef<ShippedProfile> shippedProfiles();

/// Returns the profile of a shipped profile's name, or of a file (any path that ends in `.json`).
llvm::Expected<DeviceProfile> loadDeviceProfile(llvm::StringRef nameOrPath);

} // namespace nacre::place

#endif // NACRE_COMPILER_PLACE_DEVICEPROFILE_H
