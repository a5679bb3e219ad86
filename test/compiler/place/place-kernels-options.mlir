// RUN: not nacre-opt %s --nacre-place-kernels=engines=npu 2>&1 | FileCheck %s --check-prefix=ENGINES
// RUN: not nacre-opt %s --nacre-place-kernels="engines=split percent=101" 2>&1 | FileCheck %s --check-prefix=PERCENT
// RUN: not nacre-opt %s --nacre-place-kernels=engines=auto 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not nacre-opt %s --nacre-place-kernels=device=typewriter 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not nacre-opt %s --nacre-place-kernels=device=%t.missing.json 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not nacre-opt %s --nacre-place-kernels=gpu-precision=fp64 2>&1 | FileCheck %s --check-prefix=PRECISION

// ENGINES: --engines option: Cannot find option named 'npu'
// PERCENT: percent must be at most 100, but is 101
// NOWHERE: engines=auto requires a device
// UNKNOWN: the device must be a .json file or one of {{.*}}snapdragon-778g{{.*}}, but is 'typewriter'
// MISSING: cannot read '{{.*}}.missing.json'
// PRECISION: --gpu-precision option: Cannot find option named 'fp64'
