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
           "Operating system: host, linux-x86_64, linux-arm64 or android-arm64">,
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "LLVM's names of the CPUs, separated by commas; empty for the target's default">,
  ];
}

def ChooseTilesPass : TargetPass<"nacre-choose-tiles", [
    Option<"winogradBytes", "winograd-bytes", "int64_t", /*default=*/"0",
           "By which all weights together may grow for Winograd convolutions">]> {
  let summary = "Decide how the weights of contractions are packed";
  let description = [{
    A contraction reads its weight in panels of as many columns as its register tile is wide. The tile tables of the target
    choose the width from the shape. A weight has one layout: where kernels disagree, the one with the most work decides, and a
    weight that somebody reads in another way stays plain. Filters of 3x3 convolutions that the CPU alone computes are
    transformed for Winograd where that pays, those that save the most time a byte first, until all weights have grown as much
    as they may (WinogradTables.h).

    Requires: kernels over whole storages, launches on storages.

    Ensures: `encodings` of every contraction and `encoding` of its weights agree; launches are cut at multiples of their
    kernel's grain.

    Example: test/codegen/cpu/choose-tiles.mlir; a weight is packed as wide as the register tile; kernel and weight
    agree.
  }];
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
                           "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
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
