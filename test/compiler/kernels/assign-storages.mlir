// RUN: nacre-opt %s --split-input-file --nacre-assign-storages | FileCheck %s

// The example of the pass's documentation: a padded convolution's input gets a halo, which the kernel that produces it
// fills: all of the storage first, then its interior.

// CHECK-LABEL: plan.kernel @relu nest
// CHECK-SAME:    (%[[X:[^ :]+]]: tensor<4x4x8xf32>) into (%[[Y:[^ :]+]]: tensor<6x6x8xf32>)
// CHECK:         %[[F:[^ ,:()]+]] = linalg.fill {{.*}} outs(%[[Y]] : tensor<6x6x8xf32>)
// CHECK:         %[[T:[^ ,:()]+]] = tensor.extract_slice %[[F]][1, 1, 0] [4, 4, 8] [1, 1, 1]
// CHECK:         %[[R:[^ ,:()]+]] = linalg.generic {{.*}} ins(%[[X]] {{.*}} outs(%[[T]]
// CHECK:         %[[I:[^ ,:()]+]] = tensor.insert_slice %[[R]] into %[[F]][1, 1, 0] [4, 4, 8] [1, 1, 1]
// CHECK:         plan.yield %[[I]]
// CHECK-LABEL: plan.entry @documented_example
// CHECK-DAG:     %[[IN:[^ ,:()]+]] = plan.storage input "x" 0 : memref<4x4x8xf32>
// CHECK-DAG:     %[[T:[^ ,:()]+]] = plan.storage temporary : memref<6x6x8xf32>
// CHECK-DAG:     %[[OUT:[^ ,:()]+]] = plan.storage output "y" 0 : memref<6x6x8xf32>
// CHECK:         plan.launch @relu(%[[IN]]) into(%[[T]]) : (memref<4x4x8xf32>) into(memref<6x6x8xf32>)
// CHECK:         plan.launch @reads(%[[T]]) into(%[[OUT]])
plan.kernel @relu nest (%x: tensor<4x4x8xf32>) into (%y: tensor<4x4x8xf32>) cut 0 : 4 by 1 {
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
       ins(%x : tensor<4x4x8xf32>) outs(%y : tensor<4x4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x4x8xf32>
  plan.yield %0 : tensor<4x4x8xf32>
}
plan.kernel @reads nest (%x: tensor<6x6x8xf32>) into (%y: tensor<6x6x8xf32>) cut 0 : 6 by 1 {
  %0 = linalg.copy ins(%x : tensor<6x6x8xf32>) outs(%y : tensor<6x6x8xf32>) -> tensor<6x6x8xf32>
  plan.yield %0 : tensor<6x6x8xf32>
}
plan.entry @documented_example {
  %x = plan.storage input "x" 0 : tensor<4x4x8xf32>
  %y = plan.launch @relu(%x) : (tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
  %p = nn.pad constant %y [1, 1, 0] [1, 1, 0] 0.0 : f32 : tensor<4x4x8xf32>
  %z = plan.launch @reads(%p) : (tensor<6x6x8xf32>) -> tensor<6x6x8xf32>
  plan.output %z, "y" 0 : tensor<6x6x8xf32>
}

// -----

// Producers write their parts of a concatenation; here that is an output, and nothing is copied.

// CHECK-LABEL: plan.kernel @left nest
// CHECK-SAME:    into (%[[Y:[^ :]+]]: tensor<2x12xf32>)
// CHECK:         tensor.extract_slice %[[Y]][0, 0] [2, 4] [1, 1]
// CHECK:         tensor.insert_slice %{{.*}} into %[[Y]][0, 0] [2, 4] [1, 1]
// CHECK-LABEL: plan.kernel @right nest
// CHECK-SAME:    into (%[[Y:[^ :]+]]: tensor<2x12xf32>)
// CHECK:         tensor.extract_slice %[[Y]][0, 4] [2, 8] [1, 1]
// CHECK-LABEL: plan.entry @concatenation_is_written_in_place
// CHECK-NOT:     temporary
// CHECK:         %[[OUT:[^ ,:()]+]] = plan.storage output "y" 0 : memref<2x12xf32>
// CHECK:         plan.launch @left(%{{.*}}) into(%[[OUT]])
// CHECK-NEXT:    plan.launch @right(%{{.*}}) into(%[[OUT]])
// CHECK-NOT:     plan.launch
plan.kernel @left nest (%x: tensor<2x4xf32>) into (%y: tensor<2x4xf32>) cut 0 : 2 by 1 {
  %0 = linalg.copy ins(%x : tensor<2x4xf32>) outs(%y : tensor<2x4xf32>) -> tensor<2x4xf32>
  plan.yield %0 : tensor<2x4xf32>
}
plan.kernel @right nest (%x: tensor<2x8xf32>) into (%y: tensor<2x8xf32>) cut 0 : 2 by 1 {
  %0 = linalg.copy ins(%x : tensor<2x8xf32>) outs(%y : tensor<2x8xf32>) -> tensor<2x8xf32>
  plan.yield %0 : tensor<2x8xf32>
}
plan.entry @concatenation_is_written_in_place {
  %a = plan.storage input "a" 0 : tensor<2x4xf32>
  %b = plan.storage input "b" 1 : tensor<2x8xf32>
  %l = plan.launch @left(%a) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %r = plan.launch @right(%b) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %c = nn.concat %l, %r {axis = 1 : i64} : tensor<2x4xf32>, tensor<2x8xf32>
  plan.output %c, "y" 0 : tensor<2x12xf32>
}

// -----

// Inputs are where the caller put them, so a concatenation copies them; the second part starts on 12 bytes and could not
// be written in place either.

// CHECK-LABEL: plan.entry @inputs_are_copied_into_a_concatenation
// CHECK:         plan.launch @copy_0
// CHECK-NEXT:    plan.launch @copy_1
plan.entry @inputs_are_copied_into_a_concatenation {
  %a = plan.storage input "a" 0 : tensor<2x3xf32>
  %b = plan.storage input "b" 1 : tensor<2x5xf32>
  %c = nn.concat %a, %b {axis = 1 : i64} : tensor<2x3xf32>, tensor<2x5xf32>
  plan.output %c, "y" 0 : tensor<2x8xf32>
}

// -----

// A reshape is the same storage under another shape, and a contiguous slice of it a view that starts later.

// CHECK-LABEL: plan.entry @reshapes_and_slices_are_views
// CHECK:         %[[X:[^ ,:()]+]] = plan.storage input "x" 0 : memref<4x8xf32>
// CHECK:         %[[V:[^ ,:()]+]] = plan.view %[[X]] {offset = 16 : i64} : memref<4x8xf32> to memref<16xf32>
// CHECK-NEXT:    plan.launch @k(%[[V]])
// CHECK-NOT:     plan.launch @copy
plan.kernel @k nest (%x: tensor<16xf32>) into (%y: tensor<16xf32>) cut 0 : 16 by 1 {
  %0 = linalg.copy ins(%x : tensor<16xf32>) outs(%y : tensor<16xf32>) -> tensor<16xf32>
  plan.yield %0 : tensor<16xf32>
}
plan.entry @reshapes_and_slices_are_views {
  %x = plan.storage input "x" 0 : tensor<4x8xf32>
  %s = nn.slice %x [2, 0] [2, 8] [1, 1] : tensor<4x8xf32>
  %r = nn.reshape %s : tensor<2x8xf32> to tensor<16xf32>
  %y = plan.launch @k(%r) : (tensor<16xf32>) -> tensor<16xf32>
  plan.output %y, "y" 0 : tensor<16xf32>
}

// -----

// What has a halo does not lie in one run: a reshape of it reads a copy.

// CHECK-LABEL: plan.entry @a_halo_cannot_be_reshaped
// CHECK-DAG:     %[[H:[^ ,:()]+]] = plan.storage temporary : memref<6x4xf32>
// CHECK-DAG:     %[[D:[^ ,:()]+]] = plan.storage temporary : memref<4x4xf32>
// CHECK:         plan.launch @copy_0(%[[H]]) into(%[[D]])
// CHECK:         %[[V:[^ ,:()]+]] = plan.view %[[D]] : memref<4x4xf32> to memref<16xf32>
// CHECK:         plan.launch @flat(%[[V]])
plan.kernel @k nest (%x: tensor<4x4xf32>) into (%y: tensor<4x4xf32>) cut 0 : 4 by 1 {
  %0 = linalg.copy ins(%x : tensor<4x4xf32>) outs(%y : tensor<4x4xf32>) -> tensor<4x4xf32>
  plan.yield %0 : tensor<4x4xf32>
}
plan.kernel @padded nest (%x: tensor<6x4xf32>) into (%y: tensor<6x4xf32>) cut 0 : 6 by 1 {
  %0 = linalg.copy ins(%x : tensor<6x4xf32>) outs(%y : tensor<6x4xf32>) -> tensor<6x4xf32>
  plan.yield %0 : tensor<6x4xf32>
}
plan.kernel @flat nest (%x: tensor<16xf32>) into (%y: tensor<16xf32>) cut 0 : 16 by 1 {
  %0 = linalg.copy ins(%x : tensor<16xf32>) outs(%y : tensor<16xf32>) -> tensor<16xf32>
  plan.yield %0 : tensor<16xf32>
}
plan.entry @a_halo_cannot_be_reshaped {
  %x = plan.storage input "x" 0 : tensor<4x4xf32>
  %t = plan.launch @k(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = nn.pad constant %t [1, 0] [1, 0] 0.0 : f32 : tensor<4x4xf32>
  %a = plan.launch @padded(%p) : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %r = nn.reshape %t : tensor<4x4xf32> to tensor<16xf32>
  %b = plan.launch @flat(%r) : (tensor<16xf32>) -> tensor<16xf32>
  plan.output %a, "a" 0 : tensor<6x4xf32>
  plan.output %b, "b" 1 : tensor<16xf32>
}

// -----

// An input that is an output as well, under a model's own element type.

// CHECK-LABEL: plan.entry @an_output_that_is_an_input_is_copied
// CHECK-DAG:     %[[Y:[^ ,:()]+]] = plan.storage output "y" 0 {external_type = i1} : memref<4xi8>
// CHECK-DAG:     %[[X:[^ ,:()]+]] = plan.storage input "x" 0 {external_type = i1} : memref<4xi8>
// CHECK:         plan.launch @copy_0(%[[X]]) into(%[[Y]])
plan.entry @an_output_that_is_an_input_is_copied {
  %x = plan.storage input "x" 0 {external_type = i1} : tensor<4xi8>
  plan.output %x, "y" 0 {external_type = i1} : tensor<4xi8>
}

// -----

// Nothing is computed, and nothing copied, for tensors without elements.

// CHECK-NOT:   plan.kernel
// CHECK-LABEL: plan.entry @nothing_is_launched_for_empty_tensors
// CHECK-DAG:     plan.storage output "y" 0 : memref<0x4xf32>
// CHECK-DAG:     plan.storage output "z" 1 : memref<0x4xf32>
// CHECK-NOT:     plan.launch
plan.kernel @k nest (%x: tensor<0x4xf32>) into (%y: tensor<0x4xf32>) cut 0 : 1 by 1 {
  %0 = linalg.copy ins(%x : tensor<0x4xf32>) outs(%y : tensor<0x4xf32>) -> tensor<0x4xf32>
  plan.yield %0 : tensor<0x4xf32>
}
plan.entry @nothing_is_launched_for_empty_tensors {
  %x = plan.storage input "x" 0 : tensor<0x4xf32>
  %y = plan.launch @k(%x) : (tensor<0x4xf32>) -> tensor<0x4xf32>
  plan.output %y, "y" 0 : tensor<0x4xf32>
  plan.output %x, "z" 1 : tensor<0x4xf32>
}

// -----

// What is interleaved is written where it belongs. The first one fills the halo that the reader asks for, around all.

// CHECK-LABEL: plan.kernel @even nest
// CHECK-SAME:    into (%[[Y:[^ :]+]]: tensor<6x8xf32>)
// CHECK:         %[[F:[^ ,:()]+]] = linalg.fill {{.*}} outs(%[[Y]] : tensor<6x8xf32>)
// CHECK:         tensor.extract_slice %[[F]][1, 0] [2, 8] [2, 1]
// CHECK:         tensor.insert_slice %{{.*}} into %[[F]][1, 0] [2, 8] [2, 1]
// CHECK-LABEL: plan.kernel @odd nest
// CHECK-SAME:    into (%[[Y:[^ :]+]]: tensor<6x8xf32>)
// CHECK-NOT:     linalg.fill
// CHECK:         tensor.extract_slice %[[Y]][2, 0] [2, 8] [2, 1]
// CHECK:         tensor.insert_slice %{{.*}} into %[[Y]][2, 0] [2, 8] [2, 1]
// CHECK-LABEL: plan.entry @interleaved_in_place
// CHECK:         %[[T:[^ ,:()]+]] = plan.storage temporary : memref<6x8xf32>
// CHECK:         plan.launch @even(%{{.*}}) into(%[[T]])
// CHECK-NEXT:    plan.launch @odd(%{{.*}}) into(%[[T]])
// CHECK-NEXT:    plan.launch @reads(%[[T]])
plan.kernel @even nest (%x: tensor<2x8xf32>) into (%y: tensor<2x8xf32>) cut 0 : 2 by 1 {
  %0 = linalg.copy ins(%x : tensor<2x8xf32>) outs(%y : tensor<2x8xf32>) -> tensor<2x8xf32>
  plan.yield %0 : tensor<2x8xf32>
}
plan.kernel @odd nest (%x: tensor<2x8xf32>) into (%y: tensor<2x8xf32>) cut 0 : 2 by 1 {
  %0 = linalg.copy ins(%x : tensor<2x8xf32>) outs(%y : tensor<2x8xf32>) -> tensor<2x8xf32>
  plan.yield %0 : tensor<2x8xf32>
}
plan.kernel @reads nest (%x: tensor<6x8xf32>) into (%y: tensor<6x8xf32>) cut 0 : 6 by 1 {
  %0 = linalg.copy ins(%x : tensor<6x8xf32>) outs(%y : tensor<6x8xf32>) -> tensor<6x8xf32>
  plan.yield %0 : tensor<6x8xf32>
}
plan.entry @interleaved_in_place {
  %x = plan.storage input "x" 0 : tensor<2x8xf32>
  %a = plan.launch @even(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %b = plan.launch @odd(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %t = nn.interleave %a, %b {strides = array<i64: 2, 1>} : tensor<2x8xf32>, tensor<2x8xf32>
  %p = nn.pad constant %t [1, 0] [1, 0] 0.0 : f32 : tensor<4x8xf32>
  %y = plan.launch @reads(%p) : (tensor<6x8xf32>) -> tensor<6x8xf32>
  plan.output %y, "y" 0 : tensor<6x8xf32>
}

// -----

// The copy for the first pad, along the last axis, has no room for a second one by another constant: that is a copy with a halo of its own.

// CHECK-LABEL: plan.entry @pads_of_two_constants
// CHECK-DAG:     %[[INNER:[^ ,:()]+]] = plan.storage temporary : memref<4x10xf32>
// CHECK-DAG:     %[[OUTER:[^ ,:()]+]] = plan.storage temporary : memref<6x10xf32>
// CHECK:         plan.launch @[[FIRST:[^ (]+]](%{{.*}}) into(%[[INNER]])
// CHECK-NEXT:    plan.launch @[[SECOND:[^ (]+]](%[[INNER]]) into(%[[OUTER]])
// CHECK-NEXT:    plan.launch @wide(%[[OUTER]])
plan.kernel @wide nest (%x: tensor<6x10xf32>) into (%y: tensor<6x10xf32>) cut 0 : 6 by 1 {
  %0 = linalg.copy ins(%x : tensor<6x10xf32>) outs(%y : tensor<6x10xf32>) -> tensor<6x10xf32>
  plan.yield %0 : tensor<6x10xf32>
}
plan.entry @pads_of_two_constants {
  %x = plan.storage input "x" 0 : tensor<4x8xf32>
  %p = nn.pad constant %x [0, 1] [0, 1] 0.0 : f32 : tensor<4x8xf32>
  %q = nn.pad constant %p [1, 0] [1, 0] 1.5 : f32 : tensor<4x10xf32>
  %y = plan.launch @wide(%q) : (tensor<6x10xf32>) -> tensor<6x10xf32>
  plan.output %y, "y" 0 : tensor<6x10xf32>
}

// -----

// A count is memory that the runtime reads, and the output names it. One that is an output as well is copied.

// CHECK-LABEL: plan.entry @counts
// CHECK-DAG:     %[[Y:[^ ,:()]+]] = plan.storage output "y" 0 {counts = array<i64: 0, -1>} : memref<8x2xf32>
// CHECK-DAG:     %[[C:[^ ,:()]+]] = plan.storage output "c" 1 : memref<i64>
// CHECK-DAG:     %[[N:[^ ,:()]+]] = plan.storage count "find" 0 : memref<i64>
// CHECK:         plan.launch @find({{.*}}) into(%[[N]])
// CHECK:         plan.launch @copy_1(%[[N]]) into(%[[C]])
plan.kernel @find nest (%x: tensor<8x2xf32>) into (%n: tensor<i64>) cut 0 : 1 by 1 {
  %0 = arith.constant 3 : i64
  %1 = linalg.fill ins(%0 : i64) outs(%n : tensor<i64>) -> tensor<i64>
  plan.yield %1 : tensor<i64>
}
plan.entry @counts {
  %x = plan.storage input "x" 0 : tensor<8x2xf32>
  %n = plan.launch @find(%x) : (tensor<8x2xf32>) -> tensor<i64>
  plan.output %x, "y" 0 {counts = array<i64: 0, -1>} : tensor<8x2xf32>
  plan.output %n, "c" 1 : tensor<i64>
  plan.output %n, "find" 0 {is_count} : tensor<i64>
}
