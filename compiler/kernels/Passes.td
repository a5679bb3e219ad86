// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the kernels phase, in the order they run. docs/phases/kernels.md
//
// Reads:  functions of `nn` operators.
// Writes: `plan` with kernels, storages and launches.

#ifndef NACRE_COMPILER_KERNELS_PASSES
#define NACRE_COMPILER_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def ExposeMovementPass : Pass<"nacre-expose-movement", "::mlir::func::FuncOp"> {
  let summary = "Give padding, cropping and moved unit axes operators that can become views";
  let description = [{
    A pad that stands alone can become the halo of its operand's storage, and slices and reshapes can become views. Inside a
    convolution, or as a transpose, they cannot.

    Requires: `nn` operators of static shape.

    Ensures: no `nn.conv` has pads; no constant `nn.pad` crops or does nothing; no `nn.transpose` keeps the order of its axes
    longer than one.

    Example.

    ```mlir
    func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) -> tensor<1x8x8x16xf32> {
      %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
                           dilations = array<i64: 1, 1>, groups = 1 : i64}
           : tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>
      return %y : tensor<1x8x8x16xf32>
    }
    ```

    becomes

    ```mlir
      %p = nn.pad constant %x [0, 1, 1, 0] [0, 1, 1, 0] 0.0 : f32 : tensor<1x8x8x4xf32>
      %y = nn.conv %p, %w {... pads = array<i64: 0, 0, 0, 0> ...}
    ```
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def FormKernelsPass : Pass<"nacre-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Group operators into kernels of linalg, and launch them on tensors";
  let description = [{
    What is fused saves a pass over memory, so it is decided before anything has an address. The policy is in
    FusionPolicy.h, the forms of the bodies are in docs/phases/kernels.md.

    Requires: nacre-expose-movement; arguments and results of every function carry `nn.name`.

    Ensures: no function is left. Each `plan.entry` holds inputs, launches on tensors, outputs, and of `nn` only reshapes,
    slices of step one, concatenations and constant pads.

    Example. An elementwise operator runs where the product is still in registers:

    ```mlir
    func.func @main(%x: tensor<4x8xf32> {nn.name = "x"}) -> (tensor<4x16xf32> {nn.name = "y"}) {
      %w = nn.constant dense<0.5> : tensor<8x16xf32>
      %0 = nn.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32>
      %1 = nn.unary relu %0 : tensor<4x16xf32>
      return %1 : tensor<4x16xf32>
    }
    ```

    becomes

    ```mlir
    plan.weight @weight_0 = dense<0.5> : tensor<8x16xf32>
    plan.entry @main {
      %w = plan.use @weight_0 : tensor<8x16xf32>
      %x = plan.storage input "x" 0 : tensor<4x8xf32>
      %y = plan.launch @matmul_0(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      plan.output %y, "y" 0 : tensor<4x16xf32>
    }
    plan.kernel @matmul_0 contraction (%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) into (%y: tensor<4x16xf32>) cut 0 : 4 by 1 {
      %acc = linalg.generic ...
      %1 = linalg.generic ins(%acc) outs(%y) { maximumf }
      plan.yield %1 : tensor<4x16xf32>
    }
    ```
  }];
  let dependentDialects = ["::nacre::nn::NnDialect", "::nacre::plan::PlanDialect"];
}

def AssignStoragesPass : Pass<"nacre-assign-storages", "::mlir::ModuleOp"> {
  let summary = "Give every tensor a storage and a place in it, and launch kernels on storages";
  let description = [{
    Concatenations, slices, reshapes and pads cost nothing where the producer can write what the consumer wants to read: into
    a part of a larger storage, or with a halo around it. Where that is impossible a copy is launched.

    Requires: nacre-form-kernels.

    Ensures: launches work on `memref`s, kernels take whole storages as docs/phases/kernels.md says; no `nn` operator is left.

    Example. A padded convolution's input gets a halo, which the kernel that produces it fills:

    ```mlir
    plan.entry @main {
      %x = plan.storage input "x" 0 : tensor<4x4x8xf32>
      %y = plan.launch @relu(%x) : (tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
      %p = nn.pad constant %y [1, 1, 0] [1, 1, 0] 0.0 : f32 : tensor<4x4x8xf32>
      ...
    ```

    becomes

    ```mlir
    plan.entry @main {
      %x = plan.storage input "x" 0 : memref<4x4x8xf32>
      %y = plan.storage temporary : memref<6x6x8xf32>
      plan.launch @relu(%x) into(%y) : (memref<4x4x8xf32>) into (memref<6x6x8xf32>)
      ...
    ```
  }];
  let statistics = [Statistic<"numCopies", "num-copies", "Number of copies launched">];
}

def MergeKernelsPass : Pass<"nacre-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Let launches of equal kernels share one";
  let description = [{
    Networks repeat their blocks; code is generated and shipped for each kernel that is left.

    Requires: kernels take whole storages (nacre-assign-storages), so that equal text means equal work.

    Ensures: no two kernels differ in their name and locations only; every launch names the first of its equals.

    Example.

    ```mlir
    plan.kernel @relu_0 nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 { ... }
    plan.kernel @relu_1 nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 { ... }
    plan.entry @main {
      ...
      plan.launch @relu_0(%x) into(%t) : (memref<4xf32>) into (memref<4xf32>)
      plan.launch @relu_1(%t) into(%y) : (memref<4xf32>) into (memref<4xf32>)
    }
    ```

    becomes

    ```mlir
    plan.kernel @relu_0 nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 { ... }
    plan.entry @main {
      ...
      plan.launch @relu_0(%x) into(%t) : (memref<4xf32>) into (memref<4xf32>)
      plan.launch @relu_0(%t) into(%y) : (memref<4xf32>) into (memref<4xf32>)
    }
    ```
  }];
  let statistics = [Statistic<"numMerged", "num-merged", "Number of kernels that were copies of others">];
}

def VerifyKernelsPass : Pass<"nacre-verify-kernels", "::mlir::ModuleOp"> {
  let summary = "Check what the kernels phase promises to place, schedule and codegen";
  let description = [{
    Requires: nothing.

    Ensures: the module holds weights, kernels and entries alone; every kernel has the form of its kind, and every launch works on
    storages that are its kernel's arguments.

    Example. This is refused, with a note that names nacre-assign-storages:

    ```mlir
    plan.entry @main {
      %x = plan.storage input "x" 0 : tensor<4xf32>
    }
    ```
  }];
}

#endif // NACRE_COMPILER_KERNELS_PASSES
