// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/inspect/devices.h"
#include "runtime/src/gpu_vulkan/engine.h"

nacre_status nacre_inspect_device(uint32_t index, nacre_device_info *out_info) {
  *out_info = {};
  return nacre::runtime::describe_device(index, *out_info);
}
