// RUN: nacre-opt %s --nacre-assign-engine --nacre-part-products --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-assign-engine --nacre-part-products --nacre-prepare-loops --nacre-form-kernels --nacre-assign-storages --nacre-merge-kernels \
// RUN:     --nacre-verify-kernels --split-input-file | FileCheck %s --check-prefix=PLAN

// What follows the product is done to each part of it, and what it reads is taken part by part.

// CHECK-LABEL: func.func @documented_example
// CHECK:         nn.for 10
// CHECK-NEXT:    ^bb0(%{{.*}}, [[H:%[^ :]+]]: tensor<2x8xf32>, [[C:%[^ :]+]]: tensor<2x8xf32>, [[ROW:%[^ :]+]]: tensor<2x32xf32>):
// CHECK-NEXT:      [[P:%[^ ]+]] = nn.matmul [[H]]
// CHECK-NEXT:      [[I:%[^ ]+]] = nn.slice [[P]] [0, 0] [2, 8] [1, 1]
// CHECK-NEXT:      [[XI:%[^ ]+]] = nn.slice [[ROW]] [0, 0] [2, 8] [1, 1]
// CHECK-NEXT:      nn.binary add [[I]], [[XI]]
// CHECK:           [[O:%[^ ]+]] = nn.slice [[P]] [0, 24] [2, 8] [1, 1]
// CHECK-NEXT:      [[XO:%[^ ]+]] = nn.slice [[ROW]] [0, 24] [2, 8] [1, 1]
// CHECK-NEXT:      nn.binary add [[O]], [[XO]]

// An iteration is one launch: the cell in its own place, the hidden state to the next row.

// PLAN-LABEL: plan.entry @documented_example
// PLAN:         plan.for 10 {
// PLAN:           [[NEXT:%[^ ]+]] = plan.view [[HIDDEN:%[^ ]+]][%{{.*}}] {offset = 16 : i64, step = 16 : i64}
// PLAN:           [[OLD:%[^ ]+]] = plan.view [[HIDDEN]][%{{.*}}] {step = 16 : i64}
// PLAN:           plan.launch @[[STEP:[a-z_0-9]+]]({{.*}}) into([[A:%[^,]+]], [[B:%[^)]+]])
// PLAN-NEXT:    }
// PLAN:         plan.kernel @[[STEP]] contraction
// PLAN-DAG:       [[SUM:%[^ ]+]] = linalg.generic {{.*}} "reduction"]
// PLAN-DAG:       tensor.extract_slice [[SUM]][0, 0] [2, 8] [1, 1]
// PLAN-DAG:       tensor.extract_slice [[SUM]][0, 8] [2, 8] [1, 1]
// PLAN-DAG:       tensor.extract_slice [[SUM]][0, 16] [2, 8] [1, 1]
// PLAN-DAG:       tensor.extract_slice [[SUM]][0, 24] [2, 8] [1, 1]
// PLAN:           [[STATE:%[^ :]+]]:2 = linalg.generic
// PLAN:           plan.yield [[STATE]]#0, [[STATE]]#1
func.func @documented_example(%x: tensor<10x2x32xf32> {nn.name = "x"}, %h0: tensor<2x8xf32> {nn.name = "h"},
                              %c0: tensor<2x8xf32> {nn.name = "c"}) -> (tensor<2x8xf32> {nn.name = "y"}) {
  %r = nn.constant dense<0.25> : tensor<8x32xf32>
  %f:2 = nn.for 10 carried(%h0, %c0 : tensor<2x8xf32>, tensor<2x8xf32>) scanned(%x : tensor<10x2x32xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<2x8xf32>, %c: tensor<2x8xf32>, %row: tensor<2x32xf32>):
    %p = nn.matmul %h, %r : tensor<2x8xf32>, tensor<8x32xf32>
    %z = nn.binary add %p, %row : tensor<2x32xf32>, tensor<2x32xf32>
    %i = nn.slice %z [0, 0] [2, 8] [1, 1] : tensor<2x32xf32>
    %j = nn.slice %z [0, 8] [2, 8] [1, 1] : tensor<2x32xf32>
    %k = nn.slice %z [0, 16] [2, 8] [1, 1] : tensor<2x32xf32>
    %o = nn.slice %z [0, 24] [2, 8] [1, 1] : tensor<2x32xf32>
    %kept = nn.binary mul %k, %c : tensor<2x8xf32>, tensor<2x8xf32>
    %new = nn.binary mul %i, %j : tensor<2x8xf32>, tensor<2x8xf32>
    %next = nn.binary add %kept, %new : tensor<2x8xf32>, tensor<2x8xf32>
    %t = nn.unary tanh %next : tensor<2x8xf32>
    %hidden = nn.binary mul %o, %t : tensor<2x8xf32>, tensor<2x8xf32>
    nn.yield %hidden, %next : tensor<2x8xf32>, tensor<2x8xf32>
  }
  return %f#0 : tensor<2x8xf32>
}

// -----

// A gated linear unit has two halves, and a bias that is the same for all rows.

// CHECK-LABEL: func.func @gated_linear_unit
// CHECK:         [[P:%[^ ]+]] = nn.matmul
// CHECK-DAG:     nn.slice [[P]] [0, 0] [4, 8]
// CHECK-DAG:     nn.slice [[P]] [0, 8] [4, 8]
// CHECK-DAG:     nn.slice %arg1 [0] [8] [1]
// CHECK-DAG:     nn.slice %arg1 [8] [8] [1]
// PLAN-LABEL:  plan.entry @gated_linear_unit
// PLAN-COUNT-1:  plan.launch @matmul
// PLAN-NOT:      plan.launch
// PLAN:        plan.kernel
func.func @gated_linear_unit(%x: tensor<4x6xf32> {nn.name = "x"}, %b: tensor<16xf32> {nn.name = "b"}) -> (tensor<4x8xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.25> : tensor<6x16xf32>
  %p = nn.matmul %x, %w : tensor<4x6xf32>, tensor<6x16xf32>
  %z = nn.binary add %p, %b : tensor<4x16xf32>, tensor<16xf32>
  %value = nn.slice %z [0, 0] [4, 8] [1, 1] : tensor<4x16xf32>
  %gate = nn.slice %z [0, 8] [4, 8] [1, 1] : tensor<4x16xf32>
  %s = nn.unary sigmoid %gate : tensor<4x8xf32>
  %y = nn.binary mul %value, %s : tensor<4x8xf32>, tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Not where a part is read by anything but elementwise operators, parts are of several sizes, or all columns are read as well.

// CHECK-LABEL: func.func @left
// CHECK-COUNT-3: nn.binary add
// CHECK-NOT:     nn.binary add
// PLAN-LABEL:  plan.entry @left
func.func @left(%x: tensor<4x6xf32> {nn.name = "x"}, %b: tensor<16xf32> {nn.name = "b"})
    -> (tensor<4xf32> {nn.name = "a"}, tensor<4x8xf32> {nn.name = "c"}, tensor<4x4xf32> {nn.name = "d"}, tensor<4x12xf32> {nn.name = "e"},
        tensor<4x16xf32> {nn.name = "f"}, tensor<4x8xf32> {nn.name = "g"}) {
  %w = nn.constant dense<0.25> : tensor<6x16xf32>
  %v = nn.constant dense<0.5> : tensor<6x16xf32>
  %u = nn.constant dense<0.75> : tensor<6x16xf32>
  %p = nn.matmul %x, %w : tensor<4x6xf32>, tensor<6x16xf32>
  %z = nn.binary add %p, %b : tensor<4x16xf32>, tensor<16xf32>
  %z0 = nn.slice %z [0, 0] [4, 8] [1, 1] : tensor<4x16xf32>
  %z1 = nn.slice %z [0, 8] [4, 8] [1, 1] : tensor<4x16xf32>
  %sum = nn.reduce sum %z0 {axes = array<i64: 1>} : tensor<4x8xf32>
  %t = nn.unary tanh %z1 : tensor<4x8xf32>
  %p1 = nn.matmul %x, %v : tensor<4x6xf32>, tensor<6x16xf32>
  %y = nn.binary add %p1, %b : tensor<4x16xf32>, tensor<16xf32>
  %y0 = nn.slice %y [0, 0] [4, 4] [1, 1] : tensor<4x16xf32>
  %y1 = nn.slice %y [0, 4] [4, 12] [1, 1] : tensor<4x16xf32>
  %t0 = nn.unary tanh %y0 : tensor<4x4xf32>
  %t1 = nn.unary tanh %y1 : tensor<4x12xf32>
  %p2 = nn.matmul %x, %u : tensor<4x6xf32>, tensor<6x16xf32>
  %q = nn.binary add %p2, %b : tensor<4x16xf32>, tensor<16xf32>
  %q0 = nn.slice %q [0, 0] [4, 8] [1, 1] : tensor<4x16xf32>
  %s = nn.unary tanh %q0 : tensor<4x8xf32>
  return %sum, %t, %t0, %t1, %q, %s : tensor<4xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4x12xf32>, tensor<4x16xf32>, tensor<4x8xf32>
}
