// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the rates, bandwidths and latencies of a device's engines, for placement.
// Why: the cost model does not depend on devices, so a new phone only needs a new file.
// How: the files are JSON (docs/device-profile.schema.json). Reading is strict: a misspelt or missing value is an error
//      with its path, and never gets a default. nacre-compile contains the profiles of profiles/.

#ifndef NACRE_COMPILER_PLACE_DEVICEPROFILE_H
#define NACRE_COMPILER_PLACE_DEVICEPROFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace nacre::place {

/// Cores of one type.
struct Cluster {
  std::string core;
  unsigned cores = 0;
  double gigahertz = 0;
  double flopsPerCycle = 0;      ///< Operations of one core in f32; a fused multiply-add counts as two.
  double integerOpsPerCycle = 0; ///< Operations of one core per cycle in products of bytes, with its best instructions.
  double halfFlopsPerCycle = 0;  ///< The same in products of f16; flopsPerCycle if the core has to widen them.
};

/// Last-level cache of an engine. Other engines use little of it.
struct Cache {
  double bytes = 0;
  double bytesPerSecond = 0;
};

struct CpuProfile {
  std::vector<Cluster> clusters; ///< Clusters, fastest first.
  unsigned threads = 0;          ///< Threads that the runtime uses; by default the number of big cores.
  double bytesPerSecond = 0;     ///< Bytes per second that all threads together read from memory.
  double coreBytesPerSecond = 0; ///< Bytes per second that one thread reads from memory.
  Cache cache;                   ///< Last-level cache, with the rate of one thread. All threads have equal rates.
  double launchSeconds = 0;      ///< Time to start the threads of a launch and to wait for them.

  /// Returns the multiplications and additions per second of the `count` fastest cores together.
  double flopsPerSecond(unsigned count) const;
  /// Returns the speed of products of bytes on the fastest core, relative to f32.
  double integerRate() const;
  /// The same for products of f16. It is at least 1, because a core without such instructions widens the operands.
  double halfRate() const;
};

/// Measured rates of a GPU by form of work, in elements per second. Elements that iterations of loops read or write
/// count.
struct GpuRates {
  double streamed = 0, depthwise = 0, pointwise = 0, row = 0, movement = 0;
};

struct GpuProfile {
  double fp32FlopsPerSecond = 0; ///< Peak rate; if `rates` exist, the rate that large products reach.
  double fp16FlopsPerSecond = 0;
  double invocations = 0; ///< Number of concurrent invocations for full speed. With fewer, the speed is proportional.
  double bytesPerSecond = 0;
  Cache cache;
  double dispatchSeconds = 0;    ///< Time from the end of one dispatch to the work of the next, with a barrier between.
  double meetingSeconds = 0;     ///< Time of a submission and of the wait for its fence, without any work.
  std::optional<GpuRates> rates; ///< Measured rates; `nullopt` to use peak rates and the table in CostModel.cpp.
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

/// Parses a profile. Errors begin with `where` and contain line and column, or the path of the wrong value.
llvm::Expected<DeviceProfile> parseDeviceProfile(llvm::StringRef json, llvm::StringRef where);

/// Profile from profiles/.
struct ShippedProfile {
  llvm::StringRef name; ///< Name of the profile, and of its file without `.json`.
  llvm::StringRef json;
};
llvm::ArrayRef<ShippedProfile> shippedProfiles();

/// Returns the shipped profile with this name, or the profile in this file (any path that ends with `.json`).
llvm::Expected<DeviceProfile> loadDeviceProfile(llvm::StringRef nameOrPath);

} // namespace nacre::place

#endif // NACRE_COMPILER_PLACE_DEVICEPROFILE_H
