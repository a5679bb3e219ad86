// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of GPU code generation. docs/phases/codegen.md
//
// Reads:  `plan.kernel`s over whole storages, as docs/phases/kernels.md says.
// Writes: compute shaders of the gpu dialect.

#ifndef NACRE_CODEGEN_GPU_PASSES
#define NACRE_CODEGEN_GPU_PASSES

include "dialects/plan/PassOptions.td"

def NoteAlignmentsPass : Pass<"nacre-note-alignments", "::mlir::ModuleOp"> {
  let summary = "Note on kernels where their operands may begin";
  let description = [{
    Vulkan binds a buffer only at multiples of the device's alignment, 256 bytes at most. A view of a storage may begin
    elsewhere: a row of a recurrence's states, a part of a concatenation. Code for GPUs shifts the indices into such an
    operand, and reads vectors of it only where they are whole. A kernel is one for all its launches, so what they have in
    common is noted on it.

    Requires: launches on storages; storages and weights begin on 256 bytes.

    Ensures: a kernel that is launched on an operand that may begin elsewhere has the attribute `nacre.alignments`: for each
    operand a power of two of bytes.

    Example: test/codegen/gpu/note-alignments.mlir; rows of three elements begin on any element.
  }];
}

def EmitGpuPass : Pass<"nacre-emit-gpu", "::mlir::ModuleOp"> {
  let summary = "Turn kernels into compute shaders on vectors and flat arrays";
  let description = [{
    The emitter of the kernel's kind writes what one invocation does: `scf`, `vector`s of up to four lanes, flat `memref`s
    of scalars or of such vectors. A kernel becomes one `gpu.module` per variant. A kernel that no emitter takes stays,
    with the reason: the CPU computes it.

    Requires: kernels over whole storages; weights' encodings chosen.

    Ensures: each `gpu.func` takes a buffer per operand and width and says in `nacre.*` attributes how it is launched; the
    share of the cut axis comes from placeholders named `nacre.push_constant`.

    Example: test/codegen/gpu/emit-gpu.mlir; a product for GPUs with fast shared memory, then for any.
  }];
  let options = [
    GpuPrecisionOption<"precision", "Precision of multiplications in contractions: fp32 or fp16">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::spirv::SPIRVDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // NACRE_CODEGEN_GPU_PASSES
