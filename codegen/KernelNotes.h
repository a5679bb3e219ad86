// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the attributes that passes of codegen leave on operations for one another, beside those of the operations.
// Why:   who writes one and who reads it share nothing else; its name and its form are said here alone.
//        What phases note on a plan is in dialects/plan/Notes.h.

#ifndef NACRE_CODEGEN_KERNELNOTES_H
#define NACRE_CODEGEN_KERNELNOTES_H

#include "llvm/ADT/StringRef.h"

namespace nacre::codegen::notes {

// On the function that an emitter has filled, for the tables of the runtime, an integer where nothing else is said.
// CPU: written by EmitCpu, read by CompileKernel. GPU: written and read back by EmitGpu, apart from the bindings'.

constexpr llvm::StringLiteral kUnitExtent = "nacre.unit_extent"; ///< Both. Indices of the cut axis at a time.
constexpr llvm::StringLiteral kFlops = "nacre.flops";            ///< Both. Of the whole kernel, an f64.

constexpr llvm::StringLiteral kExecutedFlops = "nacre.executed_flops";     ///< CPU, an f64. Where a method takes fewer.
constexpr llvm::StringLiteral kUnitsPerBlock = "nacre.units_per_block";    ///< CPU.
constexpr llvm::StringLiteral kScratchBytes = "nacre.scratch_bytes";       ///< CPU. Of each thread.
constexpr llvm::StringLiteral kUnitNanoseconds = "nacre.unit_nanoseconds"; ///< CPU. A guess.
constexpr llvm::StringLiteral kFallback =
    "nacre.fallback"; ///< CPU, a text: the emitters of its kind, which all declined.
constexpr llvm::StringLiteral kKeepsOrder = "nacre.keeps_order"; ///< CPU, unit: LLVM keeps the order of instructions.

constexpr llvm::StringLiteral kNeeds = "nacre.needs";   ///< GPU. Bits of what a device must be able to do.
constexpr llvm::StringLiteral kGroups = "nacre.groups"; ///< GPU. Workgroups for these.
constexpr llvm::StringLiteral kWorkgroupSize = "nacre.workgroup_size"; ///< GPU. Invocations.
constexpr llvm::StringLiteral kSharedBytes = "nacre.shared_bytes";     ///< GPU. Of a workgroup.
constexpr llvm::StringLiteral kFamilies = "nacre.families";            ///< GPU. Bits of the families that it is for.

constexpr llvm::StringLiteral kBindings = "nacre.bindings";      ///< By Bindings, an array: the operand of each buffer.
constexpr llvm::StringLiteral kShifted = "nacre.shifted";        ///< By Bindings. Bits of operands that begin anywhere.
constexpr llvm::StringLiteral kPieceBytes = "nacre.piece_bytes"; ///< By Bindings. Larger operands are bound in pieces.

/// On the CPU's function, a unit: it is a kernel, and not a declaration or a constant table beside it. Written by
/// EmitCpu; read by CompileKernel and by WrapKernel, which takes it away.
constexpr llvm::StringLiteral kKernel = "nacre.kernel";

/// On a linalg operation: the number of its loop that walks the cut axis. The fallback writes it before bufferization,
/// which keeps attributes, and reads it after.
constexpr llvm::StringLiteral kCutLoop = "nacre.cut_loop";

/// On a kernel, an array: for each operand a power of two of bytes. Written by NoteAlignments where one is less than
/// any buffer's, read by Bindings (readAlignments).
constexpr llvm::StringLiteral kAlignments = "nacre.alignments";

/// On the placeholder of a push constant: its number, as in nacre_gpu_variant. Written by Bindings, read by
/// LowerToSpirv.
constexpr llvm::StringLiteral kPushConstant = "nacre.push_constant";

/// On a product whose sum is divided and rounded to an integer: drivers must not fuse product and sum. InlineBody writes it, and
/// LowerToSpirv reads it.
constexpr llvm::StringLiteral kNotFused = "nacre.not_fused";

/// On a kernel that nacre-emit-gpu has left: why, a text, emitter by emitter. Read by tests and by whoever debugs.
constexpr llvm::StringLiteral kDeclined = "nacre.declined";

} // namespace nacre::codegen::notes

#endif // NACRE_CODEGEN_KERNELNOTES_H
