// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the attributes that passes of codegen leave on operations for later passes.
// Why:   the writer and the reader of an attribute share only this file, which defines its name and its form. The notes
//        of phases on a plan are in dialects/plan/Notes.h.

#ifndef NACRE_CODEGEN_KERNELNOTES_H
#define NACRE_CODEGEN_KERNELNOTES_H

#include "llvm/ADT/StringRef.h"

namespace nacre::codegen::notes {

// Attributes of the function that an emitter has filled, for the tables of the runtime. They are integers unless stated
// otherwise. EmitCpu writes those of the CPU, and CompileKernel reads them. EmitGpu writes and reads those of the GPU,
// unless Bindings writes them.

/// Both engines. Number of indices of the cut axis in a block of units (CPU) or in a row of workgroups (GPU).
constexpr llvm::StringLiteral kUnitExtent = "nacre.unit_extent";
/// Both engines, an f64. Operations of the whole kernel by its definition.
constexpr llvm::StringLiteral kFlops = "nacre.flops";

/// CPU, an f64. Operations that the code executes, if its method needs fewer than the definition.
constexpr llvm::StringLiteral kExecutedFlops = "nacre.executed_flops";
constexpr llvm::StringLiteral kUnitsPerBlock = "nacre.units_per_block";    ///< CPU. See nacre_cpu_variant.
constexpr llvm::StringLiteral kScratchBytes = "nacre.scratch_bytes";       ///< CPU. Scratch of each thread in bytes.
constexpr llvm::StringLiteral kUnitNanoseconds = "nacre.unit_nanoseconds"; ///< CPU. An estimate.
constexpr llvm::StringLiteral kFallback =
    "nacre.fallback"; ///< CPU, a string. Emitters of the kernel's kind, which all declined.
/// CPU, a unit attribute. LLVM must keep the order of instructions.
constexpr llvm::StringLiteral kKeepsOrder = "nacre.keeps_order";

constexpr llvm::StringLiteral kNeeds = "nacre.needs";   ///< GPU. Bit mask of the features that a device must have.
constexpr llvm::StringLiteral kGroups = "nacre.groups"; ///< GPU. Number of workgroups for unit_extent indices.
constexpr llvm::StringLiteral kWorkgroupSize = "nacre.workgroup_size"; ///< GPU. Number of invocations of a workgroup.
constexpr llvm::StringLiteral kSharedBytes = "nacre.shared_bytes";     ///< GPU. Shared memory of a workgroup in bytes.
/// GPU. Bit mask of the GPU families that may use the variant.
constexpr llvm::StringLiteral kFamilies = "nacre.families";

/// GPU, an array. Index of the operand of each buffer. Written by Bindings.
constexpr llvm::StringLiteral kBindings = "nacre.bindings";
/// GPU. Bit mask of the operands with a variable offset. Written by Bindings.
constexpr llvm::StringLiteral kShifted = "nacre.shifted";
/// GPU. Size in bytes above which operands are bound in pieces. Written by Bindings.
constexpr llvm::StringLiteral kPieceBytes = "nacre.piece_bytes";

/// Unit attribute that marks a CPU function as a kernel, not a declaration or a constant table next to it. EmitCpu
/// writes it. CompileKernel and WrapKernel read it, and WrapKernel removes it.
constexpr llvm::StringLiteral kKernel = "nacre.kernel";

/// Index of the loop of a linalg operation that walks the cut axis. The fallback writes it before bufferization, which
/// keeps attributes, and reads it afterwards.
constexpr llvm::StringLiteral kCutLoop = "nacre.cut_loop";

/// Array of the alignment of each operand of a kernel in bytes, each a power of two. NoteAlignments writes it if an
/// alignment is below kGpuBufferAlignment. Bindings reads it (readAlignments).
constexpr llvm::StringLiteral kAlignments = "nacre.alignments";

/// Index of a placeholder's push constant, as in nacre_gpu_variant. Bindings writes it, and LowerToSpirv reads it.
constexpr llvm::StringLiteral kPushConstant = "nacre.push_constant";

/// Marks a product whose sum is divided and rounded to an integer. Drivers must not fuse the product and the sum.
/// InlineBody writes it, and LowerToSpirv reads it.
constexpr llvm::StringLiteral kNotFused = "nacre.not_fused";

/// Text on a kernel that nacre-emit-gpu cannot emit: the reason of each emitter. For tests and debugging.
constexpr llvm::StringLiteral kDeclined = "nacre.declined";

} // namespace nacre::codegen::notes

#endif // NACRE_CODEGEN_KERNELNOTES_H
