// RUN: nacre-opt %s --nacre-narrow-floats --nacre-fold-constants --canonicalize --split-input-file | FileCheck %s

// The example of the pass's documentation.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<2x4xf32>, %[[W:[^ :]+]]: tensor<4x4xf32>
// CHECK-DAG:     %[[C:[^ ,:()]+]] = nn.constant dense<0.00999999977> : tensor<f32>
// CHECK-DAG:     %[[V:[^ ,:()]+]] = nn.cast %[[W]] : tensor<4x4xf32> to tensor<4x4xf16>
// CHECK:         %[[S:[^ ,:()]+]] = nn.binary mul %[[X]], %[[C]] : tensor<2x4xf32>, tensor<f32>
// CHECK-NEXT:    %[[H:[^ ,:()]+]] = nn.cast %[[S]] : tensor<2x4xf32> to tensor<2x4xf16>
// CHECK-NEXT:    %[[P:[^ ,:()]+]] = nn.matmul %[[H]], %[[V]] : tensor<2x4xf16>, tensor<4x4xf16>
// CHECK-NEXT:    %[[R:[^ ,:()]+]] = nn.unary relu %[[P]] : tensor<2x4xf16>
// CHECK-NEXT:    %[[T:[^ ,:()]+]] = nn.unary tanh %[[R]] : tensor<2x4xf16>
// CHECK-NEXT:    %[[Y:[^ ,:()]+]] = nn.cast %[[T]] : tensor<2x4xf16> to tensor<2x4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @documented_example(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %c = nn.constant dense<0.01> : tensor<f32>
  %0 = nn.binary mul %x, %c : tensor<2x4xf32>, tensor<f32>
  %1 = nn.matmul %0, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %2 = nn.unary relu %1 : tensor<2x4xf32>
  %3 = nn.unary tanh %2 : tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}

// -----

// Weights are stored narrow; what masks a softmax, the largest f32, stays finite, an infinite one does not.

// CHECK-LABEL: func.func @constants(
// CHECK-DAG:     nn.constant dense<-6.550400e+04> : tensor<2xf16>
// CHECK-DAG:     nn.constant dense<0xFC00> : tensor<2xf16>
// CHECK-DAG:     nn.constant dense<9.997550e-02> : tensor<2xf16>
// CHECK-NOT:     nn.constant
func.func @constants(%x: tensor<2x2xf32>, %w: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %mask = nn.constant dense<-3.4e38> : tensor<2xf32>
  %none = nn.constant dense<0xFF800000> : tensor<2xf32>
  %weight = nn.constant dense<0.1> : tensor<2xf32>
  %p = nn.matmul %x, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %0 = nn.binary mul %p, %weight : tensor<2x2xf32>, tensor<2xf32>
  %1 = nn.binary max %0, %none : tensor<2x2xf32>, tensor<2xf32>
  %2 = nn.binary add %1, %mask : tensor<2x2xf32>, tensor<2xf32>
  %3 = nn.softmax %2 {axis = 1} : tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}

// -----

// Other types stay, and so do results that are narrow already.

// CHECK-LABEL: func.func @types(
// CHECK-SAME:    -> (tensor<3xf16>, tensor<3xi32>)
// CHECK-NEXT:    %[[R:[^ ,:()]+]] = nn.unary relu %{{.*}} : tensor<3xf16>
// CHECK-NEXT:    %[[A:[^ ,:()]+]] = nn.binary add %{{.*}}, %{{.*}} : tensor<3xi32>, tensor<3xi32>
// CHECK-NEXT:    return %[[R]], %[[A]]
func.func @types(%h: tensor<3xf16>, %i: tensor<3xi32>) -> (tensor<3xf16>, tensor<3xi32>) {
  %0 = nn.unary relu %h : tensor<3xf16>
  %1 = nn.binary add %i, %i : tensor<3xi32>, tensor<3xi32>
  return %0, %1 : tensor<3xf16>, tensor<3xi32>
}

// -----

// A model of both has casts of its own, which then do nothing.

// CHECK-LABEL: func.func @both(
// CHECK-NEXT:    %[[X:[^ ,:()]+]] = nn.cast %{{.*}} : tensor<3xf32> to tensor<3xf16>
// CHECK-NEXT:    %[[S:[^ ,:()]+]] = nn.binary add %[[X]], %{{.*}} : tensor<3xf16>, tensor<3xf16>
// CHECK-NEXT:    %[[R:[^ ,:()]+]] = nn.unary relu %[[S]] : tensor<3xf16>
// CHECK-NEXT:    nn.cast %[[R]] : tensor<3xf16> to tensor<3xf32>
func.func @both(%x: tensor<3xf32>, %h: tensor<3xf16>) -> tensor<3xf32> {
  %0 = nn.cast %x : tensor<3xf32> to tensor<3xf16>
  %1 = nn.binary add %0, %h : tensor<3xf16>, tensor<3xf16>
  %2 = nn.cast %1 : tensor<3xf16> to tensor<3xf32>
  %3 = nn.unary relu %2 : tensor<3xf32>
  return %3 : tensor<3xf32>
}

// -----

// Positions have more digits than halves: they stay wide until a sine makes them small.

// CHECK-LABEL: func.func @positions(
// CHECK:         %[[P:[^ ,:()]+]] = nn.cast %{{.*}} : tensor<4x1xi64> to tensor<4x1xf32>
// CHECK-NEXT:    %[[A:[^ ,:()]+]] = nn.binary mul %[[P]], %{{.*}} : tensor<4x1xf32>, tensor<8xf32>
// CHECK-NEXT:    %[[S:[^ ,:()]+]] = nn.unary sin %[[A]] : tensor<4x8xf32>
// CHECK-NEXT:    %[[H:[^ ,:()]+]] = nn.cast %[[S]] : tensor<4x8xf32> to tensor<4x8xf16>
// CHECK-NEXT:    nn.binary mul %{{.*}}, %[[H]] : tensor<4x8xf16>, tensor<4x8xf16>
func.func @positions(%a: tensor<4x4xf32>, %b: tensor<4x8xf32>, %p: tensor<4x1xi64>) -> tensor<4x8xf32> {
  %x = nn.matmul %a, %b : tensor<4x4xf32>, tensor<4x8xf32>
  %frequencies = nn.constant dense<[1.0, 0.5, 0.25, 0.125, 0.1, 0.05, 0.025, 0.0125]> : tensor<8xf32>
  %0 = nn.cast %p : tensor<4x1xi64> to tensor<4x1xf32>
  %1 = nn.binary mul %0, %frequencies : tensor<4x1xf32>, tensor<8xf32>
  %2 = nn.unary sin %1 : tensor<4x8xf32>
  %3 = nn.binary mul %x, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// As networks spell it, that is a product of matrices; one that sums is the network's own, and reads halves.

// CHECK-LABEL: func.func @outer_product(
// CHECK:         nn.matmul %{{.*}}, %{{.*}} : tensor<8x1xf32>, tensor<1x4xf32>
// CHECK:         nn.matmul %{{.*}}, %{{.*}} : tensor<3x4xf16>, tensor<4x1xf16>
func.func @outer_product(%p: tensor<1x4xi64>) -> (tensor<8x4xf32>, tensor<3x1xf32>) {
  %frequencies = nn.constant dense<0.5> : tensor<8x1xf32>
  %weights = nn.constant dense<0.5> : tensor<3x4xf32>
  %0 = nn.cast %p : tensor<1x4xi64> to tensor<1x4xf32>
  %1 = nn.matmul %frequencies, %0 : tensor<8x1xf32>, tensor<1x4xf32>
  %2 = nn.unary cos %1 : tensor<8x4xf32>
  %3 = nn.transpose %0 [1, 0] : tensor<1x4xf32>
  %4 = nn.matmul %weights, %3 : tensor<3x4xf32>, tensor<4x1xf32>
  return %2, %4 : tensor<8x4xf32>, tensor<3x1xf32>
}

// -----

// Where what is made of integers meets halves, it becomes one, and the largest instead of an infinite one: a row that is
// masked altogether must stay a number.

// CHECK-LABEL: func.func @mask(
// CHECK-DAG:     %[[LEAST:[^ ,:()]+]] = nn.constant dense<-6.550400e+04> : tensor<f32>
// CHECK-DAG:     %[[MOST:[^ ,:()]+]] = nn.constant dense<6.550400e+04> : tensor<f32>
// CHECK-DAG:     %[[LOW:[^ ,:()]+]] = nn.constant dense<-3.400000e+38> : tensor<f32>
// CHECK:         %[[M:[^ ,:()]+]] = nn.cast %{{.*}} : tensor<1x4xi64> to tensor<1x4xf32>
// CHECK:         %[[F:[^ ,:()]+]] = nn.binary mul %[[M]], %[[LOW]] : tensor<1x4xf32>, tensor<f32>
// CHECK-NEXT:    %[[MIN:[^ ,:()]+]] = nn.binary min %[[F]], %[[MOST]]
// CHECK-NEXT:    %[[MAX:[^ ,:()]+]] = nn.binary max %[[MIN]], %[[LEAST]]
// CHECK-NEXT:    %[[H:[^ ,:()]+]] = nn.cast %[[MAX]] : tensor<1x4xf32> to tensor<1x4xf16>
// CHECK-NEXT:    %[[A:[^ ,:()]+]] = nn.binary add %{{.*}}, %[[H]] : tensor<4x4xf16>, tensor<1x4xf16>
// CHECK-NEXT:    nn.softmax %[[A]]
func.func @mask(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %mask: tensor<1x4xi64>) -> tensor<4x4xf32> {
  %scores = nn.matmul %q, %k : tensor<4x4xf32>, tensor<4x4xf32>
  %low = nn.constant dense<-3.4e38> : tensor<f32>
  %0 = nn.cast %mask : tensor<1x4xi64> to tensor<1x4xf32>
  %1 = nn.binary mul %0, %low : tensor<1x4xf32>, tensor<f32>
  %2 = nn.binary add %scores, %1 : tensor<4x4xf32>, tensor<1x4xf32>
  %3 = nn.softmax %2 {axis = 1} : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// Arithmetic of integers by way of floats: nothing is narrow.

// CHECK-LABEL: func.func @buckets(
// CHECK-NOT:     f16
func.func @buckets(%p: tensor<4xi32>) -> tensor<4xi64> {
  %half = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.cast %p : tensor<4xi32> to tensor<4xf32>
  %1 = nn.binary mul %0, %half : tensor<4xf32>, tensor<f32>
  %2 = nn.unary floor %1 : tensor<4xf32>
  %3 = nn.cast %2 : tensor<4xf32> to tensor<4xi64>
  return %3 : tensor<4xi64>
}

// -----

// Bytes of an image are halves exactly.

// CHECK-LABEL: func.func @image(
// CHECK-NEXT:    nn.cast %{{.*}} : tensor<4xui8> to tensor<4xf16>
func.func @image(%x: tensor<4xui8>) -> tensor<4xf32> {
  %0 = nn.cast %x : tensor<4xui8> to tensor<4xf32>
  %1 = nn.unary sqrt %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Positions are wide as far back as they are themselves: only the network before them is narrow. The image is an input.

// CHECK-LABEL: func.func @positions(
// CHECK:         %[[FLOW:[^ ,:()]+]] = nn.matmul {{.*}} : tensor<1x4x8xf16>, tensor<8x2xf16>
// CHECK:         %[[WIDE:[^ ,:()]+]] = nn.cast %[[FLOW]] : tensor<1x4x2xf16> to tensor<1x4x2xf32>
// CHECK:         %[[AT:[^ ,:()]+]] = nn.binary add %[[WIDE]], %{{.*}} : tensor<1x4x2xf32>, tensor<4x2xf32>
// CHECK:         nn.sample linear zeros %{{.*}}, %[[AT]] : tensor<1x5x6x8xf32>, tensor<1x4x2xf32>
func.func @positions(%image: tensor<1x5x6x8xf32>, %features: tensor<1x4x8xf32>, %w: tensor<8x2xf32>, %base: tensor<4x2xf32>)
    -> tensor<1x4x8xf32> {
  %0 = nn.matmul %features, %w : tensor<1x4x8xf32>, tensor<8x2xf32>
  %1 = nn.binary add %0, %base : tensor<1x4x2xf32>, tensor<4x2xf32>
  %2 = nn.sample linear zeros %image, %1 : tensor<1x5x6x8xf32>, tensor<1x4x2xf32>
  return %2 : tensor<1x4x8xf32>
}

// -----

// Sums of bytes are scaled before they are halves, by a scale that is none either, though it is known when the model runs.

// CHECK-LABEL: func.func @sums_of_bytes(
// CHECK:         %[[L:[^ ,:()]+]] = nn.reduce max %{{.*}} : tensor<8x4xf32>
// CHECK:         %[[S:[^ ,:()]+]] = nn.binary mul %[[L]], %{{.*}} : tensor<f32>, tensor<f32>
// CHECK:         %[[R:[^ ,:()]+]] = nn.binary mul %{{.*}}, %[[S]] : tensor<8x3xf32>, tensor<f32>
// CHECK-NEXT:    nn.binary add %[[R]], %{{.*}} : tensor<8x3xf32>, tensor<3xf32>
func.func @sums_of_bytes(%x: tensor<8x4xf32>, %q: tensor<8x4xui8>, %w: tensor<4x3xi8>, %b: tensor<3xf32>) -> tensor<8x3xf32> {
  %small = nn.constant dense<1.0e-5> : tensor<f32>
  %seven = nn.constant dense<7> : tensor<i32>
  %0 = nn.reduce max %x {axes = array<i64: 0, 1>} : tensor<8x4xf32>
  %1 = nn.binary mul %0, %small : tensor<f32>, tensor<f32>
  %2 = nn.matmul %q, %w : tensor<8x4xui8>, tensor<4x3xi8>
  %3 = nn.binary sub %2, %seven : tensor<8x3xi32>, tensor<i32>
  %4 = nn.cast %3 : tensor<8x3xi32> to tensor<8x3xf32>
  %5 = nn.binary mul %4, %1 : tensor<8x3xf32>, tensor<f32>
  %6 = nn.binary add %5, %b : tensor<8x3xf32>, tensor<3xf32>
  return %6 : tensor<8x3xf32>
}

// -----

// Bits are of the wide numbers, and powers of two are beyond a half.

// CHECK-LABEL: func.func @bits(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<4xf32>, %[[S:[^ :]+]]: tensor<4xf8E8M0FNU>
// CHECK-DAG:     %[[BITS:[^ ,:()]+]] = nn.bitcast %[[X]] : tensor<4xf32> to tensor<4xi32>
// CHECK-DAG:     %[[SCALE:[^ ,:()]+]] = nn.cast %[[S]] : tensor<4xf8E8M0FNU> to tensor<4xf32>
// CHECK-DAG:     %[[HALF:[^ ,:()]+]] = nn.bitcast %{{.*}} : tensor<4xf16> to tensor<4xi16>
// CHECK:         return %[[BITS]], %[[SCALE]], %[[HALF]]
func.func @bits(%x: tensor<4xf32>, %s: tensor<4xf8E8M0FNU>, %h: tensor<4xf16>) -> (tensor<4xi32>, tensor<4xf32>, tensor<4xi16>) {
  %0 = nn.bitcast %x : tensor<4xf32> to tensor<4xi32>
  %1 = nn.cast %s : tensor<4xf8E8M0FNU> to tensor<4xf32>
  %2 = nn.bitcast %h : tensor<4xf16> to tensor<4xi16>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xf32>, tensor<4xi16>
}

// -----

// What a loop carries adds up over all iterations, so it keeps its width, and so does what goes in and out of branches; inside, and of
// what is read from around, as much is narrow as elsewhere.
// CHECK-LABEL: func.func @branches_and_loops(
// CHECK: %[[E:[^ ,:()]+]] = nn.unary tanh %{{.*}} : tensor<1x4xf16>
// CHECK-NEXT: nn.for 5 carried(%arg0 : tensor<1x4xf32>) -> (tensor<1x4xf32>) {
// CHECK: %[[P:[^ ,:()]+]] = nn.binary mul %{{.*}}, %[[E]] : tensor<1x4xf16>, tensor<1x4xf16>
// CHECK-NEXT: nn.if %arg1 : tensor<i1> -> (tensor<1x4xf32>) {
// CHECK-NEXT: %[[Q:[^ ,:()]+]] = nn.unary tanh %[[P]] : tensor<1x4xf16>
// CHECK-NEXT: %[[WIDE:[^ ,:()]+]] = nn.cast %[[Q]] : tensor<1x4xf16> to tensor<1x4xf32>
// CHECK-NEXT: nn.yield %[[WIDE]]
func.func @branches_and_loops(%x: tensor<1x4xf32>, %c: tensor<i1>, %w: tensor<1x4xf32>, %m: tensor<4x4xf32>) -> tensor<1x4xf32> {
  %v = nn.matmul %w, %m : tensor<1x4xf32>, tensor<4x4xf32>
  %e = nn.unary tanh %v : tensor<1x4xf32>
  %last = nn.for 5 carried(%x : tensor<1x4xf32>) -> (tensor<1x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<1x4xf32>):
    %p = nn.binary mul %h, %e : tensor<1x4xf32>, tensor<1x4xf32>
    %y = nn.if %c : tensor<i1> -> (tensor<1x4xf32>) {
      %q = nn.unary tanh %p : tensor<1x4xf32>
      nn.yield %q : tensor<1x4xf32>
    } else {
      nn.yield %h : tensor<1x4xf32>
    }
    nn.yield %y : tensor<1x4xf32>
  }
  %z = nn.unary neg %last : tensor<1x4xf32>
  return %z : tensor<1x4xf32>
}

// -----

// What is around a tensor is a number of its type: what is padded with a number that f16 does not have stays wide.
// CHECK-LABEL: func.func @padded(
// CHECK: nn.pad reflect %{{.*}} [0, 2] [0, 1] 0.000000e+00 : f16 : tensor<1x4xf16>
// CHECK: nn.pad constant %{{.*}} [0, 2] [0, 1] 1.000000e+05 : f32 : tensor<1x4xf32>
func.func @padded(%x: tensor<1x4xf32>, %w: tensor<4x4xf32>) -> (tensor<1x7xf32>, tensor<1x7xf32>) {
  %e = nn.matmul %x, %w : tensor<1x4xf32>, tensor<4x4xf32>
  %r = nn.pad reflect %e [0, 2] [0, 1] 0.000000e+00 : f32 : tensor<1x4xf32>
  %c = nn.pad constant %e [0, 2] [0, 1] 1.000000e+05 : f32 : tensor<1x4xf32>
  return %r, %c : tensor<1x7xf32>, tensor<1x7xf32>
}

// -----

// An image is cast where it is transposed, which is one kernel; what a product reads through a transpose is not transposed.

// CHECK-LABEL: func.func @images(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x3x4x5xf32>, %[[W:[^ :]+]]: tensor<2x5xf32>
// CHECK-DAG:     %[[T:[^ ,:()]+]] = nn.transpose %[[X]] [0, 2, 3, 1] : tensor<1x3x4x5xf32>
// CHECK-DAG:     nn.cast %[[T]] : tensor<1x4x5x3xf32> to tensor<1x4x5x3xf16>
// CHECK-DAG:     nn.cast %[[W]] : tensor<2x5xf32> to tensor<2x5xf16>
func.func @images(%x: tensor<1x3x4x5xf32>, %w: tensor<2x5xf32>, %a: tensor<4x5xf32>, %f: tensor<1x1x3x3xf32>)
    -> (tensor<1x4x5x3xf32>, tensor<4x2xf32>) {
  %0 = nn.transpose %x [0, 2, 3, 1] : tensor<1x3x4x5xf32>
  %1 = nn.conv %0, %f {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1}
      : tensor<1x4x5x3xf32>, tensor<1x1x3x3xf32>
  %2 = nn.transpose %w [1, 0] : tensor<2x5xf32>
  %3 = nn.matmul %a, %2 : tensor<4x5xf32>, tensor<5x2xf32>
  return %1, %3 : tensor<1x4x5x3xf32>, tensor<4x2xf32>
}

// -----

// A recurrence is written as one operator, or, to be trained, as a loop: either way it computes in the wide type, from weights that are
// moved as they are. Its rows are computed of narrow ones.
// CHECK-LABEL: func.func @recurrence(
// CHECK: nn.transpose %arg1 [1, 0] : tensor<4x4xf32>
// CHECK: %[[X:[^ ,:()]+]] = nn.unary tanh %{{.*}} : tensor<3x2x4xf16>
// CHECK: %[[ROWS:[^ ,:()]+]] = nn.cast %[[X]] : tensor<3x2x4xf16> to tensor<3x2x4xf32>
// CHECK: nn.for 3 carried(%arg2 : tensor<2x4xf32>) scanned(%[[ROWS]] : tensor<3x2x4xf32>)
// CHECK-NOT: nn.cast
// CHECK: nn.yield
func.func @recurrence(%x: tensor<3x2x4xf32>, %w: tensor<4x4xf32>, %h0: tensor<2x4xf32>, %m: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %t = nn.transpose %w [1, 0] : tensor<4x4xf32>
  %p = nn.matmul %x, %m : tensor<3x2x4xf32>, tensor<4x4xf32>
  %e = nn.unary tanh %p : tensor<3x2x4xf32>
  %last = nn.for 3 carried(%h0 : tensor<2x4xf32>) scanned(%e : tensor<3x2x4xf32>) -> (tensor<2x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<2x4xf32>, %row: tensor<2x4xf32>):
    %q = nn.matmul %h, %t : tensor<2x4xf32>, tensor<4x4xf32>
    %s = nn.binary add %q, %row : tensor<2x4xf32>, tensor<2x4xf32>
    %n = nn.unary tanh %s : tensor<2x4xf32>
    nn.yield %n : tensor<2x4xf32>
  }
  return %last : tensor<2x4xf32>
}

// -----

// The CPU computes in f32, so a function for it keeps its values.
// CHECK-LABEL: func.func @on_the_cpu(
// CHECK-NEXT: nn.matmul %arg0, %arg1 : tensor<2x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: return
func.func @on_the_cpu(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> attributes {plan.engine = "cpu"} {
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  return %0 : tensor<2x4xf32>
}
