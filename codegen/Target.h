// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the machine a model is compiled for: operating system, instruction set, registers, caches.
// Why:   one code generator serves every CPU; whatever differs between them is read from here.
// How:   a CPU is reduced to the feature bits that the runtime checks (nacre_cpu_bit) and to a name that tunes
//        scheduling, so that no kernel can use an instruction that nobody asked for.

#ifndef NACRE_CODEGEN_TARGET_H
#define NACRE_CODEGEN_TARGET_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace nacre::codegen {

/// Sse4 has no multiply-add in one instruction and no conversions of f16: a baseline for old machines.
enum class Isa { Sse4, Avx2, Avx512, Neon };

/// A CPU of an operating system: one variant of each kernel.
struct Target {
  std::string name;     ///< As in --target=, `host` resolved: `linux-x86_64`.
  std::string triple;   ///< LLVM's name of the same.
  std::string cpu;      ///< LLVM's name of the base architecture.
  std::string features; ///< What is there beyond the base, as LLVM wants it: `+dotprod,+lse`.
  std::string tuneCpu;  ///< Whose scheduling model is used.
  Isa isa = Isa::Avx2;
  uint64_t needs = 0; ///< NACRE_CPU_NEED bits of all that kernels may use.
  uint64_t l1Bytes = 0, l2Bytes = 0;
  /// A device of this system may be a CPU that plays a GPU: lavapipe, SwiftShader. Phones have GPUs of their own.
  bool mayPlayGpu = true;

  bool isArm64() const { return isa == Isa::Neon; }
  /// Vector registers, and their width.
  unsigned registers() const { return isa == Isa::Sse4 || isa == Isa::Avx2 ? 16 : 32; }
  unsigned vectorBytes() const { return isa == Isa::Avx512 ? 64 : isa == Isa::Avx2 ? 32 : 16; }
  /// Elements of a vector register.
  unsigned lanes(unsigned elementBytes = 4) const { return vectorBytes() / elementBytes; }
};

/// The targets that `--target=name --cpu=cpus` mean: one for each name in the comma-separated `cpus`, those with the
/// widest vectors first, then the most demanding; no two need the same. Empty `cpus` means `native` for the host, else
/// the baseline: AVX2 with FMA, or armv8.0-a tuned for big cores. Older x86 CPUs, down to SSE4.2, must be named.
llvm::Expected<llvm::SmallVector<Target, 1>> parseTargets(llvm::StringRef name, llvm::StringRef cpus);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_TARGET_H
