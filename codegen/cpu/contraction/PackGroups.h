// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a right operand of bytes that is no weight, put into a panel with several steps of each column side by side.
// Why:   instructions that multiply words of bytes read it so, as they read a packed weight.
// How:   columns that lie one after another are loaded for each step of a group, and interleaved in registers; others are copied
//        word by word, or byte by byte.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_PACKGROUPS_H
#define NACRE_CODEGEN_CPU_CONTRACTION_PACKGROUPS_H

#include "codegen/cpu/contraction/PackColumns.h"
#include "codegen/form/DepthGroups.h"

namespace nacre::codegen::cpu {

/// One run of steps, `stepStride` elements apart in the source, to the panel that begins at `rows`.
void packGroups(VectorBuilder &build, const PackedSource &source, int64_t stepStride, PackedAxis columns,
                const DepthGroups &groups, const PanelRows &rows);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_PACKGROUPS_H
