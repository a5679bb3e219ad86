// RUN: nacre-opt %s --nacre-graph | FileCheck %s

// The whole phase on a small channels-first network with everything: batch normalization, squeeze and excitation, a pad
// before its convolution, a flattening before a fully connected layer. One transpose is left, of the model's input.

// CHECK-LABEL: func.func @network(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x3x8x8xf32>)
// CHECK:         %[[T:[^ ,:()]+]] = nn.transpose %[[X]] [0, 2, 3, 1]
// CHECK-NEXT:    %[[CONV:[^ ,:()]+]] = nn.conv %[[T]], %{{.*}} pads = array<i64: 1, 1, 1, 1>
// CHECK-NEXT:    %[[BIAS:[^ ,:()]+]] = nn.binary add %[[CONV]], %{{.*}} : tensor<1x8x8x4xf32>, tensor<4xf32>
// CHECK-NEXT:    %[[RELU:[^ ,:()]+]] = nn.unary relu %[[BIAS]]
// CHECK-NEXT:    %[[MEAN:[^ ,:()]+]] = nn.reduce mean %[[RELU]] {axes = array<i64: 1, 2>, keep_dims}
// CHECK-NEXT:    %[[GATE:[^ ,:()]+]] = nn.unary sigmoid %[[MEAN]]
// CHECK-NEXT:    %[[MUL:[^ ,:()]+]] = nn.binary mul %[[RELU]], %[[GATE]]
// CHECK-NEXT:    %[[POOL:[^ ,:()]+]] = nn.pool max %[[MUL]]
// CHECK-NEXT:    %[[FLAT:[^ ,:()]+]] = nn.reshape %[[POOL]] : tensor<1x4x4x4xf32> to tensor<1x64xf32>
// CHECK-NEXT:    %[[FC:[^ ,:()]+]] = nn.matmul %[[FLAT]], %{{.*}}
// CHECK-NEXT:    return %[[FC]]
func.func @network(%x: tensor<1x3x8x8xf32>) -> tensor<1x5xf32> {
  %filter = nn.constant dense<0.5> : tensor<4x3x3x3xf32>
  %scale = nn.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32>
  %shift = nn.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[5.0]]]> : tensor<4x1x1xf32>
  %weights = nn.constant dense<0.25> : tensor<5x64xf32>
  %pad = nn.pad constant %x [0, 0, 1, 1] [0, 0, 1, 1] 0.0 : f32 : tensor<1x3x8x8xf32>
  %hwio = nn.transpose %filter [2, 3, 1, 0] : tensor<4x3x3x3xf32>
  %last = nn.transpose %pad [0, 2, 3, 1] : tensor<1x3x10x10xf32>
  %conv = nn.conv %last, %hwio {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1} : tensor<1x10x10x3xf32>, tensor<3x3x3x4xf32>
  %first = nn.transpose %conv [0, 3, 1, 2] : tensor<1x8x8x4xf32>
  %scaled = nn.binary mul %first, %scale : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>
  %shifted = nn.binary add %scaled, %shift : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>
  %relu = nn.unary relu %shifted : tensor<1x4x8x8xf32>
  %mean = nn.reduce mean %relu {axes = array<i64: 2, 3>, keep_dims} : tensor<1x4x8x8xf32>
  %gate = nn.unary sigmoid %mean : tensor<1x4x1x1xf32>
  %gated = nn.binary mul %relu, %gate : tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>
  %last2 = nn.transpose %gated [0, 2, 3, 1] : tensor<1x4x8x8xf32>
  %pool = nn.pool max %last2 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x8x8x4xf32>
  %first2 = nn.transpose %pool [0, 3, 1, 2] : tensor<1x4x4x4xf32>
  %flat = nn.reshape %first2 : tensor<1x4x4x4xf32> to tensor<1x64xf32>
  %io = nn.transpose %weights [1, 0] : tensor<5x64xf32>
  %fc = nn.matmul %flat, %io : tensor<1x64xf32>, tensor<64x5xf32>
  return %fc : tensor<1x5xf32>
}
