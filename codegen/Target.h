// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the machine a model is compiled for: operating system, instruction set, registers, caches.
// Why:   one code generator serves every CPU; whatever differs between them is read from here.
// How:   a CPU is reduced to the feature bits that the runtime checks (nacre_cpu_bit) and to a name that tunes
//        scheduling, so that no kernel can use an instruction that nobody asked for.

#ifndef NACRE_CODEGEN_TARGET_H
#define NACRE_CODEGEN_TARGET_H

#include "codegen/MachineModel.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace nacre::codegen {

/// Vectors of a CPU, whatever is computed in them; what multiplies and adds is a MachineRow.
struct VectorUnit {
  /// What one instruction loads and stores of a vector.
  enum class Masks {
    None,  ///< All of it.
    Loads, ///< Loads any lanes of 32 or 64 bits; its stores of some lanes take tens of cycles on AMD's cores.
    All    ///< Any lanes.
  };
  unsigned registers = 16;
  unsigned bytes = 16; ///< Of a register.
  Masks masks = Masks::None;
  /// Vectors of a long formula that are computed side by side, so that one's latency is the others' time.
  unsigned sideBySide = 2;
  bool hasMultiplyAdd = true; ///< In one instruction.
  bool convertsHalves = true; ///< From and to f16.
};

/// A CPU of an operating system: one variant of each kernel.
struct Target {
  std::string name;     ///< As in --target=, `host` resolved: `linux-x86_64`.
  std::string triple;   ///< LLVM's name of the same.
  std::string cpu;      ///< LLVM's name of the base architecture.
  std::string features; ///< What is there beyond the base, as LLVM wants it: `+dotprod,+lse`.
  std::string tuneCpu;  ///< Whose scheduling model is used.
  VectorUnit vectors;
  bool arm64 = false;
  bool inOrder = false; ///< It issues instructions in order: the little cores of phones.
  uint64_t needs = 0;   ///< NACRE_CPU_NEED bits of all that kernels may use.
  MachineModel model;   ///< How fast its cores are.
  /// A device of this system may be a CPU that plays a GPU: lavapipe, SwiftShader. Phones have GPUs of their own.
  bool mayPlayGpu = true;

  /// Elements of a vector register.
  unsigned lanes(unsigned elementBytes = 4) const { return vectors.bytes / elementBytes; }
};

/// The targets that `--target=name --cpu=cpus` mean: one for each name in the comma-separated `cpus`, those with the
/// widest vectors first, then the most demanding; no two need the same. Empty `cpus` means `native` for the host, else
/// the baseline: AVX2 with FMA, or armv8.0-a tuned for big cores; on Android's x86-64 that and SSE4.2, which alone it
/// promises. Elsewhere x86 CPUs older than AVX2 must be named.
llvm::Expected<llvm::SmallVector<Target, 1>> parseTargets(llvm::StringRef name, llvm::StringRef cpus);

/// Whether `--cpu=cpu` can be said of this target: LLVM knows it as one of its architecture.
bool isCpuOf(llvm::StringRef target, llvm::StringRef cpu);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_TARGET_H
