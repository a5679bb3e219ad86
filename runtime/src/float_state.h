// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets the processor's floating-point state while kernels compute, so that subnormal numbers count as zero.
// Why: multiplying by a subnormal number takes 150 cycles on some cores. Decaying values and masked attention contain
//      many of them. Results must also not depend on the floating-point state of the app's threads. So the state also
//      rounds to nearest and traps nothing.
// How: a scope object sets the thread's control register and restores it at its end. This takes some nanoseconds for
//      each part of a launch. Subnormal f16 numbers keep their values: they are large enough to matter, and cost no
//      time.

#ifndef NACRE_RUNTIME_SRC_FLOAT_STATE_H
#define NACRE_RUNTIME_SRC_FLOAT_STATE_H

#include <stdint.h>

namespace nacre::runtime {

#if defined(__aarch64__)

constexpr uint64_t kKernelFloatState = uint64_t(1) << 24; // FPCR.FZ

// The clobber "memory" keeps the compiler from moving calls across this instruction.
inline uint64_t float_state() {
  uint64_t state;
  __asm__ volatile("mrs %0, fpcr" : "=r"(state)::"memory");
  return state;
}
inline void set_float_state(uint64_t state) { __asm__ volatile("msr fpcr, %0" ::"r"(state) : "memory"); }

#else

// Value of MXCSR: the initial value of a process, with FTZ and DAZ added.
constexpr uint32_t kKernelFloatState = 0x1f80 | 1 << 15 | 1 << 6;

inline uint32_t float_state() {
  uint32_t state;
  __asm__ volatile("stmxcsr %0" : "=m"(state)::"memory");
  return state;
}
inline void set_float_state(uint32_t state) { __asm__ volatile("ldmxcsr %0" ::"m"(state) : "memory"); }

#endif

class KernelFloatState {
public:
  KernelFloatState() : before(float_state()) { set_float_state(kKernelFloatState); }
  ~KernelFloatState() { set_float_state(before); }
  KernelFloatState(const KernelFloatState &) = delete;
  KernelFloatState &operator=(const KernelFloatState &) = delete;

private:
  decltype(float_state()) before;
};

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_FLOAT_STATE_H
