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

    Example.

    ```mlir
    plan.weight @w = dense_resource<w> : tensor<512x512xf32>
    plan.kernel @matmul contraction (%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) into ...
    ```

    becomes

    ```mlir
    plan.weight @w = dense_resource<w> : tensor<512x512xf32> {encoding = #plan.encoding<panel, width = 16>}
    plan.kernel @matmul contraction (%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) into ...
        attributes {encodings = [unit, #plan.encoding<panel, width = 16>]}
    ```
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

    Example.

    ```mlir
    plan.kernel @relu nest (%x: tensor<4x8xf32>) into (%y: tensor<4x8xf32>) cut 0 : 4 by 1 { ... }
    ```

    becomes

    ```mlir
    func.func @relu(%x: memref<32xf32>, %y: memref<32xf32>, %scratch: memref<0xi8>, %share_begin: index,
                    %share_end: index, %begin: index, %end: index)
        attributes {nacre.kernel, nacre.unit_extent = 1 : i64, nacre.units_per_block = 1 : i64} { ... }
    ```
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

    Example.

    ```mlir
    llvm.func @relu(%x: !llvm.ptr, %y: !llvm.ptr, %scratch: !llvm.ptr, %share_begin: i64, %share_end: i64, %begin: i64,
                    %end: i64) attributes {nacre.kernel} { ... }
    ```

    becomes

    ```mlir
    llvm.func @relu(%args: !llvm.ptr, %begin: i64, %end: i64) {
      %buffers = llvm.load %args : !llvm.ptr -> !llvm.ptr
      %x = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
      ...
      llvm.call @relu_body(%x, %y, %scratch, %share_begin, %share_end, %begin, %end)
      llvm.return
    }
    llvm.func internal @relu_body(...) attributes {always_inline} { ... }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // NACRE_CODEGEN_CPU_PASSES
