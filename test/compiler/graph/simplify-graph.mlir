// RUN: nacre-opt %s --nacre-simplify-graph --split-input-file | FileCheck %s

// The example of the pass's documentation.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<2x7x4xf32>)
// CHECK-NEXT:    %[[S:[^ ,:()]+]] = nn.slice %[[X]] [0, 6, 0] [2, 1, 4] [1, 1, 1]
// CHECK-NEXT:    %[[R:[^ ,:()]+]] = nn.reshape %[[S]] : tensor<2x1x4xf32> to tensor<2x4xf32>
// CHECK-NEXT:    return %[[R]]
func.func @documented_example(%x: tensor<2x7x4xf32>) -> tensor<2x4xf32> {
  %i = nn.constant dense<-1> : tensor<i64>
  %0 = nn.gather %x, %i {axis = 1} : tensor<2x7x4xf32>, tensor<i64>
  return %0 : tensor<2x4xf32>
}

// -----

// Indices at equal distances are a slice, backwards too; others, and repeated ones, are not.

// CHECK-LABEL: func.func @gathers(
// CHECK:         nn.slice %{{.*}} [5, 0] [3, 4] [-2, 1]
// CHECK:         nn.gather
// CHECK:         nn.gather
func.func @gathers(%x: tensor<7x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<2x4xf32>) {
  %i = nn.constant dense<[5, 3, 1]> : tensor<3xi64>
  %j = nn.constant dense<[0, 1, 3]> : tensor<3xi64>
  %k = nn.constant dense<[2, 2]> : tensor<2xi64>
  %0 = nn.gather %x, %i {axis = 0} : tensor<7x4xf32>, tensor<3xi64>
  %1 = nn.gather %x, %j {axis = 0} : tensor<7x4xf32>, tensor<3xi64>
  %2 = nn.gather %x, %k {axis = 0} : tensor<7x4xf32>, tensor<2xi64>
  return %0, %1, %2 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<2x4xf32>
}

// -----

// Only a transpose that leaves the others in order is a reshape.

// CHECK-LABEL: func.func @transposes_of_units(
// CHECK:         nn.reshape %{{.*}} : tensor<1x3x1x5xf32> to tensor<3x1x5x1xf32>
// CHECK:         nn.transpose
func.func @transposes_of_units(%x: tensor<1x3x1x5xf32>) -> (tensor<3x1x5x1xf32>, tensor<1x5x1x3xf32>) {
  %0 = nn.transpose %x [1, 0, 3, 2] : tensor<1x3x1x5xf32>
  %1 = nn.transpose %x [0, 3, 2, 1] : tensor<1x3x1x5xf32>
  return %0, %1 : tensor<3x1x5x1xf32>, tensor<1x5x1x3xf32>
}

// -----

// A concat used elsewhere must not be taken apart: its parts would be copied twice.

// CHECK-LABEL: func.func @concats(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<2x3xf32>)
// CHECK:         %[[USED:[^ ,:()]+]] = nn.concat %[[X]], %[[X]] {axis = 1 : i64}
// CHECK:         nn.concat %[[X]], %[[X]], %[[X]] {axis = 0 : i64}
// CHECK:         nn.concat %[[USED]], %[[X]]
func.func @concats(%x: tensor<2x3xf32>) -> (tensor<6x3xf32>, tensor<2x6xf32>, tensor<2x9xf32>) {
  %0 = nn.concat %x, %x {axis = 0} : tensor<2x3xf32>, tensor<2x3xf32>
  %1 = nn.concat %x, %x {axis = 1} : tensor<2x3xf32>, tensor<2x3xf32>
  %2 = nn.concat %0, %x {axis = 0} : tensor<4x3xf32>, tensor<2x3xf32>
  %3 = nn.concat %1, %x {axis = 1} : tensor<2x6xf32>, tensor<2x3xf32>
  return %2, %1, %3 : tensor<6x3xf32>, tensor<2x6xf32>, tensor<2x9xf32>
}

// -----

// Nothing is reduced along axes of extent one.

// CHECK-LABEL: func.func @reduction_of_units(
// CHECK-NEXT:    %[[R:[^ ,:()]+]] = nn.reshape %{{.*}} : tensor<4x1x1xf32> to tensor<4xf32>
// CHECK-NEXT:    return %[[R]]
func.func @reduction_of_units(%x: tensor<4x1x1xf32>) -> tensor<4xf32> {
  %0 = nn.reduce mean %x {axes = array<i64: 1, 2>} : tensor<4x1x1xf32>
  return %0 : tensor<4xf32>
}

// -----

// One window over everything is a mean; with padding, or of maxima, it is not.

// CHECK-LABEL: func.func @global_pools(
// CHECK:         nn.reduce mean %{{.*}} {axes = array<i64: 1, 2>, keep_dims}
// CHECK:         nn.pool average
// CHECK:         nn.pool max
func.func @global_pools(%x: tensor<1x4x4x8xf32>) -> (tensor<1x1x1x8xf32>, tensor<1x2x2x8xf32>, tensor<1x1x1x8xf32>) {
  %0 = nn.pool average %x {kernel = array<i64: 4, 4>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x4x4x8xf32>
  %1 = nn.pool average %x {kernel = array<i64: 4, 4>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 1, 1>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x4x4x8xf32>
  %2 = nn.pool max %x {kernel = array<i64: 4, 4>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x4x4x8xf32>
  return %0, %1, %2 : tensor<1x1x1x8xf32>, tensor<1x2x2x8xf32>, tensor<1x1x1x8xf32>
}

// -----

// Zeros around the image join the pads, low ones first; pads of channels, crops and other values stay.

// CHECK-LABEL: func.func @pads(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x4x4x8xf32>,
// CHECK:         nn.conv %[[X]], %{{.*}} pads = array<i64: 1, 3, 3, 1>
// CHECK:         nn.pad
// CHECK:         nn.pad
func.func @pads(%x: tensor<1x4x4x8xf32>, %w: tensor<3x3x8x2xf32>, %v: tensor<3x3x9x2xf32>)
    -> (tensor<1x6x6x2xf32>, tensor<1x2x2x2xf32>, tensor<1x4x4x2xf32>) {
  %0 = nn.pad constant %x [0, 1, 2, 0] [0, 2, 0, 0] 0.0 : f32 : tensor<1x4x4x8xf32>
  %1 = nn.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 1, 1, 1>, dilations = array<i64: 1, 1>,
      groups = 1} : tensor<1x7x6x8xf32>, tensor<3x3x8x2xf32>
  %2 = nn.pad constant %x [0, 0, 0, 0] [0, 0, 0, 1] 0.0 : f32 : tensor<1x4x4x8xf32>
  %3 = nn.conv %2, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1} : tensor<1x4x4x9xf32>, tensor<3x3x9x2xf32>
  %4 = nn.pad constant %x [0, 1, 1, 0] [0, 1, 1, 0] 1.0 : f32 : tensor<1x4x4x8xf32>
  %5 = nn.conv %4, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1} : tensor<1x6x6x8xf32>, tensor<3x3x8x2xf32>
  return %1, %3, %5 : tensor<1x6x6x2xf32>, tensor<1x2x2x2xf32>, tensor<1x4x4x2xf32>
}

// -----

// An expansion that the operator would do by itself goes; one that gives the result its shape stays.

// CHECK-LABEL: func.func @expansions(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<2x3xf32>, %[[Y:[^ :]+]]: tensor<3xf32>)
// CHECK:         nn.binary mul %[[X]], %[[Y]] : tensor<2x3xf32>, tensor<3xf32>
// CHECK:         %[[B:[^ ,:()]+]] = nn.broadcast %[[Y]] : tensor<3xf32> to tensor<5x3xf32>
// CHECK:         nn.binary mul %[[B]], %[[Y]]
func.func @expansions(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<5x3xf32>) {
  %0 = nn.broadcast %y : tensor<3xf32> to tensor<2x3xf32>
  %1 = nn.binary mul %x, %0 : tensor<2x3xf32>, tensor<2x3xf32>
  %2 = nn.broadcast %y : tensor<3xf32> to tensor<5x3xf32>
  %3 = nn.binary mul %2, %y : tensor<5x3xf32>, tensor<3xf32>
  return %1, %3 : tensor<2x3xf32>, tensor<5x3xf32>
}

// -----

// A constant operand has no axes to spare: a splat is a number, leading axes of one go.

// CHECK-LABEL: func.func @constants_shrink(
// CHECK-DAG:     %[[S:[^ ,:()]+]] = nn.constant dense<2.000000e+00> : tensor<f32>
// CHECK-DAG:     %[[B:[^ ,:()]+]] = nn.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
// CHECK-DAG:     %[[K:[^ ,:()]+]] = nn.constant dense<2.000000e+00> : tensor<4x3xf32>
// CHECK:         nn.binary mul %{{.*}}, %[[S]]
// CHECK:         nn.binary add %{{.*}}, %[[B]]
// CHECK:         nn.binary sub %{{.*}}, %[[K]]
func.func @constants_shrink(%x: tensor<4x3xf32>, %y: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %s = nn.constant dense<2.0> : tensor<4x3xf32>
  %b = nn.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %0 = nn.binary mul %x, %s : tensor<4x3xf32>, tensor<4x3xf32>
  %1 = nn.binary add %0, %b : tensor<4x3xf32>, tensor<1x3xf32>
  %2 = nn.binary sub %y, %s : tensor<3xf32>, tensor<4x3xf32>
  return %1, %2 : tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

// Powers with an operator of their own; integers have a square only, and a root is the power of what is not -inf or -0.

// CHECK-LABEL: func.func @powers(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<3xf32>, %[[I:[^ :]+]]: tensor<3xi32>)
// CHECK:         %[[SQUARE:[^ ,:()]+]] = nn.binary mul %[[X]], %[[X]]
// CHECK:         nn.unary sqrt %[[SQUARE]]
// CHECK:         nn.unary reciprocal %[[X]]
// CHECK:         %[[ROOT:[^ ,:()]+]] = nn.unary sqrt %[[SQUARE]]
// CHECK:         nn.unary reciprocal %[[ROOT]]
// CHECK:         nn.binary pow %[[X]]
// CHECK:         nn.binary pow %[[X]]
// CHECK:         nn.binary mul %[[I]], %[[I]]
// CHECK:         nn.binary pow %[[I]]
func.func @powers(%x: tensor<3xf32>, %i: tensor<3xi32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>,
    tensor<3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xf32>) {
  %two = nn.constant dense<2.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %inverse = nn.constant dense<-1.0> : tensor<f32>
  %rsqrt = nn.constant dense<-0.5> : tensor<f32>
  %three = nn.constant dense<3.0> : tensor<f32>
  %j = nn.constant dense<2> : tensor<i32>
  %k = nn.constant dense<-1> : tensor<i32>
  %0 = nn.binary pow %x, %two : tensor<3xf32>, tensor<f32>
  %1 = nn.binary pow %0, %half : tensor<3xf32>, tensor<f32>
  %2 = nn.binary pow %x, %inverse : tensor<3xf32>, tensor<f32>
  %3 = nn.binary pow %0, %rsqrt : tensor<3xf32>, tensor<f32>
  %7 = nn.binary pow %x, %half : tensor<3xf32>, tensor<f32>
  %4 = nn.binary pow %x, %three : tensor<3xf32>, tensor<f32>
  %5 = nn.binary pow %i, %j : tensor<3xi32>, tensor<i32>
  %6 = nn.binary pow %i, %k : tensor<3xi32>, tensor<i32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>,
      tensor<3xi32>, tensor<3xi32>, tensor<3xf32>
}

// -----

// The larger of x and zero is relu; the smaller is not.

// CHECK-LABEL: func.func @maximum_with_zero(
// CHECK:         nn.unary relu
// CHECK:         nn.binary min
func.func @maximum_with_zero(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %0 = nn.binary max %zero, %x : tensor<f32>, tensor<3xf32>
  %1 = nn.binary min %zero, %x : tensor<f32>, tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// -----

// Indices that are one number repeated are no range, and are not read: there may be more than memory holds.

// CHECK-LABEL: func.func @gather_of_one_index_repeated(
// CHECK:         nn.gather
func.func @gather_of_one_index_repeated(%x: tensor<3xf32>) -> tensor<1099511627776xf32> {
  %i = nn.constant dense<1> : tensor<1099511627776xi64>
  %0 = nn.gather %x, %i {axis = 0 : i64} : tensor<3xf32>, tensor<1099511627776xi64>
  return %0 : tensor<1099511627776xf32>
}

// Any number around integers is a convolution's padding, unless it pads with another one already.

// CHECK-LABEL: func.func @pads_of_integers
// CHECK-SAME:    (%[[X:[^ :]+]]: tensor<1x8x8x4xui8>
// CHECK:         %[[P:[^ ,:()]+]] = nn.pad constant %[[X]]
// CHECK:         nn.conv %[[X]], %{{.*}} pad_value = 200 : i64, pads = array<i64: 1, 1, 1, 1>
// CHECK:         nn.conv %[[P]], %{{.*}} pad_value = 7 : i64, pads = array<i64: 1, 1, 1, 1>
func.func @pads_of_integers(%x: tensor<1x8x8x4xui8>, %w: tensor<3x3x4x2xi8>) -> (tensor<1x8x8x2xi32>, tensor<1x10x10x2xi32>) {
  %0 = nn.pad constant %x [0, 1, 1, 0] [0, 1, 1, 0] 200 : ui8 : tensor<1x8x8x4xui8>
  %1 = nn.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
                       groups = 1 : i64} : tensor<1x10x10x4xui8>, tensor<3x3x4x2xi8>
  %2 = nn.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>,
                       groups = 1 : i64, pad_value = 7} : tensor<1x10x10x4xui8>, tensor<3x3x4x2xi8>
  return %1, %2 : tensor<1x8x8x2xi32>, tensor<1x10x10x2xi32>
}

// -----

// Rows that are joined again, behind one another or side by side, are moved all at once; those in another order one by one.
// CHECK-LABEL: func.func @rows(
// CHECK:         %[[TWO:[^ ,:()]+]] = nn.slice %[[S:[^ ,:()]+]] [1, 0, 0] [2, 4, 5] [1, 1, 1]
// CHECK:         %[[TURNED:[^ ,:()]+]] = nn.transpose %[[TWO]] [1, 0, 2]
// CHECK:         %[[FLAT:[^ ,:()]+]] = nn.reshape %{{.*}} : tensor<4x2x5xf32> to tensor<4x10xf32>
// CHECK:         %[[BACK:[^ ,:()]+]] = nn.concat
// CHECK:         return %[[S]], %[[TURNED]], %[[FLAT]], %[[BACK]]
func.func @rows(%s: tensor<3x4x5xf32>) -> (tensor<3x4x5xf32>, tensor<4x2x5xf32>, tensor<4x10xf32>, tensor<2x4x5xf32>) {
  %s0 = nn.slice %s [0, 0, 0] [1, 4, 5] [1, 1, 1] : tensor<3x4x5xf32>
  %s1 = nn.slice %s [1, 0, 0] [1, 4, 5] [1, 1, 1] : tensor<3x4x5xf32>
  %s2 = nn.slice %s [2, 0, 0] [1, 4, 5] [1, 1, 1] : tensor<3x4x5xf32>
  %all = nn.concat %s0, %s1, %s2 {axis = 0} : tensor<1x4x5xf32>, tensor<1x4x5xf32>, tensor<1x4x5xf32>
  %c1 = nn.reshape %s1 : tensor<1x4x5xf32> to tensor<4x1x5xf32>
  %c2 = nn.reshape %s2 : tensor<1x4x5xf32> to tensor<4x1x5xf32>
  %turned = nn.concat %c1, %c2 {axis = 1} : tensor<4x1x5xf32>, tensor<4x1x5xf32>
  %r1 = nn.reshape %s1 : tensor<1x4x5xf32> to tensor<4x5xf32>
  %r2 = nn.reshape %s2 : tensor<1x4x5xf32> to tensor<4x5xf32>
  %flat = nn.concat %r1, %r2 {axis = 1} : tensor<4x5xf32>, tensor<4x5xf32>
  %back = nn.concat %s2, %s1 {axis = 0} : tensor<1x4x5xf32>, tensor<1x4x5xf32>
  return %all, %turned, %flat, %back : tensor<3x4x5xf32>, tensor<4x2x5xf32>, tensor<4x10xf32>, tensor<2x4x5xf32>
}

// -----

// Gates' gradients: zeros but for a slice each, in any order, beside one another. Others are added to the concat.

// CHECK-LABEL: func.func @slices_between_zeros(
// CHECK-SAME:    %[[A:[^ :]+]]: tensor<2x3xf32>, %[[B:[^ :]+]]: tensor<2x1xf32>, %[[C:[^ :]+]]: tensor<2x2xf32>, %[[D:[^ :]+]]: tensor<2x6xf32>)
// CHECK-NEXT:    %[[ABC:[^ ,:()]+]] = nn.concat %[[C]], %[[A]], %[[B]] {axis = 1 : i64}
// CHECK-NEXT:    %[[SUM:[^ ,:()]+]] = nn.binary add %[[ABC]], %[[D]]
// CHECK-NEXT:    return %[[SUM]]
func.func @slices_between_zeros(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>, %c: tensor<2x2xf32>, %d: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = nn.pad constant %a [0, 2] [0, 1] 0.0 : f32 : tensor<2x3xf32>
  %1 = nn.pad constant %b [0, 5] [0, 0] 0.0 : f32 : tensor<2x1xf32>
  %2 = nn.pad constant %c [0, 0] [0, 4] 0.0 : f32 : tensor<2x2xf32>
  %3 = nn.binary add %0, %1 : tensor<2x6xf32>, tensor<2x6xf32>
  %4 = nn.binary add %3, %d : tensor<2x6xf32>, tensor<2x6xf32>
  %5 = nn.binary add %4, %2 : tensor<2x6xf32>, tensor<2x6xf32>
  return %5 : tensor<2x6xf32>
}

// -----

// Slices that leave elements out at an end are padded together.

// CHECK-LABEL: func.func @slices_of_a_part(
// CHECK-NEXT:    %[[BOTH:[^ ,:()]+]] = nn.concat %arg1, %arg0 {axis = 0 : i64} : tensor<1x4xf32>, tensor<2x4xf32>
// CHECK-NEXT:    %[[PADDED:[^ ,:()]+]] = nn.pad constant %[[BOTH]] [1, 0] [3, 0] 0.000000e+00
// CHECK-NEXT:    return %[[PADDED]]
func.func @slices_of_a_part(%a: tensor<2x4xf32>, %b: tensor<1x4xf32>) -> tensor<7x4xf32> {
  %0 = nn.pad constant %a [2, 0] [3, 0] 0.0 : f32 : tensor<2x4xf32>
  %1 = nn.pad constant %b [1, 0] [5, 0] 0.0 : f32 : tensor<1x4xf32>
  %2 = nn.binary add %0, %1 : tensor<7x4xf32>, tensor<7x4xf32>
  return %2 : tensor<7x4xf32>
}

// -----

// Elements that two slices have are sums; ones stand between; zeros lie along two axes, or a gap between the slices; what somebody
// else reads is there anyway.

// CHECK-LABEL: func.func @no_slices_beside_one_another(
// CHECK-NOT:     nn.concat
// CHECK:         return
func.func @no_slices_beside_one_another(%a: tensor<2x3xf32>) -> (tensor<2x5xf32>, tensor<2x6xf32>, tensor<3x6xf32>, tensor<2x7xf32>, tensor<2x6xf32>, tensor<2x6xf32>) {
  %0 = nn.pad constant %a [0, 0] [0, 2] 0.0 : f32 : tensor<2x3xf32>
  %1 = nn.pad constant %a [0, 2] [0, 0] 0.0 : f32 : tensor<2x3xf32>
  %overlapping = nn.binary add %0, %1 : tensor<2x5xf32>, tensor<2x5xf32>
  %2 = nn.pad constant %a [0, 0] [0, 3] 1.0 : f32 : tensor<2x3xf32>
  %3 = nn.pad constant %a [0, 3] [0, 0] 0.0 : f32 : tensor<2x3xf32>
  %ones = nn.binary add %2, %3 : tensor<2x6xf32>, tensor<2x6xf32>
  %4 = nn.pad constant %a [0, 0] [1, 3] 0.0 : f32 : tensor<2x3xf32>
  %5 = nn.pad constant %a [1, 3] [0, 0] 0.0 : f32 : tensor<2x3xf32>
  %corners = nn.binary add %4, %5 : tensor<3x6xf32>, tensor<3x6xf32>
  %6 = nn.pad constant %a [0, 0] [0, 4] 0.0 : f32 : tensor<2x3xf32>
  %7 = nn.pad constant %a [0, 4] [0, 0] 0.0 : f32 : tensor<2x3xf32>
  %apart = nn.binary add %6, %7 : tensor<2x7xf32>, tensor<2x7xf32>
  %8 = nn.pad constant %a [0, 0] [0, 3] 0.0 : f32 : tensor<2x3xf32>
  %9 = nn.pad constant %a [0, 3] [0, 0] 0.0 : f32 : tensor<2x3xf32>
  %read = nn.binary add %8, %9 : tensor<2x6xf32>, tensor<2x6xf32>
  return %overlapping, %ones, %corners, %apart, %read, %8 : tensor<2x5xf32>, tensor<2x6xf32>, tensor<3x6xf32>, tensor<2x7xf32>, tensor<2x6xf32>, tensor<2x6xf32>
}

// -----

// A window that is larger than the image counts only the image.

// CHECK-LABEL: func.func @average_beyond_the_image(
// CHECK-NEXT:    %[[MEAN:[^ ,:()]+]] = nn.reduce mean %{{.*}} {axes = array<i64: 1, 2>, keep_dims} : tensor<1x6x6x3xf32>
// CHECK-NEXT:    return %[[MEAN]]
func.func @average_beyond_the_image(%x: tensor<1x6x6x3xf32>) -> tensor<1x1x1x3xf32> {
  %0 = nn.pool average %x {kernel = array<i64: 7, 7>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 1, 1>} : tensor<1x6x6x3xf32>
  return %0 : tensor<1x1x1x3xf32>
}
