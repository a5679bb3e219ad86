// RUN: nacre-opt %s --nacre-place-kernels=engines=gpu | FileCheck %s
// RUN: nacre-opt %s --nacre-place-kernels="engines=split percent=50" | FileCheck %s --check-prefix=HALF
// RUN: nacre-opt %s --nacre-place-kernels="engines=gpu device=%S/Inputs/even-phone.json" | FileCheck %s --check-prefixes=CHECK,PREDICTED
// RUN: nacre-opt %s --nacre-place-kernels="engines=auto device=%S/Inputs/fast-gpu.json" | FileCheck %s --check-prefix=AUTO

// What no GPU has code for is the CPU's, whatever is asked for, and however fast a GPU would be; of it alone there is a
// prediction.

plan.kernel @tanh nest (%x: tensor<1048576xf32>) into (%y: tensor<1048576xf32>) cut 0 : 1048576 by 16 {
  %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%x : tensor<1048576xf32>) outs(%y : tensor<1048576xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = math.tanh %v : f32
    linalg.yield %n : f32
  } -> tensor<1048576xf32>
  plan.yield %0 : tensor<1048576xf32>
}
plan.kernel @declined nest (%x: tensor<1048576xf32>) into (%y: tensor<1048576xf32>) cut 0 : 1048576 by 16
    attributes {plan.gpu_declined = "points: not its form"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%x : tensor<1048576xf32>) outs(%y : tensor<1048576xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = math.tanh %v : f32
    linalg.yield %n : f32
  } -> tensor<1048576xf32>
  plan.yield %0 : tensor<1048576xf32>
}

// CHECK-LABEL: plan.entry @mixed
// CHECK:         plan.launch @declined({{.*}}cpu = array<i64: 0, 1048576>, gpu = array<i64: 0, 0>
// PREDICTED-SAME:  plan.predicted_ns = array<i64: {{[0-9]+}}>}
// CHECK:         plan.launch @tanh({{.*}}cpu = array<i64: 1048576, 1048576>, gpu = array<i64: 0, 1048576>
// PREDICTED-SAME:  plan.predicted_ns = array<i64: {{[0-9]+}}, {{[0-9]+}}>}
// AUTO-LABEL:  plan.entry @mixed
// AUTO:          plan.launch @declined({{.*}}cpu = array<i64: 0, 1048576>, gpu = array<i64: 0, 0>, plan.predicted_ns = array<i64: {{[0-9]+}}>}
// AUTO:          plan.launch @tanh({{.*}}gpu = array<i64: 0, {{[1-9]}}
// HALF-LABEL:  plan.entry @mixed
// HALF:          plan.launch @declined({{.*}}cpu = array<i64: 0, 1048576>, gpu = array<i64: 0, 0>
// HALF:          plan.launch @tanh({{.*}}cpu = array<i64: 524288, 1048576>, gpu = array<i64: 0, 524288>
plan.entry @mixed {
  %x = plan.storage input "x" 0 : memref<1048576xf32>
  %m = plan.storage temporary : memref<1048576xf32>
  %y = plan.storage output "y" 0 : memref<1048576xf32>
  plan.launch @declined(%x) into(%m) : (memref<1048576xf32>) into (memref<1048576xf32>)
  plan.launch @tanh(%m) into(%y) : (memref<1048576xf32>) into (memref<1048576xf32>)
}

// Engines that met in each iteration would lose more than a loop can gain: all of one with such a kernel is the CPU's.

// AUTO-LABEL: plan.entry @loop
// AUTO:         plan.launch @declined({{.*}}gpu = array<i64: 0, 0>
// AUTO:         plan.launch @tanh({{.*}}gpu = array<i64: 0, 0>
// HALF-LABEL: plan.entry @loop
// HALF:         plan.launch @declined({{.*}}gpu = array<i64: 0, 0>
// HALF:         plan.launch @tanh({{.*}}gpu = array<i64: 0, 524288>
plan.entry @loop {
  %x = plan.storage input "x" 0 : memref<1048576xf32>
  %m = plan.storage temporary : memref<1048576xf32>
  %y = plan.storage output "y" 0 : memref<1048576xf32>
  plan.for 3 {
  ^bb0(%t: index):
    plan.launch @declined(%x) into(%m) : (memref<1048576xf32>) into (memref<1048576xf32>)
    plan.launch @tanh(%m) into(%y) : (memref<1048576xf32>) into (memref<1048576xf32>)
  }
}
