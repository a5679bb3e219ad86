// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the attributes that passes of codegen leave on operations for later passes.
// Why:   the writer and the reader of an attribute share nothing else. Only this file defines its name and its form.
//        The notes of phases on a plan are in dialects/plan/Notes.h.

#ifndef NACRE_CODEGEN_KERNELNOTES_H
#define NACRE_CODEGEN_KERNELNOTES_H

#include "llvm/ADT/StringRef.h"

namespace nacre::codegen::notes {

// Attributes of the function that an emitter has filled, for the tables of the runtime; integers unless stated. CPU:
// written by EmitCpu, read by CompileKernel. GPU: written and read by EmitGpu, except those of Bindings.

/// Both engines. Indices of the cut axis in a block of units (CPU) or a row of workgroups.
constexpr llvm::StringLiteral kUnitExtent = "nacre.unit_extent";
constexpr llvm::StringLiteral kFlops = "nacre.flops"; ///< Both engines, an f64. Operations of the whole kernel.

/// CPU, an f64. Operations that the code executes, if a method needs fewer.
constexpr llvm::StringLiteral kExecutedFlops = "nacre.executed_flops";
constexpr llvm::StringLiteral kUnitsPerBlock = "nacre.units_per_block";    ///< CPU. See nacre_cpu_variant.
constexpr llvm::StringLiteral kScratchBytes = "nacre.scratch_bytes";       ///< CPU. Bytes of each thread.
constexpr llvm::StringLiteral kUnitNanoseconds = "nacre.unit_nanoseconds"; ///< CPU. An estimate.
constexpr llvm::StringLiteral kFallback =
    "nacre.fallback"; ///< CPU, a text: the emitters of the kernel's kind, which all declined.
/// CPU, unit: LLVM must keep the order of instructions.
constexpr llvm::StringLiteral kKeepsOrder = "nacre.keeps_order";

constexpr llvm::StringLiteral kNeeds = "nacre.needs";   ///< GPU. Bits of the features that a device must have.
constexpr llvm::StringLiteral kGroups = "nacre.groups"; ///< GPU. Workgroups for unit_extent indices.
constexpr llvm::StringLiteral kWorkgroupSize = "nacre.workgroup_size"; ///< GPU. Invocations of a workgroup.
constexpr llvm::StringLiteral kSharedBytes = "nacre.shared_bytes";     ///< GPU. Bytes of a workgroup.
constexpr llvm::StringLiteral kFamilies = "nacre.families"; ///< GPU. Bits of the families that may use the variant.

/// GPU, an array: the operand of each buffer. Written by Bindings.
constexpr llvm::StringLiteral kBindings = "nacre.bindings";
/// GPU. Bits of the operands with a variable offset. Written by Bindings.
constexpr llvm::StringLiteral kShifted = "nacre.shifted";
/// GPU. Operands above this size are bound in pieces. Written by Bindings.
constexpr llvm::StringLiteral kPieceBytes = "nacre.piece_bytes";

/// Unit attribute that marks a CPU function as a kernel, not a declaration or a constant table next to it. EmitCpu
/// writes it. CompileKernel and WrapKernel read it, and WrapKernel removes it.
constexpr llvm::StringLiteral kKernel = "nacre.kernel";

/// Number of the loop of a linalg operation that walks the cut axis. The fallback writes it before bufferization, which
/// keeps attributes, and reads it after.
constexpr llvm::StringLiteral kCutLoop = "nacre.cut_loop";

/// Alignment of each operand of a kernel in bytes, a power of two, as an array. NoteAlignments writes it if one is
/// below kGpuBufferAlignment; Bindings reads it (readAlignments).
constexpr llvm::StringLiteral kAlignments = "nacre.alignments";

/// Number of the push constant of a placeholder, as in nacre_gpu_variant. Bindings writes it, and LowerToSpirv reads
/// it.
constexpr llvm::StringLiteral kPushConstant = "nacre.push_constant";

/// Marks a product whose sum is divided and rounded to an integer: drivers must not fuse product and sum. InlineBody
/// writes it, and LowerToSpirv reads it.
constexpr llvm::StringLiteral kNotFused = "nacre.not_fused";

/// Text on a kernel that nacre-emit-gpu cannot emit: the reason of each emitter. For tests and debugging.
constexpr llvm::StringLiteral kDeclined = "nacre.declined";

} // namespace nacre::codegen::notes

#endif // NACRE_CODEGEN_KERNELNOTES_H
