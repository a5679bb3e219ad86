// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-x86_64" --split-input-file | FileCheck %s

// Softmax of two rows at a time, in three sweeps. The maximum is not careful about NaN, which the differences meet again. The
// exponential is computed once, into scratch that holds two rows, while it is summed; the last sweep divides what it finds there.
// Exponents are never positive, so there is no clamp from above and no infinity. Each line has the same four chains of
// accumulators in a tile of two lines and alone, or results would depend on the division of the work.

// CHECK-LABEL: func.func @softmax
// CHECK-NOT:     nacre.fallback
// CHECK-SAME:    nacre.scratch_bytes = 512
// CHECK:         scf.for
// CHECK:           %[[ROWS:[^ ,:()]+]] = memref.view
// CHECK:           %[[MAXIMA:[^ ,:()]+]]:8 = scf.for
// CHECK-COUNT-8:     vector.load %arg0
// CHECK-NOT:         cmpf uno
// CHECK:             scf.yield
// CHECK:           %[[SUMS:[^ ,:()]+]]:2 = scf.for
// CHECK:             vector.load %arg0
// CHECK:             arith.subf
// CHECK-COUNT-2:     arith.cmpf olt
// CHECK-NOT:         arith.cmpf
// CHECK:             vector.store %[[EXP:[^ ,:()]+]], %[[ROWS]]
// CHECK:             arith.addf {{.*}}, %[[EXP]]
// CHECK:             vector.store %{{.*}}, %[[ROWS]]
// CHECK:             scf.yield
// CHECK-COUNT-6:   arith.addf
// CHECK:           scf.for
// CHECK-NOT:         vector.load %arg0
// CHECK:             vector.load %[[ROWS]]
// CHECK:             arith.divf
// CHECK:             vector.store %{{.*}}, %arg1
// CHECK:         }
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} iter_args(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
plan.kernel @softmax row (%x: tensor<30x64xf32>) into (%y: tensor<30x64xf32>) cut 0 : 30 by 1 {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<30xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<30xf32>) -> tensor<30xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<30x64xf32>) outs(%f : tensor<30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<30xf32>
  %ee = tensor.empty() : tensor<30x64xf32>
  %exp = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<30x64xf32>, tensor<30xf32>) outs(%ee : tensor<30x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.subf %a, %c : f32
    %m = math.exp %s : f32
    linalg.yield %m : f32
  } -> tensor<30x64xf32>
  %e2 = tensor.empty() : tensor<30xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<30xf32>) -> tensor<30xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<30x64xf32>) outs(%f2 : tensor<30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.addf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<30xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<30x64xf32>, tensor<30xf32>) outs(%y : tensor<30x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.divf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<30x64xf32>
  plan.yield %r : tensor<30x64xf32>
}

// -----

// What is one value a row is computed between the sweeps, with scalars, and never stored: here the mean.

// CHECK-LABEL: func.func @center
// CHECK-SAME:    nacre.scratch_bytes = 0
// CHECK:         %[[COUNT:[^ ,:()]+]] = arith.constant 6.400000e+01 : f32
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} iter_args
// CHECK:           %[[FIRST:[^ ,:()]+]] = arith.divf {{.*}}, %[[COUNT]] : f32
// CHECK:           %[[SECOND:[^ ,:()]+]] = arith.divf {{.*}}, %[[COUNT]] : f32
// CHECK:           scf.for
// CHECK:             vector.broadcast %[[FIRST]] : f32 to vector<8xf32>
// CHECK:             arith.subf {{.*}} : vector<8xf32>
// CHECK:             vector.broadcast %[[SECOND]] : f32 to vector<8xf32>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
plan.kernel @center row (%x: tensor<30x64xf32>) into (%y: tensor<30x64xf32>) cut 0 : 30 by 1 {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 64.0 : f32
  %e = tensor.empty() : tensor<30xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<30xf32>) -> tensor<30xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<30x64xf32>) outs(%f : tensor<30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<30xf32>
  %mean = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%sum : tensor<30xf32>) outs(%e : tensor<30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.divf %a, %count : f32
    linalg.yield %m : f32
  } -> tensor<30xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<30x64xf32>, tensor<30xf32>) outs(%y : tensor<30x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.subf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<30x64xf32>
  plan.yield %r : tensor<30x64xf32>
}

// -----

// Channels lie apart and pixels together: vectors are of pixels, each lane a row of its own, and no lane is ever folded.

// CHECK-LABEL: func.func @strided
// CHECK:         %[[CHANNELS:[^ ,:()]+]] = arith.constant 20 : index
// CHECK:         scf.for
// CHECK:           %[[SUMS:[^ ,:()]+]]:2 = scf.for {{.*}} to %[[CHANNELS]]
// CHECK-COUNT-2:     vector.load
// CHECK:             scf.yield
// CHECK-NOT:       vector.extract
// CHECK:           scf.for {{.*}} to %[[CHANNELS]]
// CHECK:             arith.divf %{{.*}}, %[[SUMS]]#0 : vector<8xf32>
// CHECK:             arith.divf %{{.*}}, %[[SUMS]]#1 : vector<8xf32>
#all = affine_map<(n, h, c) -> (n, c, h)>
#row = affine_map<(n, h, c) -> (n, h)>
plan.kernel @strided row (%x: tensor<1x20x64xf32>) into (%y: tensor<1x20x64xf32>) cut 2 : 64 by 1 {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<1x20x64xf32>) outs(%f : tensor<1x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<1x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum : tensor<1x20x64xf32>, tensor<1x64xf32>) outs(%y : tensor<1x20x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.divf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<1x20x64xf32>
  plan.yield %r : tensor<1x20x64xf32>
}

// -----

// A row whose reduction has no order but its own is left to the fallback.

// CHECK-LABEL: func.func @ordered
// CHECK-SAME:    nacre.fallback
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
plan.kernel @ordered row (%x: tensor<30x64xf32>) into (%y: tensor<30x64xf32>) cut 0 : 30 by 1 {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<30xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<30xf32>) -> tensor<30xf32>
  %quotient = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<30x64xf32>) outs(%f : tensor<30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.divf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<30xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %quotient : tensor<30x64xf32>, tensor<30xf32>) outs(%y : tensor<30x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.subf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<30x64xf32>
  plan.yield %r : tensor<30x64xf32>
}

// -----

// A table is read once for each element, and what is read waits in scratch for the last sweep, as the integers that it is. What is computed of
// the sum is scalar: it is computed once for the row.

// CHECK-LABEL: func.func @table
// CHECK-NOT:     nacre.fallback
// CHECK-SAME:    nacre.scratch_bytes = 128
// CHECK:         %[[ROWS:[^ ,:()]+]] = memref.view {{.*}} to memref<32xi32>
// CHECK:         arith.maxsi
// CHECK:         %[[TERMS:[^ ,:()]+]] = vector.gather %arg1
// CHECK:         vector.store %[[TERMS]], %[[ROWS]]
// CHECK:         vector.gather %arg1
// CHECK:         arith.divsi {{.*}} : i32
// CHECK-NOT:     vector.gather
// CHECK:         vector.load %[[ROWS]]
// CHECK-NOT:     arith.divsi
// CHECK:         vector.store %{{.*}}, %arg2
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#first = affine_map<(d0, d1) -> (d0, 0)>
plan.kernel @table row (%x: tensor<1x16xi8>, %entries: tensor<256xi32>) into (%y: tensor<1x16xi8>) cut 0 : 1 by 1 {
  %lowest = arith.constant -2147483648 : i32
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1xi32>
  %f = linalg.fill ins(%lowest : i32) outs(%e : tensor<1xi32>) -> tensor<1xi32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<1x16xi8>) outs(%f : tensor<1xi32>) {
  ^bb0(%a: i8, %o: i32):
    %w = arith.extsi %a : i8 to i32
    %m = arith.maxsi %o, %w : i32
    linalg.yield %m : i32
  } -> tensor<1xi32>
  %ee = tensor.empty() : tensor<1x16xi32>
  %terms = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<1x16xi8>, tensor<1xi32>) outs(%ee : tensor<1x16xi32>) {
  ^bb0(%a: i8, %c: i32, %o: i32):
    %w = arith.extsi %a : i8 to i32
    %s = arith.subi %c, %w : i32
    %i = arith.index_cast %s : i32 to index
    %m = tensor.extract %entries[%i] : tensor<256xi32>
    linalg.yield %m : i32
  } -> tensor<1x16xi32>
  %e2 = tensor.empty() : tensor<1xi32>
  %f2 = linalg.fill ins(%zero : i32) outs(%e2 : tensor<1xi32>) -> tensor<1xi32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%terms : tensor<1x16xi32>) outs(%f2 : tensor<1xi32>) {
  ^bb0(%a: i32, %o: i32):
    %m = arith.addi %o, %a : i32
    linalg.yield %m : i32
  } -> tensor<1xi32>
  %e3 = tensor.empty() : tensor<1x1xi32>
  %inverse = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<1xi32>) outs(%e3 : tensor<1x1xi32>) {
  ^bb0(%a: i32, %o: i32):
    %most = arith.constant 65536 : i32
    %m = arith.divsi %most, %a : i32
    linalg.yield %m : i32
  } -> tensor<1x1xi32>
  %r = linalg.generic {indexing_maps = [#all, #first, #all], iterator_types = ["parallel", "parallel"]}
      ins(%terms, %inverse : tensor<1x16xi32>, tensor<1x1xi32>) outs(%y : tensor<1x16xi8>) {
  ^bb0(%a: i32, %c: i32, %o: i8):
    %p = arith.muli %a, %c : i32
    %m = arith.trunci %p : i32 to i8
    linalg.yield %m : i8
  } -> tensor<1x16xi8>
  plan.yield %r : tensor<1x16xi8>
}
