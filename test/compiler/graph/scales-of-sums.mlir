// RUN: nacre-opt %s --nacre-simplify-graph --nacre-recognize-quantized --nacre-expand-quantization --nacre-fold-constants \
// RUN:   --nacre-simplify-graph --canonicalize --split-input-file | FileCheck %s

// A sum of two quantized values divides nothing in the run: each scale takes the result's in. An upper bound of 6 is the code 12 here.

// CHECK-LABEL: func.func @sum(
// CHECK-DAG:     %[[SA:[^ ,:()]+]] = nn.constant dense<2.000000e+00> : tensor<f32>
// CHECK-DAG:     %[[SB:[^ ,:()]+]] = nn.constant dense<4.000000e+00> : tensor<f32>
// CHECK-DAG:     %[[HIGH:[^ ,:()]+]] = nn.constant dense<1.200000e+01> : tensor<f32>
// CHECK-NOT:     nn.binary div
// CHECK:         nn.binary mul %{{.*}}, %[[SA]]
// CHECK:         nn.binary mul %{{.*}}, %[[SB]]
// CHECK:         nn.binary min %{{.*}}, %[[HIGH]]
// CHECK:         nn.cast %{{.*}} : tensor<4xf32> to tensor<4xui8>
func.func @sum(%a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xui8> {
  %as = nn.constant dense<1.0> : tensor<f32>
  %bs = nn.constant dense<2.0> : tensor<f32>
  %ys = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<0> : tensor<ui8>
  %six = nn.constant dense<6.0> : tensor<f32>
  %0 = nn.dequantize %a, %as, %zero : tensor<4xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %b, %bs, %zero : tensor<4xui8>, tensor<f32>, tensor<ui8>
  %2 = nn.binary add %0, %1 : tensor<4xf32>, tensor<4xf32>
  %3 = nn.unary relu %2 : tensor<4xf32>
  %4 = nn.binary min %3, %six : tensor<4xf32>, tensor<f32>
  %5 = nn.quantize %4, %ys, %zero : tensor<4xf32>, tensor<f32>, tensor<ui8>
  return %5 : tensor<4xui8>
}

// -----

// Of a product only one operand takes the scale in, also if both are one value.

// CHECK-LABEL: func.func @square(
// CHECK-DAG:     %[[S:[^ ,:()]+]] = nn.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG:     %[[DIVIDED:[^ ,:()]+]] = nn.constant dense<1.250000e-01> : tensor<f32>
// CHECK-DAG:     %[[A:[^ ,:()]+]] = nn.binary mul %{{.*}}, %[[DIVIDED]] : tensor<4xf32>, tensor<f32>
// CHECK-DAG:     %[[B:[^ ,:()]+]] = nn.binary mul %{{.*}}, %[[S]] : tensor<4xf32>, tensor<f32>
// CHECK:         nn.binary mul %[[A]], %[[B]] : tensor<4xf32>, tensor<4xf32>
func.func @square(%a: tensor<4xui8>) -> tensor<4xui8> {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %ys = nn.constant dense<4.0> : tensor<f32>
  %zero = nn.constant dense<0> : tensor<ui8>
  %0 = nn.dequantize %a, %scale, %zero : tensor<4xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.binary mul %0, %0 : tensor<4xf32>, tensor<4xf32>
  %2 = nn.quantize %1, %ys, %zero : tensor<4xf32>, tensor<f32>, tensor<ui8>
  return %2 : tensor<4xui8>
}

// -----

// Where many reals lie in the middle between two codes, no factors give the codes of f32, so that these quantizations divide. Calibrated
// scales have a factor: their quotient.

// CHECK-LABEL: func.func @middles(
// CHECK-DAG:     %[[SCALE:[^ ,:()]+]] = nn.constant dense<2.000000e-02> : tensor<f32>
// CHECK-DAG:     %[[RESULT:[^ ,:()]+]] = nn.constant dense<4.000000e-02> : tensor<f32>
// CHECK-DAG:     %[[QUOTIENT:[^ ,:()]+]] = nn.constant dense<0.557{{[0-9]*}}> : tensor<f32>
// CHECK:         %[[A:[^ ,:()]+]] = nn.binary mul %{{.*}}, %[[SCALE]]
// CHECK:         nn.binary div %[[A]], %[[RESULT]]
// CHECK:         %[[S:[^ ,:()]+]] = nn.binary add %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT:    nn.binary div %[[S]], %[[RESULT]]
// CHECK:         %[[C:[^ ,:()]+]] = nn.binary mul %{{.*}}, %[[QUOTIENT]]
// CHECK-NEXT:    nn.unary round %[[C]]
func.func @middles(%a: tensor<4xi8>, %b: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %scale = nn.constant dense<0.02> : tensor<f32>
  %result = nn.constant dense<0.04> : tensor<f32>
  %calibrated = nn.constant dense<0.0359> : tensor<f32>
  %zero = nn.constant dense<3> : tensor<i8>
  %0 = nn.dequantize %a, %scale, %zero : tensor<4xi8>, tensor<f32>, tensor<i8>
  %1 = nn.dequantize %b, %scale, %zero : tensor<4xi8>, tensor<f32>, tensor<i8>
  %2 = nn.quantize %0, %result, %zero : tensor<4xf32>, tensor<f32>, tensor<i8>
  %3 = nn.binary add %0, %1 : tensor<4xf32>, tensor<4xf32>
  %4 = nn.quantize %3, %result, %zero : tensor<4xf32>, tensor<f32>, tensor<i8>
  %5 = nn.quantize %1, %calibrated, %zero : tensor<4xf32>, tensor<f32>, tensor<i8>
  return %2, %4, %5 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// -----

// What is not linear divides, as the model states it.

// CHECK-LABEL: func.func @function_of_one_value(
// CHECK:         nn.unary sigmoid
// CHECK-NEXT:    nn.binary div
func.func @function_of_one_value(%a: tensor<4xui8>) -> tensor<4xui8> {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<0> : tensor<ui8>
  %0 = nn.dequantize %a, %scale, %zero : tensor<4xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.unary sigmoid %0 : tensor<4xf32>
  %2 = nn.quantize %1, %scale, %zero : tensor<4xf32>, tensor<f32>, tensor<ui8>
  return %2 : tensor<4xui8>
}
