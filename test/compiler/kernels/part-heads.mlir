// RUN: nacre-opt %s --nacre-assign-engine --nacre-part-heads --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-assign-engine --nacre-part-heads --nacre-form-kernels --nacre-assign-storages --nacre-merge-kernels \
// RUN:     --nacre-verify-kernels --split-input-file | FileCheck %s --check-prefix=PLAN

// Queries, keys and values get their columns and their biases, all of them before anything reads one.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x8x6xf32>
// CHECK:         %[[F:[^ ]+]] = nn.reshape %[[X]] : tensor<1x8x6xf32> to tensor<8x6xf32>
// CHECK-NEXT:    %[[P:[^ ]+]] = nn.matmul %[[F]], %{{.*}} : tensor<8x6xf32>, tensor<6x24xf32>
// CHECK-NEXT:    %[[A:[^ ]+]] = nn.slice %[[P]] [0, 0] [8, 8] [1, 1]
// CHECK-NEXT:    %[[B:[^ ]+]] = nn.slice %{{.*}} [0] [8] [1]
// CHECK-NEXT:    nn.binary add %[[A]], %[[B]]
// CHECK-COUNT-2: nn.binary add
// CHECK-COUNT-3: nn.reshape %{{.*}} : tensor<8x8xf32> to tensor<1x8x2x4xf32>

// The product is one launch of three results. What attention makes of the queries lies where they did.

// PLAN-LABEL: plan.entry @documented_example
// PLAN:         %[[FLAT:[^ ]+]] = plan.view %[[Q:[^ ]+]] : memref<1x8x2x4xf32> to memref<8x8xf32>
// PLAN-NEXT:    plan.launch @matmul_0({{.*}}) into(%[[FLAT]], %{{[0-9]+}}, %{{[0-9]+}})
// PLAN:         plan.launch @attention_0(%[[Q]], {{.*}}) into(%[[Q]])
// PLAN-LABEL: plan.kernel @attention_0 attention {{.*}}plan.overwritten = 0
func.func @documented_example(%x: tensor<1x8x6xf32> {nn.name = "x"}) -> (tensor<8x5xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<6x24xf32>
  %b = nn.constant dense<0.25> : tensor<24xf32>
  %o = nn.constant dense<0.125> : tensor<8x5xf32>
  %p = nn.matmul %x, %w : tensor<1x8x6xf32>, tensor<6x24xf32>
  %s = nn.binary add %p, %b : tensor<1x8x24xf32>, tensor<24xf32>
  %h = nn.reshape %s : tensor<1x8x24xf32> to tensor<1x8x6x4xf32>
  %q = nn.slice %h [0, 0, 0, 0] [1, 8, 2, 4] [1, 1, 1, 1] : tensor<1x8x6x4xf32>
  %k = nn.slice %h [0, 0, 2, 0] [1, 8, 2, 4] [1, 1, 1, 1] : tensor<1x8x6x4xf32>
  %v = nn.slice %h [0, 0, 4, 0] [1, 8, 2, 4] [1, 1, 1, 1] : tensor<1x8x6x4xf32>
  %0 = nn.transpose %q [0, 2, 1, 3] : tensor<1x8x2x4xf32>
  %1 = nn.transpose %k [0, 2, 3, 1] : tensor<1x8x2x4xf32>
  %2 = nn.transpose %v [0, 2, 1, 3] : tensor<1x8x2x4xf32>
  %3 = nn.attention %0, %1, %2 {scale = 1.0 : f64} : tensor<1x2x8x4xf32>, tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>
  %4 = nn.transpose %3 [0, 2, 1, 3] : tensor<1x2x8x4xf32>
  %5 = nn.reshape %4 : tensor<1x8x2x4xf32> to tensor<8x8xf32>
  %6 = nn.matmul %5, %o : tensor<8x8xf32>, tensor<8x5xf32>
  return %6 : tensor<8x5xf32>
}

// -----

// Of the queries one row is read: it is a row of the part.

// CHECK-LABEL: func.func @one_row(
// CHECK:         %[[S:[^ ]+]] = nn.binary add
// CHECK:         %[[Q:[^ ]+]] = nn.reshape %[[S]] : tensor<8x12xf32> to tensor<1x8x3x4xf32>
// CHECK-NEXT:    nn.slice %[[Q]] [0, 5, 0, 0] [1, 1, 3, 4] [1, 1, 1, 1]
// CHECK-NEXT:    nn.reshape %{{.*}} : tensor<8x12xf32> to tensor<1x8x3x4xf32>
func.func @one_row(%x: tensor<1x8x6xf32> {nn.name = "x"}) -> (tensor<1x1x3x4xf32> {nn.name = "y"}, tensor<1x8x3x4xf32> {nn.name = "z"}) {
  %w = nn.constant dense<0.5> : tensor<6x24xf32>
  %b = nn.constant dense<0.25> : tensor<24xf32>
  %p = nn.matmul %x, %w : tensor<1x8x6xf32>, tensor<6x24xf32>
  %s = nn.binary add %p, %b : tensor<1x8x24xf32>, tensor<24xf32>
  %h = nn.reshape %s : tensor<1x8x24xf32> to tensor<1x8x6x4xf32>
  %q = nn.slice %h [0, 5, 0, 0] [1, 1, 3, 4] [1, 1, 1, 1] : tensor<1x8x6x4xf32>
  %k = nn.slice %h [0, 0, 3, 0] [1, 8, 3, 4] [1, 1, 1, 1] : tensor<1x8x6x4xf32>
  return %q, %k : tensor<1x1x3x4xf32>, tensor<1x8x3x4xf32>
}

// -----

// Unequal parts, and heads that are read as a whole, too, stay.

// CHECK-LABEL: func.func @unequal(
// CHECK:         nn.matmul %arg0, %{{.*}} : tensor<1x8x6xf32>, tensor<6x24xf32>
func.func @unequal(%x: tensor<1x8x6xf32> {nn.name = "x"}) -> (tensor<1x8x4x4xf32> {nn.name = "y"}, tensor<1x8x2x4xf32> {nn.name = "z"}) {
  %w = nn.constant dense<0.5> : tensor<6x24xf32>
  %b = nn.constant dense<0.25> : tensor<24xf32>
  %p = nn.matmul %x, %w : tensor<1x8x6xf32>, tensor<6x24xf32>
  %s = nn.binary add %p, %b : tensor<1x8x24xf32>, tensor<24xf32>
  %h = nn.reshape %s : tensor<1x8x24xf32> to tensor<1x8x6x4xf32>
  %q = nn.slice %h [0, 0, 0, 0] [1, 8, 4, 4] [1, 1, 1, 1] : tensor<1x8x6x4xf32>
  %k = nn.slice %h [0, 0, 4, 0] [1, 8, 2, 4] [1, 1, 1, 1] : tensor<1x8x6x4xf32>
  return %q, %k : tensor<1x8x4x4xf32>, tensor<1x8x2x4xf32>
}
