// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that options of a compilation may have for machines: targets, CPUs, phones' chips, device profiles.
//
// Tools list them, and suggest one for a name that is unknown.

#ifndef NACRE_COMPILER_DRIVER_DEVICENAMES_H
#define NACRE_COMPILER_DRIVER_DEVICENAMES_H

#include "dialects/plan/FloatStorage.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace nacre {

/// Returns names and descriptions of the device profiles that nacre-compile carries.
llvm::SmallVector<std::pair<std::string, std::string>> describeDevices();

/// Fails, with the reason, if CompilerOptions::device names no profile, or one that is not valid.
llvm::Error checkDevice(llvm::StringRef device);

/// Fails, with the reason, if CompilerOptions::target and cpus cannot be these.
llvm::Error checkTarget(llvm::StringRef target, llvm::StringRef cpus);

/// Returns the names that CompilerOptions::target may have, and those that CompilerOptions::cpus may have for a target.
std::vector<std::string> targetNames();
std::vector<std::string> cpuNames(llvm::StringRef target);

/// Returns whether CompilerOptions::cpus may name this CPU if the target is this one.
bool isCpuOf(llvm::StringRef target, llvm::StringRef cpu);

/// Returns `cpus` and a phone's CPU that multiplies values of `storage`, so that a library has a variant with such
/// instructions. An empty `cpus` stands for the default of `target`. Returns `cpus` if all CPUs multiply such values,
/// for a target that is no phone, and for the host.
std::string addCpuThatMultiplies(FloatStorage storage, llvm::StringRef target, llvm::StringRef cpus);

/// A phone's chip, which CompilerOptions::cpus may name.
struct ChipDescription {
  std::string vendor, name;
  std::vector<std::string> models;   ///< Other names.
  std::string cores;                 ///< List of cores, such as `1 cortex-x3, 3 cortex-a715`.
  std::vector<std::string> features; ///< Features that all cores have in addition to NEON.
};

/// Returns all chips, those of one vendor together.
std::vector<ChipDescription> describeChips();

/// Returns the name of the chip that has this name or model number, or "".
std::string chipNamed(llvm::StringRef nameOrModel);

/// Returns the name of the only chip with a device profile among these names of CPUs, separated by commas, or "".
std::string profileOfChip(llvm::StringRef cpus);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_DEVICENAMES_H
