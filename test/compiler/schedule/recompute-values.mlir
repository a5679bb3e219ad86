// RUN: nacre-opt %s --split-input-file --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   --pass-pipeline='builtin.module(nacre-recompute-values{most-bytes=4200})' | FileCheck %s

// The example of the pass's documentation: 2048 bytes each have a layer and a map of it, which are kept for the update, and what is
// large between. The map is computed again in front of the update, from the layer, into memory of its own.

// CHECK-LABEL: plan.entry @documented_example attributes {plan.again_ns = {{[0-9]+}} : i64}
// CHECK:         %[[LAYER:[^ ,:()]+]] = plan.storage temporary : memref<512xf32>
// CHECK:         %[[MAP:[^ ,:()]+]] = plan.storage temporary : memref<512xf32>
// CHECK:         %[[LARGE:[^ ,:()]+]] = plan.storage temporary : memref<512xf32>
// CHECK:         %[[SMALL:[^ ,:()]+]] = plan.storage temporary : memref<4xf32>
// CHECK:         %[[AGAIN:[^ ,:()]+]] = plan.storage temporary : memref<512xf32>
// CHECK:         plan.launch @map(%[[LAYER]]) into(%[[MAP]])
// CHECK-NEXT:    plan.launch @narrow(%[[MAP]]) into(%[[SMALL]])
// CHECK-NEXT:    plan.launch @widen(%[[SMALL]]) into(%[[LARGE]])
// CHECK-NEXT:    plan.launch @narrow(%[[LARGE]]) into(%[[SMALL]])
// CHECK-NEXT:    plan.launch @map(%[[LAYER]]) into(%[[AGAIN]]) {{.*}} loc("relu again")
// CHECK-NEXT:    %[[VIEW:[^ ,:()]+]] = plan.view %[[AGAIN]] : memref<512xf32> to memref<8x64xf32>
// CHECK-NEXT:    plan.launch @update(%[[VIEW]], %[[LAYER]], %[[SMALL]])
plan.kernel @layer nest (%x: tensor<65536xf32>) into (%y: tensor<512xf32>) cut 0 : 512 by 1 {
  plan.yield %y : tensor<512xf32>
}
plan.kernel @map nest (%x: tensor<512xf32>) into (%y: tensor<512xf32>) cut 0 : 512 by 1 {
  plan.yield %x : tensor<512xf32>
}
plan.kernel @narrow nest (%x: tensor<512xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  plan.yield %y : tensor<4xf32>
}
plan.kernel @widen nest (%x: tensor<4xf32>) into (%y: tensor<512xf32>) cut 0 : 512 by 1 {
  plan.yield %y : tensor<512xf32>
}
plan.kernel @update nest (%x: tensor<8x64xf32>, %z: tensor<512xf32>, %s: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  plan.yield %s : tensor<4xf32>
}
plan.entry @documented_example {
  %w = plan.storage state "w" 0 : memref<65536xf32>
  %b = plan.storage state "b" 1 : memref<4xf32>
  %layer = plan.storage temporary : memref<512xf32>
  %map = plan.storage temporary : memref<512xf32>
  %large = plan.storage temporary : memref<512xf32>
  %small = plan.storage temporary : memref<4xf32>
  plan.launch @layer(%w) into(%layer) : (memref<65536xf32>) into (memref<512xf32>) loc("conv")
  plan.launch @map(%layer) into(%map) : (memref<512xf32>) into (memref<512xf32>) loc("relu")
  plan.launch @narrow(%map) into(%small) : (memref<512xf32>) into (memref<4xf32>) loc("pool")
  plan.launch @widen(%small) into(%large) : (memref<4xf32>) into (memref<512xf32>) loc("loss")
  plan.launch @narrow(%large) into(%small) : (memref<512xf32>) into (memref<4xf32>) loc("loss dX")
  %view = plan.view %map : memref<512xf32> to memref<8x64xf32>
  plan.launch @update(%view, %layer, %small) into(%b) : (memref<8x64xf32>, memref<512xf32>, memref<4xf32>) into (memref<4xf32>) loc("conv update")
}

// -----

// What is made in front of a loop, and read there for one launch, is made in each iteration.

// CHECK-LABEL: plan.entry @in_each_iteration
// CHECK-NOT:     @pack
// CHECK:         plan.for 4 {
// CHECK:           plan.launch @pack(
// CHECK-NEXT:      plan.launch @narrow(
// CHECK-NEXT:      plan.launch @widen(
// CHECK-NEXT:      plan.launch @narrow(
plan.kernel @pack nest (%x: tensor<4xf32>) into (%y: tensor<1024xf32>) cut 0 : 1024 by 1 {
  plan.yield %y : tensor<1024xf32>
}
plan.kernel @narrow nest (%x: tensor<1024xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  plan.yield %y : tensor<4xf32>
}
plan.kernel @widen nest (%x: tensor<4xf32>) into (%y: tensor<1024xf32>) cut 0 : 1024 by 1 {
  plan.yield %y : tensor<1024xf32>
}
plan.entry @in_each_iteration {
  %w = plan.storage state "w" 0 : memref<4xf32>
  %out = plan.storage output "y" 0 : memref<4xf32>
  %panels = plan.storage temporary : memref<1024xf32>
  %large = plan.storage temporary : memref<1024xf32>
  %small = plan.storage temporary : memref<4xf32>
  plan.launch @pack(%w) into(%panels) : (memref<4xf32>) into (memref<1024xf32>)
  plan.for 4 {
  ^bb0(%t: index):
    plan.launch @narrow(%panels) into(%small) : (memref<1024xf32>) into (memref<4xf32>)
    plan.launch @widen(%small) into(%large) : (memref<4xf32>) into (memref<1024xf32>)
    plan.launch @narrow(%large) into(%out) : (memref<1024xf32>) into (memref<4xf32>)
  }
}

// -----

// What fits stays as it is.

// CHECK-LABEL: plan.entry @fits {
// CHECK:         plan.launch @k
// CHECK-NEXT:    plan.launch @k
// CHECK-NEXT:    plan.launch @k
// CHECK-NEXT:  }
plan.kernel @k nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  plan.yield %x : tensor<4xf32>
}
plan.entry @fits {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  %a = plan.storage temporary : memref<4xf32>
  %b = plan.storage temporary : memref<4xf32>
  plan.launch @k(%x) into(%a) : (memref<4xf32>) into (memref<4xf32>)
  plan.launch @k(%a) into(%b) : (memref<4xf32>) into (memref<4xf32>)
  plan.launch @k(%b) into(%y) : (memref<4xf32>) into (memref<4xf32>)
}
