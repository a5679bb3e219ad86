// RUN: nacre-opt %s --nacre-assign-engine --nacre-choose-encodings="target=linux-x86_64" --nacre-pack-states | FileCheck %s
// RUN: nacre-opt %s --nacre-assign-engine --nacre-choose-encodings="target=linux-x86_64" | FileCheck %s --check-prefix=CHOSEN

// The example of the pass's documentation: a product reads its weight, a state, in panels; the update goes over the rows of
// panels, of weight and moment; what reads the weight across reads a copy; the gradient is copied into panels.

// The moment, and what only updates know, is to lie as the weight does; the gradient, which a product writes, is not.
// CHOSEN: %[[G:[^ ]+]] = plan.storage temporary : memref<512x512xf32>
// CHOSEN: plan.storage temporary {plan.panels = #plan.encoding<panel, width = 16>} : memref<512x512xf32>
// CHOSEN: plan.storage state "w" 0 {plan.initial = @initial, plan.order = array<i64: 1, 0>, plan.panels = #plan.encoding<panel, width = 16>, plan.state_role = "weight"}
// CHOSEN: plan.storage state "w#momentum" 1 {plan.order = array<i64: 1, 0>, plan.panels = #plan.encoding<panel, width = 16>, plan.state_role = "moment"}

// CHECK: plan.weight @initial = dense<1.000000e+00> {{.*}}encoding = #plan.encoding<panel, width = 16>
plan.weight @initial = dense<1.0> : tensor<512x512xf32>
// CHECK: plan.kernel @documented_example {{.*}}encodings = [unit, #plan.encoding<panel, width = 16>]
plan.kernel @documented_example contraction (%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) into (%c: tensor<512x512xf32>) cut 0 : 512 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<512x512xf32>) -> tensor<512x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%init : tensor<512x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<512x512xf32>
  plan.yield %r : tensor<512x512xf32>
}
plan.kernel @across contraction (%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) into (%c: tensor<512x512xf32>) cut 0 : 512 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<512x512xf32>) -> tensor<512x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%init : tensor<512x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<512x512xf32>
  plan.yield %r : tensor<512x512xf32>
}
// CHECK-NOT: plan.kernel @update
// CHECK-NOT: plan.kernel @assign
plan.kernel @update nest (%w: tensor<512x512xf32>, %g: tensor<512x512xf32>, %rate: tensor<f32>) into (%next: tensor<512x512xf32>) cut 0 : 512 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%w, %g, %rate : tensor<512x512xf32>, tensor<512x512xf32>, tensor<f32>) outs(%next : tensor<512x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
    %m = arith.mulf %y, %z : f32
    %s = arith.subf %x, %m : f32
    linalg.yield %s : f32
  } -> tensor<512x512xf32>
  plan.yield %r : tensor<512x512xf32>
}
plan.kernel @assign nest (%w: tensor<512x512xf32>) into (%next: tensor<512x512xf32>) cut 0 : 512 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<512x512xf32>) outs(%next : tensor<512x512xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<512x512xf32>
  plan.yield %r : tensor<512x512xf32>
}
// CHECK: plan.entry @train
plan.entry @train {
  // CHECK-DAG: %[[W:[^ ]+]] = plan.storage state "w" 0 {external_type = tensor<512x512xf32>, {{.*}}plan.panels = #plan.encoding<panel, width = 16>{{.*}}} : memref<16384x16xf32>
  // CHECK-DAG: %[[V:[^ ]+]] = plan.storage state "w#momentum" 1 {external_type = tensor<512x512xf32>, {{.*}}} : memref<16384x16xf32>
  // CHECK: %[[READ:[^ ]+]] = plan.view %[[W]] : memref<16384x16xf32> to memref<512x512xf32>
  // CHECK: plan.launch @documented_example(%{{[^ ]+}}, %[[READ]])
  // CHECK: plan.launch @unpack_512x512by16
  // CHECK: plan.launch @across
  // CHECK: plan.launch @pack_512x512by16
  // CHECK: plan.launch @update_over16(%[[V]], %[[GRADIENT:[^ ]+]], %{{[^ ]+}}) into(%[[NEXT:[^ ]+]]) : (memref<16384x16xf32>, memref<16384x16xf32>, memref<f32>) into(memref<16384x16xf32>)
  // CHECK: plan.launch @update_over16(%[[W]], %[[NEXT]]
  // CHECK: plan.launch @assign_over16(%[[NEXT]]) into(%[[V]])
  %rate = plan.storage input "rate" 1 : memref<f32>
  %x = plan.storage input "x" 0 : memref<512x512xf32>
  %y = plan.storage output "y" 0 : memref<512x512xf32>
  %g = plan.storage temporary : memref<512x512xf32>
  %v1 = plan.storage temporary : memref<512x512xf32>
  %w1 = plan.storage temporary : memref<512x512xf32>
  %w = plan.storage state "w" 0 {plan.initial = @initial, plan.order = array<i64: 1, 0>, plan.state_role = "weight"} : memref<512x512xf32>
  %v = plan.storage state "w#momentum" 1 {plan.order = array<i64: 1, 0>, plan.state_role = "moment"} : memref<512x512xf32>
  plan.launch @documented_example(%x, %w) into(%y) : (memref<512x512xf32>, memref<512x512xf32>) into (memref<512x512xf32>)
  plan.launch @across(%y, %w) into(%g) : (memref<512x512xf32>, memref<512x512xf32>) into (memref<512x512xf32>)
  plan.launch @update(%v, %g, %rate) into(%v1) : (memref<512x512xf32>, memref<512x512xf32>, memref<f32>) into (memref<512x512xf32>)
  plan.launch @update(%w, %v1, %rate) into(%w1) : (memref<512x512xf32>, memref<512x512xf32>, memref<f32>) into (memref<512x512xf32>)
  plan.launch @assign(%v1) into(%v) : (memref<512x512xf32>) into (memref<512x512xf32>)
  plan.launch @assign(%w1) into(%w) : (memref<512x512xf32>) into (memref<512x512xf32>)
}
// A gradient whose kernel updates weight and moment writes their panels, and gets its other operand in panels as wide. A launch that
// packed it for narrower tiles packs it anew.

// CHECK-NOT: plan.kernel @pack_narrow
// CHECK: plan.kernel @pack_narrow_0 permute {{.*}} by 16 attributes {encodings = [unit, #plan.encoding<panel, width = 16>]}
plan.kernel @pack_narrow permute (%x: tensor<64x512xf32>) into (%y: tensor<64x512xf32>) cut 1 : 512 by 8
    attributes {encodings = [unit, #plan.encoding<panel, width = 8>]} {
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x512xf32>) outs(%y : tensor<64x512xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<64x512xf32>
  plan.yield %r : tensor<64x512xf32>
}
// CHECK: plan.kernel @gradient contraction {{.*}}encodings = [unit, #plan.encoding<panel, width = 16>, #plan.encoding<panel, width = 16>, #plan.encoding<panel, width = 16>, #plan.encoding<panel, width = 16>, #plan.encoding<panel, width = 16>]
plan.kernel @gradient contraction (%x: tensor<64x512xf32>, %dy: tensor<64x512xf32>, %v: tensor<512x512xf32>, %w: tensor<512x512xf32>)
    into (%nv: tensor<512x512xf32>, %nw: tensor<512x512xf32>) cut 0 : 512 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 8>, unit, unit]} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %dy : tensor<64x512xf32>, tensor<64x512xf32>) outs(%init : tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<512x512xf32>
  %u:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%g, %v, %w : tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>) outs(%nv, %nw : tensor<512x512xf32>, tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32, %p: f32):
    %s = arith.addf %a, %b : f32
    %d = arith.subf %c, %s : f32
    linalg.yield %s, %d : f32, f32
  } -> (tensor<512x512xf32>, tensor<512x512xf32>)
  plan.yield %u#0, %u#1 : tensor<512x512xf32>, tensor<512x512xf32>
}
// CHECK: plan.entry @update_behind
plan.entry @update_behind {
  // CHECK-DAG: %[[W:[^ ]+]] = plan.storage state "w" 0
  // CHECK-DAG: %[[V:[^ ]+]] = plan.storage state "w#momentum" 1
  // CHECK-DAG: %[[PACKED:[^ ]+]] = plan.storage temporary : memref<32x64x16xf32>
  // CHECK-NOT: memref<64x64x8xf32>
  // CHECK: %[[DY:[^ ]+]] = plan.view %[[PACKED]]
  // CHECK: plan.launch @pack_narrow_0(%{{.*}}) into(%[[DY]])
  // CHECK-DAG: %[[OLD_V:[^ ]+]] = plan.view %[[V]]
  // CHECK-DAG: %[[OLD_W:[^ ]+]] = plan.view %[[W]]
  // CHECK: plan.launch @gradient(%{{.*}}, %[[DY]], %{{.*}}, %{{.*}}) into(%{{.*}}, %{{.*}}) : {{.*}} into(memref<512x512xf32>, memref<512x512xf32>)
  // CHECK-NOT: plan.launch
  %x = plan.storage input "x" 0 : memref<64x512xf32>
  %dy = plan.storage input "dy" 1 : memref<64x512xf32>
  %w = plan.storage state "w" 0 {plan.initial = @initial, plan.order = array<i64: 1, 0>, plan.state_role = "weight"} : memref<512x512xf32>
  %v = plan.storage state "w#momentum" 1 {plan.order = array<i64: 1, 0>, plan.state_role = "moment"} : memref<512x512xf32>
  %t = plan.storage temporary : memref<64x64x8xf32>
  %panels = plan.view %t : memref<64x64x8xf32> to memref<64x512xf32>
  plan.launch @pack_narrow(%dy) into(%panels) : (memref<64x512xf32>) into (memref<64x512xf32>)
  plan.launch @gradient(%x, %panels, %v, %w) into(%v, %w) : (memref<64x512xf32>, memref<64x512xf32>, memref<512x512xf32>, memref<512x512xf32>) into (memref<512x512xf32>, memref<512x512xf32>)
}
