// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows that tables are tested with: those of f32.

#ifndef NACRE_TEST_UNIT_CODEGEN_CPU_MACHINES_H
#define NACRE_TEST_UNIT_CODEGEN_CPU_MACHINES_H

#include "codegen/cpu/tiles/MachineRows.h"
#include "runtime/include/nacre/model_format.h"

namespace nacre::codegen::cpu::test {

inline const MachineRow &singlesOf(nacre_cpu_bit bit) { return *bestRow(machineRows(), NACRE_CPU_NEED(bit), {}); }

inline const MachineRow &kSse4 = singlesOf(NACRE_X86_64_V2), &kAvx2 = singlesOf(NACRE_X86_64_V3),
                        &kAvx512 = singlesOf(NACRE_X86_64_V4), &kNeon = singlesOf(NACRE_ARM64_NEON);

} // namespace nacre::codegen::cpu::test

#endif // NACRE_TEST_UNIT_CODEGEN_CPU_MACHINES_H
