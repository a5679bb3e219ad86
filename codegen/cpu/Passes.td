// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of CPU code generation. docs/phases/codegen.md
//
// Reads:  `plan.kernel`s over whole storages, as docs/phases/kernels.md says.
// Writes: functions of the LLVM dialect with the runtime's signature.

#ifndef NACRE_CODEGEN_CPU_PASSES
#define NACRE_CODEGEN_CPU_PASSES

include "mlir/Pass/PassBase.td"

class TargetPass<string argument, list<Option> more = []> : Pass<argument, "::mlir::ModuleOp"> {
  let options = more # [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
           "Operating system: host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64">,
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "LLVM's names of the CPUs, separated by commas; empty for the target's default">,
  ];
}

def ComputeInHalvesPass : TargetPass<"nacre-compute-in-halves"> {
  let summary = "Let kernels that are no products compute in f16 if no bit of a result changes";
  let description = [{
    Bodies of the kernels phase widen f16 to f32, compute, and round to f16. On CPUs with f16 arithmetic, a register holds
    twice as many f16 values, and needs no conversions. Bounds, selections, maxima and single additions, subtractions,
    multiplications, divisions and square roots have the same result in f16. Sums of more terms and functions do not, so
    their kernels stay as they are. codegen/cpu/halves/NarrowBody.h has the rules.

    Requires: kernels over whole storages.

    Ensures: a nest, a row, a transpose or an indexed kernel has no float wider than f16, or has the same body as before.
    All others, and all kernels for CPUs without f16 arithmetic, are unchanged.

    Example: test/codegen/cpu/compute-in-halves.mlir; a pool keeps its maxima in f16.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

def EmitCpuPass : TargetPass<"nacre-emit-cpu"> {
  let summary = "Turn every kernel into a function on vectors and flat arrays";
  let description = [{
    The emitter of the kernel's kind writes register tiles directly: `scf` loops, 1-D `vector`s and flat `memref`s. No later
    pass has a choice left to make. A kernel whose form no emitter takes goes through bufferization and plain loops, and is
    marked `nacre.fallback`.

    Requires: kernels over whole storages; weights' encodings chosen.

    Ensures: no `plan.kernel` remains; each function takes its storages, scratch, the share and a range of units, and says
    in `nacre.*` attributes how a share is divided into units.

    Example: test/codegen/cpu/emit-cpu.mlir; a map over rows, which its units divide.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerToLlvmPass : Pass<"nacre-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert what emitters build from to the LLVM dialect, all dialects at once";
  let description = [{
    Upstream has a conversion for each dialect, which walks a kernel once more and leaves casts to be reconciled. In one
    conversion the same patterns take a third of the time. Upstream also builds a descriptor for each access of an array.
    If all arrays of the module are flat, as those of all emitters are except the fallback, an access only needs a pointer.

    Requires: functions whose loops are branches (`convert-scf-to-cf`), on vectors of one dimension.

    Ensures: only operations of the LLVM dialect remain; arrays are bare pointers; a math function without an intrinsic is a
    call of the C library.

    Example: test/codegen/cpu/lower-to-llvm.mlir; a vector is loaded and stored by bare pointers.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect"];
}

def WrapKernelPass : Pass<"nacre-wrap-kernel", "::mlir::ModuleOp"> {
  let summary = "Give kernels the signature that the runtime calls";
  let description = [{
    The runtime calls every kernel with one struct of pointers and a range of units. The function that was emitted keeps its
    bare pointers, which LLVM knows not to alias, and is inlined into the one that unpacks the struct.

    Requires: functions of the LLVM dialect made from `nacre-emit-cpu`'s by the bare-pointer calling convention.

    Ensures: one function per kernel is visible, of type `nacre_kernel_function`.

    Example: test/codegen/cpu/wrap-kernel.mlir; the struct of arguments is unpacked around the emitted function.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // NACRE_CODEGEN_CPU_PASSES
