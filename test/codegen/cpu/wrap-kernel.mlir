// RUN: nacre-opt %s --nacre-wrap-kernel | FileCheck %s

// The runtime's signature: buffers, scratch and share come out of the struct; the bare function is inlined into it.

// CHECK-LABEL: llvm.func @documented_example(
// CHECK-SAME:    %[[ARGS:[^ :]+]]: !llvm.ptr, %[[BEGIN:[^ :]+]]: i64, %[[END:[^ :]+]]: i64)
// CHECK:         %[[AT_BUFFERS:[^ :]+]] = llvm.getelementptr %[[ARGS]][0]
// CHECK:         %[[BUFFERS:[^ :]+]] = llvm.load %[[AT_BUFFERS]] invariant
// CHECK:         %[[AT_X:[^ :]+]] = llvm.getelementptr %[[BUFFERS]][0]
// CHECK:         %[[X:[^ :]+]] = llvm.load %[[AT_X]] invariant
// CHECK:         %[[AT_Y:[^ :]+]] = llvm.getelementptr %[[BUFFERS]][8]
// CHECK:         %[[Y:[^ :]+]] = llvm.load %[[AT_Y]] invariant
// CHECK:         llvm.getelementptr %[[ARGS]][8]
// CHECK:         %[[SCRATCH:[^ :]+]] = llvm.load
// CHECK:         llvm.getelementptr %[[ARGS]][16]
// CHECK:         %[[SHARE_BEGIN:[^ :]+]] = llvm.load
// CHECK:         llvm.getelementptr %[[ARGS]][24]
// CHECK:         %[[SHARE_END:[^ :]+]] = llvm.load
// CHECK:         llvm.call @documented_example_body(%[[X]], %[[Y]], %[[SCRATCH]], %[[SHARE_BEGIN]], %[[SHARE_END]], %[[BEGIN]], %[[END]])
// CHECK:       llvm.func internal @documented_example_body({{.*}}always_inline
llvm.func @documented_example(%x: !llvm.ptr, %y: !llvm.ptr, %scratch: !llvm.ptr, %share_begin: i64, %share_end: i64,
                              %begin: i64, %end: i64) attributes {nacre.kernel} {
  llvm.return
}

// Other functions are left alone.

// CHECK: llvm.func @callee(!llvm.ptr)
llvm.func @callee(!llvm.ptr)
