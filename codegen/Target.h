// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the machine for which a model is compiled: operating system, instruction set, registers, caches.
// Why:   one code generator serves every CPU; all differences between CPUs are members of Target.
// How:   a CPU is reduced to the feature bits that the runtime checks (nacre_cpu_bit), and to a name that tunes
//        scheduling. So no kernel can use an instruction that was not requested.

#ifndef NACRE_CODEGEN_TARGET_H
#define NACRE_CODEGEN_TARGET_H

#include "codegen/MachineModel.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace nacre::codegen {

/// Vector registers of a CPU. A MachineRow describes its multiply-adds.
struct VectorUnit {
  /// Lanes of a vector that one instruction can load and store.
  enum class Masks {
    None,  ///< Only whole vectors.
    Loads, ///< Loads any lanes of 32 or 64 bits. Stores of some lanes exist, but take tens of cycles on AMD's cores.
    All    ///< Any lanes.
  };
  unsigned registers = 16;
  unsigned bytes = 16; ///< Bytes of a register.
  Masks masks = Masks::None;
  /// Vectors of a long formula that are computed side by side, to hide latency.
  unsigned sideBySide = 2;
  bool hasMultiplyAdd = true; ///< True if one instruction multiplies and adds.
  bool convertsHalves = true; ///< True if it converts between f16 and f32.
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
  bool inOrder = false; ///< True if it issues instructions in order, like the little cores of phones.
  uint64_t needs = 0;   ///< NACRE_CPU_NEED bits of all features that kernels may use.
  MachineModel model;   ///< Speed of its cores.
  /// True if a CPU may emulate a GPU on this system, by lavapipe or SwiftShader. Phones have real GPUs.
  bool mayPlayGpu = true;

  /// Returns the elements of a vector register.
  unsigned lanes(unsigned elementBytes = 4) const { return vectors.bytes / elementBytes; }
};

/// Returns the targets of `--target=name --cpu=cpus`: one for each name in the comma-separated `cpus`. Those with the
/// widest vectors come first, then the most demanding. No two may have the same needs.
///
/// Empty `cpus` means `native` for the host, else the baseline: AVX2 with FMA, or armv8.0-a tuned for big cores. On
/// Android's x86-64 it is AVX2 with FMA, and also SSE4.2, because Android guarantees only that. Elsewhere, x86 CPUs
/// older than AVX2 must be named.
llvm::Expected<llvm::SmallVector<Target, 1>> parseTargets(llvm::StringRef name, llvm::StringRef cpus);

/// True if `--cpu=cpu` is valid for this target: LLVM knows it as a CPU of the target's architecture.
bool isCpuOf(llvm::StringRef target, llvm::StringRef cpu);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_TARGET_H
