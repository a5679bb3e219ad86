// RUN: nacre-kernel %s --gpu --gpu-emit=gpu | FileCheck %s

// Elements of the fifth column on start at the second vector of four; both operands are read in vectors, the bias once
// for each row, and only the slice's rows are divided out of the invocation's number.

// CHECK-LABEL: gpu.module @add_0
// CHECK:         gpu.func @main(%[[X:[^ :]+]]: memref<540xvector<4xf32>, {{.*}}, %[[B:[^ :]+]]: memref<9xvector<4xf32>, {{.*}}, %[[Y:[^ :]+]]: memref<780xvector<4xf32>
// CHECK-DAG:     %[[C9:[^ :]+]] = arith.constant 9 : index
// CHECK-DAG:     %[[C2:[^ :]+]] = arith.constant 2 : index
// CHECK:         %[[COLUMN:[^ :]+]] = arith.remui %[[POINT:[^ :]+]], %[[C9]]
// CHECK:         scf.if
// CHECK:           %[[FIRST:[^ :]+]] = arith.muli %{{[^ :]+}}, %[[C9]]
// CHECK-NEXT:      %[[AT:[^ :]+]] = arith.addi %[[FIRST]], %[[POINT]]
// CHECK-NEXT:      %[[A:[^ :]+]] = memref.load %[[X]][%[[AT]]]
// CHECK-NEXT:      %[[C:[^ :]+]] = memref.load %[[B]][%[[COLUMN]]]
// CHECK-NEXT:      %[[SUM:[^ :]+]] = arith.addf %[[A]], %[[C]] : vector<4xf32>
// CHECK:           %[[TO:[^ :]+]] = arith.addi %{{[^ :]+}}, %[[C2]]
// CHECK-NEXT:      memref.store %[[SUM]], %[[Y]][%[[TO]]]
plan.kernel @add nest (%x: tensor<60x36xf32>, %b: tensor<36xf32>) into (%y: tensor<60x52xf32>) cut 0 : 60 by 1 {
  %t = tensor.extract_slice %y[0, 8] [60, 36] [1, 1] : tensor<60x52xf32> to tensor<60x36xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<60x36xf32>, tensor<36xf32>) outs(%t : tensor<60x36xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<60x36xf32>
  %i = tensor.insert_slice %r into %y[0, 8] [60, 36] [1, 1] : tensor<60x36xf32> into tensor<60x52xf32>
  plan.yield %i : tensor<60x52xf32>
}

// An axis of three is too short for a tile: pixels are written one after another, and read from three places.

// CHECK-LABEL: gpu.module @pixels_0
// CHECK:         gpu.func @main(%[[X:[^ :]+]]: memref<768xf32, {{.*}}, %[[Y:[^ :]+]]: memref<768xf32
// CHECK-DAG:     %[[C256:[^ :]+]] = arith.constant 256 : index
// CHECK:         scf.if
// CHECK:           %[[CHANNEL:[^ :]+]] = arith.muli %{{[^ :]+}}, %[[C256]]
// CHECK:           memref.load %[[X]]
// CHECK:           memref.store %{{[^ :]+}}, %[[Y]]
plan.kernel @pixels permute (%x: tensor<3x256xf32>) into (%y: tensor<256x3xf32>) cut 0 : 256 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x256xf32>) outs(%y : tensor<256x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<256x3xf32>
  plan.yield %r : tensor<256x3xf32>
}

// A row of the table is read in vectors: its index is computed once for four elements.

// CHECK-LABEL: gpu.module @gather_0
// CHECK:         gpu.func @main(%[[I:[^ :]+]]: memref<19xi32, {{.*}}, %[[W:[^ :]+]]: memref<35xvector<4xf32>
// CHECK:         %[[INDEX:[^ :]+]] = memref.load %[[I]]
// CHECK-NEXT:    %[[ROW:[^ :]+]] = arith.index_cast %[[INDEX]]
// CHECK-NEXT:    %[[LINE:[^ :]+]] = arith.muli %[[ROW]]
// CHECK-NEXT:    %[[FROM:[^ :]+]] = arith.addi %[[LINE]]
// CHECK-NEXT:    memref.load %[[W]][%[[FROM]]]
plan.kernel @gather indexed (%w: tensor<5x28xf32>, %i: tensor<19xi32>) into (%y: tensor<19x28xf32>) cut 0 : 19 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<19xi32>) outs(%y : tensor<19x28xf32>) {
  ^bb0(%at: i32, %o: f32):
    %row = arith.index_cast %at : i32 to index
    %column = linalg.index 1 : index
    %e = tensor.extract %w[%row, %column] : tensor<5x28xf32>
    linalg.yield %e : f32
  } -> tensor<19x28xf32>
  plan.yield %r : tensor<19x28xf32>
}

// Two accumulators; bindings of 64-bit elements are not read in vectors, so each invocation has one index to find.

// CHECK-LABEL: gpu.module @arg_max_0
// CHECK:         scf.for %[[K:[^ :]+]] = {{.*}} iter_args(%[[BEST:[^ :]+]] = %{{[^ :]+}}, %[[WHERE:[^ :]+]] = %{{[^ :]+}}) -> (f32, i64)
// CHECK:           %[[A:[^ :]+]] = memref.load
// CHECK:           %[[AT:[^ :]+]] = arith.index_cast %[[K]] : index to i64
// CHECK:           %[[MORE:[^ :]+]] = arith.cmpf ogt, %[[A]], %[[BEST]]
// CHECK:           arith.select %[[MORE]], %[[AT]], %[[WHERE]] : i64
// CHECK:         memref.store {{.*}} memref<48xi64
plan.kernel @arg_max scan (%x: tensor<6x40x8xf32>) into (%y: tensor<6x8xi64>) cut 0 : 6 by 1 {
  %lowest = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  %e = tensor.empty() : tensor<6x8xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  %g = linalg.fill ins(%first : i64) outs(%y : tensor<6x8xi64>) -> tensor<6x8xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a, b, k) -> (a, k, b)>, affine_map<(a, b, k) -> (a, b)>, affine_map<(a, b, k) -> (a, b)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<6x40x8xf32>) outs(%f, %g : tensor<6x8xf32>, tensor<6x8xi64>) {
  ^bb0(%a: f32, %best: f32, %where: i64):
    %k = linalg.index 2 : index
    %at = arith.index_cast %k : index to i64
    %more = arith.cmpf ogt, %a, %best : f32
    %value = arith.select %more, %a, %best : f32
    %index = arith.select %more, %at, %where : i64
    linalg.yield %value, %index : f32, i64
  } -> (tensor<6x8xf32>, tensor<6x8xi64>)
  plan.yield %r#1 : tensor<6x8xi64>
}

// What a window reads beyond the image is the padding, not the memory there.

// CHECK-LABEL: gpu.module @window_0
// CHECK:         scf.if
// CHECK:         %[[INSIDE:[^ :]+]] = arith.cmpi ult
// CHECK:         %[[SAFE:[^ :]+]] = arith.select %[[INSIDE]], %{{[^ :]+}}, %{{[^ :]+}} : index
// CHECK-NEXT:    %[[A:[^ :]+]] = memref.load %{{[^ :]+}}[%[[SAFE]]]
// CHECK:         arith.select %{{[^ :]+}}, %[[A]], %{{[^ :]+}} : vector<4xi1>, vector<4xf32>
plan.kernel @window nest (%x: tensor<1x30x8xf32>) into (%y: tensor<1x30x8xf32>) cut 1 : 30 by 1 {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%n: index, %h: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x30x8xf32> to tensor<1x32x8xf32>
  %window = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x30x8xf32>) -> tensor<1x30x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, c, i) -> (n, h + i, c)>, affine_map<(n, h, c, i) -> (i)>, affine_map<(n, h, c, i) -> (n, h, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %window : tensor<1x32x8xf32>, tensor<3xf32>) outs(%f : tensor<1x30x8xf32>) {
  ^bb0(%a: f32, %unread: f32, %o: f32):
    %m = arith.addf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<1x30x8xf32>
  plan.yield %r : tensor<1x30x8xf32>
}

// A quotient that is rounded to an integer gets a step of Newton's method, since a division of Vulkan may miss the last
// places. The remainder is exact on devices that fuse a product and a sum, and on others: its products are of halves of
// numbers. A quotient that is not rounded stays as it is.

// CHECK-LABEL: gpu.module @quantize_0
// CHECK:         %[[Q:[^ :]+]] = arith.divf %[[A:[^ :]+]], %[[S:[^ :]+]] : vector<4xf32>
// CHECK:         %[[QHIGH:[^ :]+]] = arith.bitcast %{{[^ :]+}} : vector<4xi32> to vector<4xf32>
// CHECK-NEXT:    %[[QLOW:[^ :]+]] = arith.subf %[[Q]], %[[QHIGH]]
// CHECK:         %[[SHIGH:[^ :]+]] = arith.bitcast %{{[^ :]+}} : vector<4xi32> to vector<4xf32>
// CHECK-NEXT:    %[[SLOW:[^ :]+]] = arith.subf %[[S]], %[[SHIGH]]
// CHECK-NEXT:    arith.mulf %[[QHIGH]], %[[SHIGH]]
// CHECK:         arith.mulf %[[QHIGH]], %[[SLOW]]
// CHECK:         arith.mulf %[[QLOW]], %[[SHIGH]]
// CHECK:         arith.mulf %[[QLOW]], %[[SLOW]]
// CHECK-NEXT:    %[[R:[^ :]+]] = arith.subf
// CHECK-NEXT:    %[[I:[^ :]+]] = arith.divf %{{[^ :]+}}, %[[S]]
// CHECK-NEXT:    %[[BETTER:[^ :]+]] = math.fma %[[R]], %[[I]], %[[Q]]
// CHECK:         %[[BEST:[^ :]+]] = arith.select %{{[^ :]+}}, %[[BETTER]], %[[Q]]
// CHECK-NEXT:    math.roundeven %[[BEST]]
// CHECK-NEXT:    arith.divf
// CHECK-NOT:     math.fma
plan.kernel @quantize nest (%x: tensor<4x16xf32>, %s: tensor<4x16xf32>) into (%y: tensor<4x16xf32>) cut 0 : 4 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x16xf32>, tensor<4x16xf32>) outs(%y : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    %n = math.roundeven %q : f32
    %d = arith.divf %n, %b : f32
    linalg.yield %d : f32
  } -> tensor<4x16xf32>
  plan.yield %r : tensor<4x16xf32>
}

// A product whose sum is divided so is not fused with the sum; one whose sum is rounded without a division may be.

// CHECK-LABEL: gpu.module @sum_0
// CHECK:         %[[P:[^ :]+]] = arith.mulf %[[X:[^ :]+]], %[[Y:[^ :]+]] {nacre.not_fused} : vector<4xf32>
// CHECK-NEXT:    %[[SUM:[^ :]+]] = arith.addf %[[P]], %[[Y]]
// CHECK-NEXT:    arith.divf %[[SUM]]
// CHECK:         math.roundeven
// CHECK:         arith.mulf %[[X]], %[[Y]] : vector<4xf32>
plan.kernel @sum nest (%x: tensor<4x16xf32>, %s: tensor<4x16xf32>) into (%y: tensor<4x16xf32>) cut 0 : 4 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x16xf32>, tensor<4x16xf32>) outs(%y : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %p, %b : f32
    %q = arith.divf %t, %a : f32
    %n = math.roundeven %q : f32
    %p2 = arith.mulf %a, %b : f32
    %t2 = arith.addf %p2, %n : f32
    %n2 = math.roundeven %t2 : f32
    linalg.yield %n2 : f32
  } -> tensor<4x16xf32>
  plan.yield %r : tensor<4x16xf32>
}
