// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the GPUs of this machine without a model.
// Why: `nacre-run --list-devices` works without a model, and a model without GPU code cannot answer.
// How: the program links report.cpp of runtime/src/gpu_vulkan, which models with GPU code also link.

#ifndef NACRE_RUNTIME_INSPECT_DEVICES_H
#define NACRE_RUNTIME_INSPECT_DEVICES_H

#include "runtime/include/nacre/runtime.h"

/// Describes the GPU with index `index`. Returns the same statuses as nacre_device_describe.
extern "C" nacre_status nacre_inspect_device(uint32_t index, nacre_device_info *out_info);

#endif // NACRE_RUNTIME_INSPECT_DEVICES_H
