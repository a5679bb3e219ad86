// RUN: nacre-opt %s --nacre-narrow-weights="target=linux-x86_64" --split-input-file --verify-diagnostics | FileCheck %s
// RUN: nacre-opt %s --nacre-narrow-weights="target=linux-x86_64 weight-type=bf16" --split-input-file | FileCheck %s --check-prefix=BF16
// RUN: not nacre-opt %s --nacre-narrow-weights="weight-type=fp8" --split-input-file 2>&1 | FileCheck %s --check-prefix=TYPE

// TYPE: --weight-type option: Cannot find option named 'fp8'

// A row by a matrix reads the matrix as f16: it comes in half the time. What is computed stays f32. A number that the type has is
// what it was, and the note says so.

// CHECK:      plan.weight @w = dense<1.500000e+00> : tensor<512x512xf16> {plan.rounding = {largest_relative_error = 0.000000e+00 : f64, relative_error = 0.000000e+00 : f64, saved_bytes = 524288 : i64}}
// CHECK:      plan.kernel @documented_example contraction (%{{.*}}: tensor<1x512xf32>, %[[B:[^ ,:()]+]]: tensor<512x512xf16>) into
// CHECK-SAME: plan.right_decode = {argument = 1 : i64, stored = f16}
// CHECK:      ^bb0(%[[X:[^ ,:()]+]]: f32, %[[Y:[^ ,:()]+]]: f16, %[[Z:[^ ,:()]+]]: f32):
// CHECK-NEXT:   %[[WIDE:[^ ,:()]+]] = arith.extf %[[Y]] : f16 to f32
// CHECK-NEXT:   arith.mulf %[[X]], %[[WIDE]] : f32
// CHECK:      plan.use @w : memref<512x512xf16>
// CHECK:      plan.launch @documented_example{{.*}} (memref<1x512xf32>, memref<512x512xf16>) into
// BF16:       plan.weight @w = dense<1.500000e+00> : tensor<512x512xbf16>
// BF16:       plan.kernel @documented_example{{.*}}plan.right_decode = {argument = 1 : i64, stored = bf16}
plan.weight @w = dense<1.5> : tensor<512x512xf32>
plan.kernel @documented_example contraction (%a: tensor<1x512xf32>, %b: tensor<512x512xf32>) into (%c: tensor<1x512xf32>) cut 1 : 512 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x512xf32>) -> tensor<1x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x512xf32>, tensor<512x512xf32>) outs(%init : tensor<1x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x512xf32>
  plan.yield %r : tensor<1x512xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<1x512xf32>
  %c = plan.storage output "c" 0 : memref<1x512xf32>
  %w = plan.use @w : memref<512x512xf32>
  plan.launch @documented_example(%a, %w) into(%c) : (memref<1x512xf32>, memref<512x512xf32>) into (memref<1x512xf32>)
}

// -----

// Two layers are of one kernel, and one of them has a number beyond 65504: it stays f32, the user hears of it, and the kernel is
// there twice. In bf16 there is no such number.

// CHECK:      plan.weight @small = dense<1.000000e+00> : tensor<512x512xf16>
// CHECK:      plan.weight @large = dense<7.000000e+04> : tensor<512x512xf32>
// CHECK-NOT:  plan.rounding
// CHECK:      plan.kernel @both contraction (%{{.*}}: tensor<1x512xf32>, %{{.*}}: tensor<512x512xf16>)
// CHECK:      plan.kernel @both_0 contraction (%{{.*}}: tensor<1x512xf32>, %{{.*}}: tensor<512x512xf32>)
// CHECK:      plan.launch @both(
// CHECK:      plan.launch @both_0(
// BF16:       plan.weight @large = dense<{{.*}}> : tensor<512x512xbf16>
// BF16-NOT:   @both_0
plan.weight @small = dense<1.0> : tensor<512x512xf32>
// expected-warning @+1 {{has a weight that must stay fp32, because 70000 is beyond the numbers of fp16}}
plan.weight @large = dense<70000.0> : tensor<512x512xf32>
plan.kernel @both contraction (%a: tensor<1x512xf32>, %b: tensor<512x512xf32>) into (%c: tensor<1x512xf32>) cut 1 : 512 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x512xf32>) -> tensor<1x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x512xf32>, tensor<512x512xf32>) outs(%init : tensor<1x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x512xf32>
  plan.yield %r : tensor<1x512xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<1x512xf32>
  %t = plan.storage temporary : memref<1x512xf32>
  %c = plan.storage output "c" 0 : memref<1x512xf32>
  %v = plan.use @small : memref<512x512xf32>
  %w = plan.use @large : memref<512x512xf32>
  plan.launch @both(%a, %v) into(%t) : (memref<1x512xf32>, memref<512x512xf32>) into (memref<1x512xf32>)
  plan.launch @both(%t, %w) into(%c) : (memref<1x512xf32>, memref<512x512xf32>) into (memref<1x512xf32>)
}

// -----

// Rows of a table are gathered: what is picked is widened. Numbers that f16 hardly has would lose their digits.

// CHECK:      plan.weight @table = {{.*}} : tensor<1000x64xf16>
// CHECK:      plan.weight @tiny = {{.*}} : tensor<1000x64xf32>
// CHECK:      plan.kernel @gather
// CHECK:        %[[PICKED:[^ ,:()]+]] = tensor.extract %{{.*}} : tensor<1000x64xf16>
// CHECK-NEXT:   arith.extf %[[PICKED]] : f16 to f32
// BF16:       plan.weight @tiny = {{.*}} : tensor<1000x64xbf16>
plan.weight @table = dense<0.1> : tensor<1000x64xf32>
// expected-warning @+1 {{has a weight that must stay fp32, because its numbers are too small for fp16: together they would be off by 0.08372 of themselves}}
plan.weight @tiny = dense<1.1e-7> : tensor<1000x64xf32>
plan.kernel @gather indexed (%table: tensor<1000x64xf32>, %ids: tensor<16xi32>) into (%c: tensor<16x64xf32>) cut 0 : 16 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<16xi32>) outs(%c : tensor<16x64xf32>) {
  ^bb0(%id: i32, %o: f32):
    %row = arith.index_cast %id : i32 to index
    %column = linalg.index 1 : index
    %x = tensor.extract %table[%row, %column] : tensor<1000x64xf32>
    linalg.yield %x : f32
  } -> tensor<16x64xf32>
  plan.yield %r : tensor<16x64xf32>
}
plan.entry @main {
  %ids = plan.storage input "ids" 0 : memref<16xi32>
  %c = plan.storage output "c" 0 : memref<16x64xf32>
  %d = plan.storage output "d" 1 : memref<16x64xf32>
  %w = plan.use @table : memref<1000x64xf32>
  %v = plan.use @tiny : memref<1000x64xf32>
  plan.launch @gather(%w, %ids) into(%c) : (memref<1000x64xf32>, memref<16xi32>) into (memref<16x64xf32>)
  plan.launch @gather(%v, %ids) into(%d) : (memref<1000x64xf32>, memref<16xi32>) into (memref<16x64xf32>)
}

// -----

// What multiplies longer than it reads keeps its weight, and so does whoever reads that weight too; a bias is small; what a state
// begins with is the app's to train.

// CHECK-DAG:  plan.weight @shared = {{.*}} : tensor<512x512xf32>
// CHECK-DAG:  plan.weight @first = {{.*}} : tensor<512x512xf32>
// CHECK-NOT:  xf16
// CHECK-NOT:  plan.rounding
plan.weight @shared = dense<1.0> : tensor<512x512xf32>
plan.weight @first = dense<1.0> : tensor<512x512xf32>
plan.kernel @many contraction (%a: tensor<96x512xf32>, %b: tensor<512x512xf32>) into (%c: tensor<96x512xf32>) cut 0 : 96 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<96x512xf32>) -> tensor<96x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<96x512xf32>, tensor<512x512xf32>) outs(%init : tensor<96x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<96x512xf32>
  plan.yield %r : tensor<96x512xf32>
}
plan.kernel @single contraction (%a: tensor<1x512xf32>, %b: tensor<512x512xf32>) into (%c: tensor<1x512xf32>) cut 1 : 512 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x512xf32>) -> tensor<1x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x512xf32>, tensor<512x512xf32>) outs(%init : tensor<1x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x512xf32>
  plan.yield %r : tensor<1x512xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<96x512xf32>
  %b = plan.storage input "b" 1 : memref<1x512xf32>
  %s = plan.storage state "s" 0 {plan.initial = @first} : memref<512x512xf32>
  %c = plan.storage output "c" 0 : memref<96x512xf32>
  %d = plan.storage output "d" 1 : memref<1x512xf32>
  %e = plan.storage output "e" 2 : memref<1x512xf32>
  %w = plan.use @shared : memref<512x512xf32>
  %v = plan.use @first : memref<512x512xf32>
  plan.launch @many(%a, %w) into(%c) : (memref<96x512xf32>, memref<512x512xf32>) into (memref<96x512xf32>)
  plan.launch @single(%b, %w) into(%d) : (memref<1x512xf32>, memref<512x512xf32>) into (memref<1x512xf32>)
  plan.launch @single(%b, %v) into(%e) : (memref<1x512xf32>, memref<512x512xf32>) into (memref<1x512xf32>)
}
