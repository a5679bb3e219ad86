// RUN: nacre-opt %s --nacre-assign-engine --nacre-form-kernels --nacre-assign-storages --split-input-file | FileCheck %s --check-prefix=UPDATES
// RUN: nacre-opt %s --nacre-form-kernels --nacre-assign-storages --split-input-file | FileCheck %s --check-prefix=UPDATES
// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-form-kernels --nacre-assign-storages --split-input-file | FileCheck %s --check-prefix=UPDATES
// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-form-kernels --nacre-assign-storages --split-input-file | FileCheck %s --check-prefix=GPU
// RUN: nacre-opt %s --nacre-form-kernels --nacre-assign-engine --nacre-assign-storages --split-input-file | FileCheck %s

// What a state becomes is written where it lies by a launch that is the last to read it, each element where it writes it.

// CHECK-LABEL: plan.entry @train
// CHECK-DAG:     %[[G:[^ ]+]] = plan.storage input "g" 0 : memref<4xf32>
// CHECK-DAG:     %[[W:[^ ]+]] = plan.storage state "w" 0 : memref<4xf32>
// CHECK-DAG:     %[[V:[^ ]+]] = plan.storage state "v" 1 : memref<4xf32>
// CHECK:         plan.launch @mul_0(%[[V]], %[[G]]) into(%[[V]])
// CHECK:         plan.launch @sub_0(%[[W]], %[[V]]) into(%[[W]])
// CHECK-NOT:     plan.launch
func.func @train(%g: tensor<4xf32> {nn.name = "g"}, %w: tensor<4xf32> {nn.variable = "w"}, %v: tensor<4xf32> {nn.variable = "v"})
    -> (tensor<4xf32> {nn.variable = "w"}, tensor<4xf32> {nn.variable = "v"}) {
  %0 = nn.binary mul %v, %v : tensor<4xf32>, tensor<4xf32>
  %1 = nn.binary add %0, %g : tensor<4xf32>, tensor<4xf32>
  %2 = nn.binary sub %w, %1 : tensor<4xf32>, tensor<4xf32>
  return %2, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Of two states that become each other neither is; nor is one that is read later, or in another order than it is written.

// CHECK-LABEL: plan.entry @late
// CHECK-DAG:     %[[A:[^ ]+]] = plan.storage state "a" 0 : memref<4xf32>
// CHECK-DAG:     %[[B:[^ ]+]] = plan.storage state "b" 1 : memref<2x2xf32>
// CHECK-DAG:     %[[Y:[^ ]+]] = plan.storage output "y" 0 : memref<4xf32>
// CHECK:         plan.launch @add_0(%[[A]]) into(%[[NEXT_A:[^ ]+]])
// CHECK:         plan.launch @transpose_0(%[[B]]) into(%[[NEXT_B:[^ ]+]])
// CHECK:         plan.launch @{{.*}}(%[[A]]{{.*}}) into(%[[Y]])
// CHECK-DAG:     plan.launch @copy_{{[0-9]}}(%[[NEXT_A]]) into(%[[A]])
// CHECK-DAG:     plan.launch @copy_{{[0-9]}}(%[[NEXT_B]]) into(%[[B]])
func.func @late(%a: tensor<4xf32> {nn.variable = "a"}, %b: tensor<2x2xf32> {nn.variable = "b"})
    -> (tensor<4xf32> {nn.variable = "a"}, tensor<2x2xf32> {nn.variable = "b"}, tensor<4xf32> {nn.name = "y"}) {
  %0 = nn.binary add %a, %a : tensor<4xf32>, tensor<4xf32>
  %1 = nn.transpose %b [1, 0] : tensor<2x2xf32>
  %2 = nn.binary mul %a, %0 : tensor<4xf32>, tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>
}

// -----

// The gradient of a weight is followed by what the weight and its momentum become in its own kernel, which writes them where they
// lie, whichever engine computes it. The gradient of the layer's input reads the weight as it was, and comes before.

// UPDATES-LABEL: plan.entry @gradient
// UPDATES-DAG:     %[[X:[^ ]+]] = plan.storage input "x" 0
// UPDATES-DAG:     %[[DY:[^ ]+]] = plan.storage input "dy" 1
// UPDATES-DAG:     %[[DX:[^ ]+]] = plan.storage output "dx" 0
// UPDATES-DAG:     %[[W:[^ ]+]] = plan.storage state "w" 0
// UPDATES-DAG:     %[[V:[^ ]+]] = plan.storage state "v" 1
// UPDATES:         plan.launch @matmul_{{[0-9]}}(%[[DY]], %[[W]]) into(%[[DX]])
// UPDATES:         plan.launch @[[UPDATE:matmul_[0-9]]]({{.*}}) into(%[[V]], %[[W]])
// UPDATES-NOT:     plan.launch
// CHECK-LABEL:   plan.entry @gradient
func.func @gradient(%x: tensor<8x64xf32> {nn.name = "x"}, %dy: tensor<8x32xf32> {nn.name = "dy"}, %w: tensor<64x32xf32> {nn.variable = "w"},
                    %v: tensor<64x32xf32> {nn.variable = "v"}, %rate: tensor<f32> {nn.name = "rate"})
    -> (tensor<64x32xf32> {nn.variable = "w"}, tensor<64x32xf32> {nn.variable = "v"}, tensor<8x64xf32> {nn.name = "dx"}) {
  %k = nn.constant dense<0.9> : tensor<f32>
  %turned = nn.transpose %w [1, 0] : tensor<64x32xf32>
  %dx = nn.matmul %dy, %turned : tensor<8x32xf32>, tensor<32x64xf32>
  %across = nn.transpose %x [1, 0] : tensor<8x64xf32>
  %g = nn.matmul %across, %dy : tensor<64x8xf32>, tensor<8x32xf32>
  %kept = nn.binary mul %v, %k : tensor<64x32xf32>, tensor<f32>
  %0 = nn.binary add %kept, %g : tensor<64x32xf32>, tensor<64x32xf32>
  %step = nn.binary mul %0, %rate : tensor<64x32xf32>, tensor<f32>
  %1 = nn.binary sub %w, %step : tensor<64x32xf32>, tensor<64x32xf32>
  return %1, %0, %dx : tensor<64x32xf32>, tensor<64x32xf32>, tensor<8x64xf32>
}

// -----

// Not where a moment as it becomes is an output, too; nor in place where a convolution's tiles may overlap.

// UPDATES-LABEL: plan.entry @shown
// UPDATES:         plan.launch @matmul_0({{.*}}) into(%[[SHOWN:[^ ,]+]])
// UPDATES-LABEL: plan.entry @overlapping
// UPDATES-DAG:     %[[S:[^ ]+]] = plan.storage state "s" 0
// UPDATES:         plan.launch @conv_0({{.*}}) into(%[[NEXT:[^ ]+]])
// UPDATES:         plan.launch @copy_{{[0-9]}}(%[[NEXT]]) into(%[[S]])
func.func @shown(%x: tensor<8x64xf32> {nn.name = "x"}, %dy: tensor<8x32xf32> {nn.name = "dy"}, %w: tensor<64x32xf32> {nn.variable = "w"},
                 %v: tensor<64x32xf32> {nn.variable = "v"})
    -> (tensor<64x32xf32> {nn.variable = "w"}, tensor<64x32xf32> {nn.variable = "v"}, tensor<64x32xf32> {nn.name = "shown"}) {
  %across = nn.transpose %x [1, 0] : tensor<8x64xf32>
  %g = nn.matmul %across, %dy : tensor<64x8xf32>, tensor<8x32xf32>
  %0 = nn.binary add %v, %g : tensor<64x32xf32>, tensor<64x32xf32>
  %1 = nn.binary sub %w, %0 : tensor<64x32xf32>, tensor<64x32xf32>
  return %1, %0, %0 : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>
}
func.func @overlapping(%x: tensor<1x6x6x8xf32> {nn.name = "x"}, %s: tensor<1x4x4x8xf32> {nn.variable = "s"}) -> (tensor<1x4x4x8xf32> {nn.variable = "s"}) {
  %f = nn.constant dense<0.5> : tensor<3x3x8x8xf32>
  %0 = nn.conv %x, %f {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x6x6x8xf32>, tensor<3x3x8x8xf32>
  %1 = nn.binary add %0, %s : tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>
  return %1 : tensor<1x4x4x8xf32>
}

// -----

// What a bias's momentum becomes is written where it lies by the kernel that adds its gradient up, which reads it when the sum is
// there. Not what the terms are made of: the first sums would change those of the next.

// CHECK-LABEL: plan.entry @bias
// CHECK-DAG:     %[[DY:[^ ]+]] = plan.storage input "dy" 0
// CHECK-DAG:     %[[V:[^ ]+]] = plan.storage state "v" 0
// CHECK-DAG:     %[[S:[^ ]+]] = plan.storage state "s" 1
// CHECK:         plan.launch @reduce_0(%[[DY]], %[[V]]) into(%[[V]])
// CHECK:         plan.launch @reduce_1({{.*}}%[[S]]{{.*}}) into(%[[NEXT:[^ ]+]])
// CHECK:         plan.launch @copy_{{[0-9]}}(%[[NEXT]]) into(%[[S]])
// CHECK-NOT:     plan.launch
func.func @bias(%dy: tensor<8x32xf32> {nn.name = "dy"}, %v: tensor<32xf32> {nn.variable = "v"}, %s: tensor<32xf32> {nn.variable = "s"})
    -> (tensor<32xf32> {nn.variable = "v"}, tensor<32xf32> {nn.variable = "s"}) {
  %k = nn.constant dense<0.9> : tensor<f32>
  %g = nn.reduce sum %dy {axes = array<i64: 0>} : tensor<8x32xf32>
  %kept = nn.binary mul %v, %k : tensor<32xf32>, tensor<f32>
  %0 = nn.binary add %kept, %g : tensor<32xf32>, tensor<32xf32>
  %terms = nn.binary mul %dy, %s : tensor<8x32xf32>, tensor<32xf32>
  %sum = nn.reduce sum %terms {axes = array<i64: 0>} : tensor<8x32xf32>
  %1 = nn.binary add %sum, %s : tensor<32xf32>, tensor<32xf32>
  return %0, %1 : tensor<32xf32>, tensor<32xf32>
}

// -----

// So is what the bias becomes, by the same kernel.

// CHECK-LABEL:   plan.entry @bias_and_momentum
// UPDATES-LABEL: plan.entry @bias_and_momentum
// UPDATES-DAG:     %[[DY:[^ ]+]] = plan.storage input "dy" 0
// UPDATES-DAG:     %[[RATE:[^ ]+]] = plan.storage input "rate" 1
// UPDATES-DAG:     %[[B:[^ ]+]] = plan.storage state "b" 0
// UPDATES-DAG:     %[[V:[^ ]+]] = plan.storage state "v" 1
// UPDATES:         plan.launch @reduce_0(%[[DY]], %[[V]], %[[B]], %[[RATE]]) into(%[[V]], %[[B]])
// UPDATES-NOT:     plan.launch
func.func @bias_and_momentum(%dy: tensor<8x32xf32> {nn.name = "dy"}, %b: tensor<32xf32> {nn.variable = "b"}, %v: tensor<32xf32> {nn.variable = "v"},
                             %rate: tensor<f32> {nn.name = "rate"}) -> (tensor<32xf32> {nn.variable = "b"}, tensor<32xf32> {nn.variable = "v"}) {
  %k = nn.constant dense<0.9> : tensor<f32>
  %g = nn.reduce sum %dy {axes = array<i64: 0>} : tensor<8x32xf32>
  %kept = nn.binary mul %v, %k : tensor<32xf32>, tensor<f32>
  %0 = nn.binary add %kept, %g : tensor<32xf32>, tensor<32xf32>
  %step = nn.binary mul %0, %rate : tensor<32xf32>, tensor<f32>
  %1 = nn.binary sub %b, %step : tensor<32xf32>, tensor<32xf32>
  return %1, %0 : tensor<32xf32>, tensor<32xf32>
}

// -----

// Nor where a loop may be endless: a run that is ended in it leaves the state as it was.

// UPDATES-LABEL: plan.entry @endless
// CHECK-LABEL: plan.entry @endless
// CHECK-DAG:     %[[S:[^ ]+]] = plan.storage state "s" 0
// CHECK:         plan.launch @add_0(%[[S]]{{.*}}) into(%[[NEXT:[^ ]+]])
// CHECK:         plan.while {
// CHECK:         plan.launch @copy_{{[0-9]+}}(%[[NEXT]]) into(%[[S]])
func.func @endless(%x: tensor<4xf32> {nn.name = "x"}, %go: tensor<i1> {nn.name = "go"}, %s: tensor<4xf32> {nn.variable = "s"})
    -> (tensor<4xf32> {nn.variable = "s"}, tensor<4xf32> {nn.name = "y"}) {
  %next = nn.binary add %s, %x : tensor<4xf32>, tensor<4xf32>
  %y:2 = nn.while carried(%x : tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%t: tensor<i64>, %a: tensor<4xf32>):
    nn.condition %go : tensor<i1>
  } do {
  ^bb0(%t: tensor<i64>, %a: tensor<4xf32>):
    %b = nn.binary add %a, %a : tensor<4xf32>, tensor<4xf32>
    nn.yield %b : tensor<4xf32>
  }
  return %next, %y#0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Where a gradient is known before the update, because something else reads it first, a map of a GPU writes both states at once.

// GPU-LABEL: plan.entry @known_before
// GPU-DAG:     %[[W:[^ ]+]] = plan.storage state "w" 0
// GPU-DAG:     %[[V:[^ ]+]] = plan.storage state "v" 1
// GPU:         plan.launch @{{reduce_[0-9]}}
// GPU:         plan.launch @mul_{{[0-9]}}({{.*}}) into(%[[V]], %[[W]])
// GPU-NOT:     plan.launch
// UPDATES-LABEL: plan.entry @known_before
// CHECK-LABEL:   plan.entry @known_before
func.func @known_before(%g: tensor<64x32xf32> {nn.name = "g"}, %w: tensor<64x32xf32> {nn.variable = "w"}, %v: tensor<64x32xf32> {nn.variable = "v"})
    -> (tensor<64x32xf32> {nn.variable = "w"}, tensor<64x32xf32> {nn.variable = "v"}) {
  %nine = nn.constant dense<0.9> : tensor<f32>
  %sum = nn.reduce sum %g {axes = array<i64: 0, 1>} : tensor<64x32xf32>
  %good = nn.binary less_equal %sum, %nine : tensor<f32>, tensor<f32>
  %0 = nn.binary mul %v, %nine : tensor<64x32xf32>, tensor<f32>
  %1 = nn.binary add %0, %g : tensor<64x32xf32>, tensor<64x32xf32>
  %2 = nn.binary sub %w, %1 : tensor<64x32xf32>, tensor<64x32xf32>
  %3 = nn.select %good, %1, %v : tensor<i1>, tensor<64x32xf32>, tensor<64x32xf32>
  %4 = nn.select %good, %2, %w : tensor<i1>, tensor<64x32xf32>, tensor<64x32xf32>
  return %4, %3 : tensor<64x32xf32>, tensor<64x32xf32>
}

// -----

// Small results of one shape are one kernel of a GPU, whatever their types, which writes states where they lie. A value that is a state
// and an output would be copied; two formulas of it are not.

// GPU-LABEL: plan.entry @counters
// GPU-DAG:     %[[BAD:[^ ]+]] = plan.storage input "bad" 0
// GPU-DAG:     %[[STEP:[^ ]+]] = plan.storage state "step" 0 : memref<i64>
// GPU-DAG:     %[[SCALE:[^ ]+]] = plan.storage state "scale" 1 : memref<f32>
// GPU-DAG:     %[[SKIPPED:[^ ]+]] = plan.storage state "skipped" 2 : memref<i64>
// GPU-DAG:     %[[Y:[^ ]+]] = plan.storage output "y" 0 : memref<i64>
// GPU:         plan.launch @add_0(%[[SKIPPED]], %[[BAD]], %[[SCALE]], %[[STEP]]) into(%[[SKIPPED]], %[[Y]], %[[SCALE]], %[[STEP]])
// GPU-NOT:     plan.launch
func.func @counters(%bad: tensor<i1> {nn.name = "bad"}, %step: tensor<i64> {nn.variable = "step"}, %scale: tensor<f32> {nn.variable = "scale"},
                    %skipped: tensor<i64> {nn.variable = "skipped"})
    -> (tensor<i64> {nn.variable = "step"}, tensor<f32> {nn.variable = "scale"}, tensor<i64> {nn.name = "y"}, tensor<i64> {nn.variable = "skipped"}) {
  %one = nn.constant dense<1> : tensor<i64>
  %half = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.binary add %step, %one : tensor<i64>, tensor<i64>
  %1 = nn.binary mul %scale, %half : tensor<f32>, tensor<f32>
  %2 = nn.binary add %skipped, %one : tensor<i64>, tensor<i64>
  %3 = nn.select %bad, %2, %skipped : tensor<i1>, tensor<i64>, tensor<i64>
  %4 = nn.cast %bad : tensor<i1> to tensor<i64>
  %5 = nn.binary add %skipped, %4 : tensor<i64>, tensor<i64>
  return %0, %1, %3, %5 : tensor<i64>, tensor<f32>, tensor<i64>, tensor<i64>
}
