// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  packs a right operand of bytes that is not a weight into a panel that has several steps of each column side by
//        side.
// Why:   instructions that multiply words of bytes need this layout. Packed weights have it, too.
// How:   if columns lie one after another, each step of a group is loaded, and the steps are interleaved in registers.
//        Otherwise words or single bytes are copied.

#ifndef NACRE_CODEGEN_CPU_PANELS_PACKGROUPS_H
#define NACRE_CODEGEN_CPU_PANELS_PACKGROUPS_H

#include "codegen/cpu/panels/PackColumns.h"
#include "codegen/form/DepthGroups.h"

namespace nacre::codegen::cpu {

/// Packs one run of steps into the panel that begins at `rows`. Steps are `stepStride` elements apart in the source.
void packGroups(VectorBuilder &build, const PackedSource &source, int64_t stepStride, PackedAxis columns,
                const DepthGroups &groups, const PanelRows &rows);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_PANELS_PACKGROUPS_H
