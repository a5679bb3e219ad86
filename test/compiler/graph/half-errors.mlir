// RUN: nacre-opt %s --nacre-narrow-floats --nacre-fold-constants --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// Networks of products, activations and residual sums are narrow, whatever a bias is.

// CHECK-LABEL: func.func @network(
// CHECK-COUNT-2: nn.matmul {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
// CHECK-NOT:     f32>, tensor
// CHECK:         return
func.func @network(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %b = nn.constant dense<[1.0e-6, 0.5, -0.353, 2.0e-4]> : tensor<4xf32>
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %1 = nn.binary add %0, %b : tensor<2x4xf32>, tensor<4xf32>
  %2 = nn.unary relu %1 : tensor<2x4xf32>
  %3 = nn.matmul %2, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %4 = nn.binary add %3, %b : tensor<2x4xf32>, tensor<4xf32>
  %5 = nn.binary add %4, %2 : tensor<2x4xf32>, tensor<2x4xf32>
  %6 = nn.unary gelu %5 : tensor<2x4xf32>
  %7 = nn.reduce mean %6 {axes = array<i64: 0>} : tensor<2x4xf32>
  %8 = nn.unary sigmoid %7 : tensor<4xf32>
  %9 = nn.binary mul %6, %8 : tensor<2x4xf32>, tensor<4xf32>
  return %9 : tensor<2x4xf32>
}

// -----

// An epsilon that is 0 in f16 makes a norm of zeros wrong: the norm is f32 from its squares on, and so is the quotient. What comes after it is narrow.

// CHECK-LABEL: func.func @normalized(
// CHECK-DAG:     %[[EPSILON:[^ ,:()]+]] = nn.constant dense<9.99999996E-13> : tensor<f32>
// CHECK:         %[[P:[^ ,:()]+]] = nn.matmul {{.*}}f16>
// CHECK:         %[[X:[^ ,:()]+]] = nn.cast %[[P]] : tensor<2x4xf16> to tensor<2x4xf32>
// CHECK:         %[[SQUARES:[^ ,:()]+]] = nn.binary mul %[[X]], %[[X]] : tensor<2x4xf32>
// CHECK:         %[[SUM:[^ ,:()]+]] = nn.reduce sum %[[SQUARES]] {{.*}} : tensor<2x4xf32>
// CHECK:         %[[ROOT:[^ ,:()]+]] = nn.unary sqrt %[[SUM]] : tensor<2x1xf32>
// CHECK:         %[[NORM:[^ ,:()]+]] = nn.binary max %[[ROOT]], %[[EPSILON]] : tensor<2x1xf32>
// CHECK:         %[[ROWS:[^ ,:()]+]] = nn.broadcast %[[NORM]] : tensor<2x1xf32>
// CHECK:         %[[Y:[^ ,:()]+]] = nn.binary div %[[X]], %[[ROWS]] : tensor<2x4xf32>
// CHECK:         %[[HALVES:[^ ,:()]+]] = nn.cast %[[Y]] : tensor<2x4xf32> to tensor<2x4xf16>
// CHECK:         nn.matmul %[[HALVES]], {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
func.func @normalized(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %epsilon = nn.constant dense<1.0e-12> : tensor<f32>
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %1 = nn.binary mul %0, %0 : tensor<2x4xf32>, tensor<2x4xf32>
  %2 = nn.reduce sum %1 {axes = array<i64: 1>, keep_dims} : tensor<2x4xf32>
  %3 = nn.unary sqrt %2 : tensor<2x1xf32>
  %4 = nn.binary max %3, %epsilon : tensor<2x1xf32>, tensor<f32>
  %5 = nn.broadcast %4 : tensor<2x1xf32> to tensor<2x4xf32>
  %6 = nn.binary div %0, %5 : tensor<2x4xf32>, tensor<2x4xf32>
  %7 = nn.matmul %6, %w : tensor<2x4xf32>, tensor<4x4xf32>
  return %7 : tensor<2x4xf32>
}

// -----

// Factors that f16 does not have, and numbers between them that it does not have either.

// CHECK-LABEL: func.func @factors(
// CHECK:         nn.matmul {{.*}}f16>
// CHECK:         nn.binary mul {{.*}} : tensor<2x4xf32>, tensor<f32>
// CHECK:         nn.binary mul {{.*}} : tensor<2x4xf32>, tensor<2x4xf32>
// CHECK:         nn.binary div {{.*}} : tensor<2x4xf32>, tensor<f32>
// CHECK:         nn.matmul {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
func.func @factors(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %thousand = nn.constant dense<1.0e+3> : tensor<f32>
  %million = nn.constant dense<1.0e+6> : tensor<f32>
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %1 = nn.binary mul %0, %thousand : tensor<2x4xf32>, tensor<f32>
  %2 = nn.binary mul %1, %1 : tensor<2x4xf32>, tensor<2x4xf32>
  %3 = nn.binary div %2, %million : tensor<2x4xf32>, tensor<f32>
  %4 = nn.matmul %3, %w : tensor<2x4xf32>, tensor<4x4xf32>
  return %4 : tensor<2x4xf32>
}

// -----

// Differences of large numbers: a sum with 1,000 is exact enough for itself, but not for the variance.

// CHECK-LABEL: func.func @variance(
// CHECK:         nn.binary add {{.*}} : tensor<2x4xf32>, tensor<f32>
// CHECK:         nn.reduce mean {{.*}} : tensor<2x4xf32>
// CHECK:         nn.binary sub {{.*}} : tensor<2x4xf32>, tensor<2x1xf32>
func.func @variance(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x1xf32> {
  %large = nn.constant dense<1.0e+3> : tensor<f32>
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %1 = nn.binary add %0, %large : tensor<2x4xf32>, tensor<f32>
  %2 = nn.reduce mean %1 {axes = array<i64: 1>, keep_dims} : tensor<2x4xf32>
  %3 = nn.binary sub %1, %2 : tensor<2x4xf32>, tensor<2x1xf32>
  %4 = nn.binary mul %3, %3 : tensor<2x4xf32>, tensor<2x4xf32>
  %5 = nn.reduce mean %4 {axes = array<i64: 1>, keep_dims} : tensor<2x4xf32>
  return %5 : tensor<2x1xf32>
}

// -----

// What masks a softmax may be any number that is negative enough. The sum and the softmax are narrow, so attention is still recognized.

// CHECK-LABEL: func.func @attention(
// CHECK:         nn.binary mul {{.*}} : tensor<4x4xf16>, tensor<f16>
// CHECK:         nn.binary add {{.*}} : tensor<4x4xf16>, tensor<4x4xf16>
// CHECK:         nn.softmax {{.*}} : tensor<4x4xf16>
func.func @attention(%q: tensor<4x8xf32>, %k: tensor<8x4xf32>, %v: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %scale = nn.constant dense<0.125> : tensor<f32>
  %mask = nn.constant dense<[[0.0, -1.0e+9, -1.0e+9, -1.0e+9], [0.0, 0.0, -1.0e+9, -1.0e+9], [0.0, 0.0, 0.0, -1.0e+9], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf32>
  %0 = nn.matmul %q, %k : tensor<4x8xf32>, tensor<8x4xf32>
  %1 = nn.binary mul %0, %scale : tensor<4x4xf32>, tensor<f32>
  %2 = nn.binary add %1, %mask : tensor<4x4xf32>, tensor<4x4xf32>
  %3 = nn.softmax %2 {axis = 1} : tensor<4x4xf32>
  %4 = nn.matmul %3, %v : tensor<4x4xf32>, tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// -----

// So may the mask of an attention, which stays whole: its kernel adds the mask to scores of f32, where f16's lowest number hides as
// well as f32's, and makes no NaN.

// CHECK-LABEL: func.func @whole_attention(
// CHECK-DAG:     %[[LOWEST:[^ ]+]] = nn.constant dense<-6.550400e+04> : tensor<f16>
// CHECK:         %[[M:[^ ]+]] = nn.select %arg3, %{{.*}}, %[[LOWEST]]
// CHECK:         nn.attention {{.*}} mask %[[M]] {{.*}} : tensor<4x8xf16>, tensor<8x4xf16>, tensor<4x8xf16>, tensor<4x4xf16>
func.func @whole_attention(%q: tensor<4x8xf32>, %k: tensor<8x4xf32>, %v: tensor<4x8xf32>, %seen: tensor<4x4xi1>) -> tensor<4x8xf32> {
  %lowest = nn.constant dense<-3.4e+38> : tensor<f32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %mask = nn.select %seen, %zero, %lowest : tensor<4x4xi1>, tensor<f32>, tensor<f32>
  %0 = nn.attention %q, %k, %v mask %mask {scale = 0.125 : f64} : tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x4xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// An index is exact from the input on, and from the last product on.

// CHECK-LABEL: func.func @indices(
// CHECK-DAG:     nn.unary floor %arg0 : tensor<2x4xf32>
// CHECK-DAG:     nn.unary floor %{{.*}} : tensor<2x4xf32>
// CHECK-NOT:     nn.unary floor {{.*}}f16
func.func @indices(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> (tensor<2x4xi64>, tensor<2x4xi32>) {
  %scale = nn.constant dense<100.0> : tensor<f32>
  %0 = nn.unary floor %x : tensor<2x4xf32>
  %1 = nn.cast %0 : tensor<2x4xf32> to tensor<2x4xi64>
  %2 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %3 = nn.binary mul %2, %scale : tensor<2x4xf32>, tensor<f32>
  %4 = nn.unary floor %3 : tensor<2x4xf32>
  %5 = nn.cast %4 : tensor<2x4xf32> to tensor<2x4xi32>
  return %1, %5 : tensor<2x4xi64>, tensor<2x4xi32>
}

// -----

// A counter that a loop carries is not rounded between iterations.

// CHECK-LABEL: func.func @counter(
// CHECK:         nn.binary add {{.*}} : tensor<f32>, tensor<f32>
// CHECK-NOT:     f16
func.func @counter(%x: tensor<f32>) -> tensor<f32> {
  %one = nn.constant dense<1.0> : tensor<f32>
  %last = nn.for 5000 carried(%x : tensor<f32>) -> (tensor<f32>) {
  ^bb0(%iteration: tensor<i64>, %count: tensor<f32>):
    %next = nn.binary add %count, %one : tensor<f32>, tensor<f32>
    nn.yield %next : tensor<f32>
  }
  return %last : tensor<f32>
}

// -----

// A product of weights that would all be 0 multiplies f32, and says so. The next one is narrow.

// CHECK-LABEL: func.func @products(
// CHECK-SAME:    attributes {nn.wide_products = {{.*}}, "fp16 cannot hold its weights of about 1e-9"
// CHECK:         nn.matmul {{.*}} : tensor<2x4xf32>, tensor<4x4xf32>
// CHECK:         nn.binary mul {{.*}} : tensor<2x4xf32>, tensor<f32>
// CHECK:         nn.matmul {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
func.func @products(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %small = nn.constant dense<1.0e-9> : tensor<4x4xf32>
  %billion = nn.constant dense<1.0e+9> : tensor<f32>
  // expected-warning @below {{stays fp32 in spite of --gpu-precision=fp16, because fp16 cannot hold its weights of about 1e-9; it takes longer than fp16: scale them to about 1}}
  %0 = nn.matmul %x, %small : tensor<2x4xf32>, tensor<4x4xf32>
  %1 = nn.binary mul %0, %billion : tensor<2x4xf32>, tensor<f32>
  %2 = nn.matmul %1, %w : tensor<2x4xf32>, tensor<4x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----

// A probability that f16 rounds to 0 has an infinite logarithm, so the softmax before a logarithm is f32.

// CHECK-LABEL: func.func @logarithm(
// CHECK:         nn.matmul {{.*}}f16>
// CHECK:         nn.softmax {{.*}} : tensor<2x4xf32>
// CHECK:         nn.unary log {{.*}} : tensor<2x4xf32>
func.func @logarithm(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : tensor<2x4xf32>
  %2 = nn.unary log %1 : tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----

// Exponentials of usual values do not fit, nor do their sums; those of numbers that are never positive do.

// CHECK-LABEL: func.func @exponentials(
// CHECK:         nn.matmul {{.*}}f16>
// CHECK:         nn.unary exp {{.*}} : tensor<2x4xf32>
// CHECK:         nn.reduce sum {{.*}} : tensor<2x4xf32>
// CHECK:         nn.unary exp {{.*}} : tensor<2x4xf16>
func.func @exponentials(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> (tensor<2x1xf32>, tensor<2x4xf32>) {
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %1 = nn.unary exp %0 : tensor<2x4xf32>
  %2 = nn.reduce sum %1 {axes = array<i64: 1>, keep_dims} : tensor<2x4xf32>
  %3 = nn.unary abs %0 : tensor<2x4xf32>
  %4 = nn.unary neg %3 : tensor<2x4xf32>
  %5 = nn.unary exp %4 : tensor<2x4xf32>
  %6 = nn.matmul %5, %w : tensor<2x4xf32>, tensor<4x4xf32>
  return %2, %6 : tensor<2x1xf32>, tensor<2x4xf32>
}

// -----

// A sum of 100,000 products that all have one sign is above 65504. If signs differ, it is some hundreds.

// CHECK-LABEL: func.func @long_products(
// CHECK:         nn.matmul {{.*}} : tensor<2x100000xf32>, tensor<100000x4xf32>
// CHECK:         nn.matmul {{.*}} : tensor<2x100000xf16>, tensor<100000x4xf16>
func.func @long_products(%x: tensor<2x100000xf32>, %w: tensor<100000x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %ones = nn.constant dense<1.0> : tensor<100000x4xf32>
  %0 = nn.unary sigmoid %x : tensor<2x100000xf32>
  // expected-warning @below {{because fp16 cannot hold its results of about}}
  %1 = nn.matmul %0, %ones : tensor<2x100000xf32>, tensor<100000x4xf32>
  %2 = nn.matmul %0, %w : tensor<2x100000xf32>, tensor<100000x4xf32>
  return %1, %2 : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// Operands whose mean is far larger than their differences are rounded by steps of the mean.

// CHECK-LABEL: func.func @means(
// CHECK:         nn.matmul {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
// CHECK:         nn.matmul {{.*}} : tensor<2x4xf32>, tensor<4x4xf32>
func.func @means(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %mean = nn.constant dense<200.0> : tensor<f32>
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %1 = nn.binary add %0, %mean : tensor<2x4xf32>, tensor<f32>
  // expected-warning @below {{because fp16 loses the differences between its operands of about 200; it takes longer than fp16: subtract their mean}}
  %2 = nn.matmul %1, %w : tensor<2x4xf32>, tensor<4x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----

// An input that masks scores may contain the lowest f32 number, which must not become infinite. Other inputs keep what they are.

// CHECK-LABEL: func.func @masks(
// CHECK-SAME:    %[[X:[^ ,:()]+]]: {{.*}}, %[[MASK:[^ ,:()]+]]: tensor<2x2xf32>
// CHECK-DAG:     %[[MOST:[^ ,:()]+]] = nn.constant dense<6.550400e+04> : tensor<f32>
// CHECK-DAG:     %[[LEAST:[^ ,:()]+]] = nn.constant dense<-6.550400e+04> : tensor<f32>
// CHECK-DAG:     %[[LOW:[^ ,:()]+]] = nn.binary min %[[MASK]], %[[MOST]]
// CHECK-DAG:     %[[CLAMPED:[^ ,:()]+]] = nn.binary max %[[LOW]], %[[LEAST]]
// CHECK-DAG:     nn.cast %[[CLAMPED]] : tensor<2x2xf32> to tensor<2x2xf16>
// CHECK-DAG:     nn.cast %[[X]] : tensor<2x4xf32> to tensor<2x4xf16>
func.func @masks(%x: tensor<2x4xf32>, %mask: tensor<2x2xf32>, %w: tensor<4x2xf32>) -> tensor<2x2xf32> {
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x2xf32>
  %1 = nn.binary add %0, %mask : tensor<2x2xf32>, tensor<2x2xf32>
  %2 = nn.softmax %1 {axis = 1 : i64} : tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}
