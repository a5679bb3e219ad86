// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the machine for which a model is compiled: operating system, instruction set, registers, caches.
// Why:   one code generator serves every CPU. All differences between CPUs are members of Target.
// How:   a CPU is reduced to the feature bits that the runtime checks (nacre_cpu_bit), and to a name that tunes
//        scheduling. Therefore, kernels only use instructions that were requested.

#ifndef NACRE_CODEGEN_TARGET_H
#define NACRE_CODEGEN_TARGET_H

#include "codegen/MachineModel.h"
#include "dialects/plan/FloatStorage.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace nacre::codegen {

/// Vector registers of a CPU. A MachineRow describes its multiply-adds.
struct VectorUnit {
  /// Lanes that one load or store instruction can select.
  enum class Masks {
    None,  ///< Only loads and stores of whole vectors.
    Loads, ///< Loads may select lanes of 32 or 64 bits. Masked stores exist, but take tens of cycles on AMD's cores.
    All    ///< Loads and stores may select any lanes.
  };
  unsigned registers = 16;
  unsigned bytes = 16; ///< Size of a register in bytes.
  Masks masks = Masks::None;
  /// Number of vectors for which a long formula is computed side by side, to hide latency.
  unsigned sideBySide = 2;
  bool hasMultiplyAdd = true; ///< True if one instruction multiplies and adds.
  bool convertsHalves = true; ///< True if instructions convert between f16 and f32.
};

/// A CPU of an operating system, for which each kernel has one variant.
struct Target {
  std::string name;     ///< Name of --target=, with `host` resolved, such as `linux-x86_64`.
  std::string triple;   ///< LLVM's name of the target.
  std::string cpu;      ///< LLVM's name of the base architecture.
  std::string features; ///< Features beyond the base architecture, in LLVM's form: `+dotprod,+lse`.
  std::string tuneCpu;  ///< CPU whose scheduling model is used.
  VectorUnit vectors;
  bool arm64 = false;
  bool inOrder = false; ///< True if the CPU issues instructions in order, like the little cores of phones.
  uint64_t needs = 0;   ///< Bit mask (NACRE_CPU_NEED) of all features that kernels may use.
  MachineModel model;   ///< Speed of its cores.
  /// True if a CPU may emulate a GPU on this operating system, by lavapipe or SwiftShader. Phones have real GPUs.
  bool mayPlayGpu = true;

  /// Returns the number of elements of `elementBytes` bytes in a vector register.
  unsigned lanes(unsigned elementBytes = 4) const { return vectors.bytes / elementBytes; }
};

/// Returns the targets of `--target=name --cpu=cpus`: one for each CPU in the comma-separated list `cpus`. Targets with
/// wider vectors come first, then targets that need more features. Reports an error if two targets need the same
/// features.
///
/// If `cpus` is empty, the CPU is `native` for the host, and otherwise the baseline: AVX2 with FMA, or armv8.0-a tuned
/// for big cores. Android's x86-64 has two baselines, AVX2 with FMA and SSE4.2, because Android only guarantees SSE4.2.
/// On other systems, x86 CPUs without AVX2 must be named.
llvm::Expected<llvm::SmallVector<Target, 1>> parseTargets(llvm::StringRef name, llvm::StringRef cpus);

/// True if the CPU multiplies and adds vectors of this type at least as fast as those of f32.
bool multiplies(const Target &target, FloatStorage storage);

/// True if `--cpu=cpu` is valid for this target: LLVM knows it as a CPU of the target's architecture.
bool isCpuOf(llvm::StringRef target, llvm::StringRef cpu);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_TARGET_H
