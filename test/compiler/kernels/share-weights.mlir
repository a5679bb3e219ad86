// RUN: nacre-opt %s --nacre-share-weights --split-input-file --mlir-print-debuginfo | FileCheck %s

// Folding has made the same constant for two entries. One of another node stays, though its data is equal.

// CHECK-LABEL: module
// CHECK:         plan.weight @joined =
// CHECK-NOT:     plan.weight @joined_1
// CHECK:         plan.weight @of_another_node =
// CHECK:         plan.weight @different =
// CHECK:       plan.entry @documented_example
// CHECK:         plan.use @joined
// CHECK:       plan.entry @other_shape
// CHECK-NEXT:    plan.use @joined
// CHECK-NEXT:    plan.use @of_another_node
// CHECK-NEXT:    plan.use @different
module {
plan.weight @joined = dense_resource<a> : tensor<2x2xf32> loc("q")
plan.weight @joined_1 = dense_resource<b> : tensor<2x2xf32> loc("q")
plan.weight @of_another_node = dense_resource<b> : tensor<2x2xf32> loc("k")
plan.weight @different = dense_resource<c> : tensor<2x2xf32> loc("q")
plan.entry @documented_example {
  %w = plan.use @joined : memref<2x2xf32>
}
plan.entry @other_shape {
  %w = plan.use @joined_1 : memref<2x2xf32>
  %v = plan.use @of_another_node : memref<2x2xf32>
  %u = plan.use @different : memref<2x2xf32>
}
}
{-#
  dialect_resources: {
    builtin: {
      a: "0x040000000000803F000000400000404000008040",
      b: "0x040000000000803F000000400000404000008040",
      c: "0x040000000000803F00000040000040400000A040"
    }
  }
#-}

// -----

// A model with one entry stays as it is.

// CHECK-LABEL: module
// CHECK:         plan.weight @first =
// CHECK:         plan.weight @second =
module {
plan.weight @first = dense<1.0> : tensor<2xf32> loc("q")
plan.weight @second = dense<1.0> : tensor<2xf32> loc("q")
plan.entry @main {
  %v = plan.use @first : memref<2xf32>
  %w = plan.use @second : memref<2xf32>
}
}
