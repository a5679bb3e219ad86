// RUN: nacre-opt %s --nacre-settle-encodings="winograd-bytes=1000000" --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-settle-encodings="winograd-bytes=110592" --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: nacre-opt %s --nacre-settle-encodings --split-input-file | FileCheck %s --check-prefix=NONE

// A convolution that the CPU alone computes reads transformed filters, and may be cut where a tile begins. Nothing is on offer
// any more.

// CHECK:      plan.weight @w = {{.*}}#plan.encoding<winograd, width = 16 tile = 4>
// CHECK:      plan.kernel @documented_example
// CHECK-SAME: cut 1 : 8 by 4
// CHECK-SAME: attributes {encodings = [unit, #plan.encoding<winograd, width = 16 tile = 4>]}
// NONE:       plan.weight @w = {{.*}}#plan.encoding<panel, width = 16>
// NONE:       plan.kernel @documented_example
// NONE-SAME:  cut 1 : 8 by 1
// NONE-SAME:  attributes {encodings = [unit, #plan.encoding<panel, width = 16>]}
plan.weight @w = dense<1.0> : tensor<3x3x16x32xf32> {encoding = #plan.encoding<panel, width = 16>}
plan.kernel @documented_example contraction (%x: tensor<1x10x10x16xf32>, %w: tensor<3x3x16x32xf32>) into (%y: tensor<1x8x8x32xf32>)
    cut 1 : 8 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>], plan.winograd = [
    {cycles = 2000000 : i64, direct_cycles = 3000000 : i64, encoding = #plan.encoding<winograd, width = 16 tile = 2>, grain = 2 : i64},
    {cycles = 1000000 : i64, direct_cycles = 3000000 : i64, encoding = #plan.encoding<winograd, width = 16 tile = 4>, grain = 4 : i64}]} {
  plan.yield %y : tensor<1x8x8x32xf32>
}
plan.entry @main {
  %x = plan.storage input "x" 0 : memref<1x10x10x16xf32>
  %y = plan.storage output "y" 0 : memref<1x8x8x32xf32>
  %use = plan.use @w : memref<3x3x16x32xf32>
  plan.launch @documented_example(%x, %use) into(%y) {cpu = array<i64: 0, 8>, gpu = array<i64: 0, 0>} : (memref<1x10x10x16xf32>, memref<3x3x16x32xf32>) into (memref<1x8x8x32xf32>)
}

// -----

// Two filters of 36,864 bytes. In tiles of 4x4 each grows by thrice as many, in tiles of 2x2 by 28,672. First does what saves the
// most time a byte; it has all that there is, where that is three times as many as one of them.

// CHECK-DAG: plan.weight @fast_w = {{.*}}#plan.encoding<winograd, width = 16 tile = 4>
// CHECK-DAG: plan.weight @slow_w = {{.*}}#plan.encoding<winograd, width = 16 tile = 4>
// SMALL-DAG: plan.weight @fast_w = {{.*}}#plan.encoding<winograd, width = 16 tile = 4>
// SMALL-DAG: plan.weight @slow_w = {{.*}}#plan.encoding<panel, width = 16>
plan.weight @slow_w = dense<1.0> : tensor<3x3x32x32xf32> {encoding = #plan.encoding<panel, width = 16>}
plan.weight @fast_w = dense<1.0> : tensor<3x3x32x32xf32> {encoding = #plan.encoding<panel, width = 16>}
plan.kernel @slow contraction (%x: tensor<1x10x10x32xf32>, %w: tensor<3x3x32x32xf32>) into (%y: tensor<1x8x8x32xf32>)
    cut 1 : 8 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>], plan.winograd = [
    {cycles = 2500000 : i64, direct_cycles = 3000000 : i64, encoding = #plan.encoding<winograd, width = 16 tile = 2>, grain = 2 : i64},
    {cycles = 2000000 : i64, direct_cycles = 3000000 : i64, encoding = #plan.encoding<winograd, width = 16 tile = 4>, grain = 4 : i64}]} {
  plan.yield %y : tensor<1x8x8x32xf32>
}
plan.kernel @fast contraction (%x: tensor<1x18x18x32xf32>, %w: tensor<3x3x32x32xf32>) into (%y: tensor<1x16x16x32xf32>)
    cut 1 : 16 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>], plan.winograd = [
    {cycles = 8000000 : i64, direct_cycles = 12000000 : i64, encoding = #plan.encoding<winograd, width = 16 tile = 2>, grain = 2 : i64},
    {cycles = 4000000 : i64, direct_cycles = 12000000 : i64, encoding = #plan.encoding<winograd, width = 16 tile = 4>, grain = 4 : i64}]} {
  plan.yield %y : tensor<1x16x16x32xf32>
}
plan.entry @main {
  %x0 = plan.storage input "x0" 0 : memref<1x10x10x32xf32>
  %y0 = plan.storage output "y0" 0 : memref<1x8x8x32xf32>
  %x1 = plan.storage input "x1" 1 : memref<1x18x18x32xf32>
  %y1 = plan.storage output "y1" 1 : memref<1x16x16x32xf32>
  %slow = plan.use @slow_w : memref<3x3x32x32xf32>
  %fast = plan.use @fast_w : memref<3x3x32x32xf32>
  plan.launch @slow(%x0, %slow) into(%y0) {cpu = array<i64: 0, 8>, gpu = array<i64: 0, 0>} : (memref<1x10x10x32xf32>, memref<3x3x32x32xf32>) into (memref<1x8x8x32xf32>)
  plan.launch @fast(%x1, %fast) into(%y1) {cpu = array<i64: 0, 16>, gpu = array<i64: 0, 0>} : (memref<1x18x18x32xf32>, memref<3x3x32x32xf32>) into (memref<1x16x16x32xf32>)
}

// -----

// What a GPU has a share of stays in panels, in every entry that reads it: both engines read the same bytes. What weights may grow
// by is left to the others.

// SMALL-DAG: plan.weight @shared_w = {{.*}}#plan.encoding<panel, width = 16>
// SMALL-DAG: plan.weight @alone_w = {{.*}}#plan.encoding<winograd, width = 16 tile = 4>
plan.weight @shared_w = dense<1.0> : tensor<3x3x32x32xf32> {encoding = #plan.encoding<panel, width = 16>}
plan.weight @alone_w = dense<1.0> : tensor<3x3x32x32xf32> {encoding = #plan.encoding<panel, width = 16>}
plan.kernel @shared contraction (%x: tensor<1x18x18x32xf32>, %w: tensor<3x3x32x32xf32>) into (%y: tensor<1x16x16x32xf32>)
    cut 1 : 16 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>], plan.winograd = [
    {cycles = 8000000 : i64, direct_cycles = 12000000 : i64, encoding = #plan.encoding<winograd, width = 16 tile = 2>, grain = 2 : i64},
    {cycles = 4000000 : i64, direct_cycles = 12000000 : i64, encoding = #plan.encoding<winograd, width = 16 tile = 4>, grain = 4 : i64}]} {
  plan.yield %y : tensor<1x16x16x32xf32>
}
plan.kernel @alone contraction (%x: tensor<1x10x10x32xf32>, %w: tensor<3x3x32x32xf32>) into (%y: tensor<1x8x8x32xf32>)
    cut 1 : 8 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>], plan.winograd = [
    {cycles = 2500000 : i64, direct_cycles = 3000000 : i64, encoding = #plan.encoding<winograd, width = 16 tile = 2>, grain = 2 : i64},
    {cycles = 2000000 : i64, direct_cycles = 3000000 : i64, encoding = #plan.encoding<winograd, width = 16 tile = 4>, grain = 4 : i64}]} {
  plan.yield %y : tensor<1x8x8x32xf32>
}
plan.entry @first {
  %x0 = plan.storage input "x0" 0 : memref<1x10x10x32xf32>
  %y0 = plan.storage output "y0" 0 : memref<1x8x8x32xf32>
  %x1 = plan.storage input "x1" 1 : memref<1x18x18x32xf32>
  %y1 = plan.storage output "y1" 1 : memref<1x16x16x32xf32>
  %alone = plan.use @alone_w : memref<3x3x32x32xf32>
  %shared = plan.use @shared_w : memref<3x3x32x32xf32>
  plan.launch @alone(%x0, %alone) into(%y0) {cpu = array<i64: 0, 8>, gpu = array<i64: 0, 0>} : (memref<1x10x10x32xf32>, memref<3x3x32x32xf32>) into (memref<1x8x8x32xf32>)
  plan.launch @shared(%x1, %shared) into(%y1) {cpu = array<i64: 0, 16>, gpu = array<i64: 0, 0>} : (memref<1x18x18x32xf32>, memref<3x3x32x32xf32>) into (memref<1x16x16x32xf32>)
}
plan.entry @second {
  %x = plan.storage input "x" 0 : memref<1x18x18x32xf32>
  %y = plan.storage output "y" 0 : memref<1x16x16x32xf32>
  %shared = plan.use @shared_w : memref<3x3x32x32xf32>
  plan.launch @shared(%x, %shared) into(%y) {cpu = array<i64: 8, 16>, gpu = array<i64: 0, 8>} : (memref<1x18x18x32xf32>, memref<3x3x32x32xf32>) into (memref<1x16x16x32xf32>)
}
