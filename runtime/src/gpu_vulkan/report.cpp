// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements nacre_device_describe.
// Why: if a GPU is slow or not used, users first need to know its properties.
// How: describes the traits in plain English.

#include "runtime/src/allocator.h"
#include "runtime/src/gpu_vulkan/engine.h"
#include "runtime/src/gpu_vulkan/traits.h"

namespace nacre::runtime::gpu {
namespace {

/// Features, and their names in the same order. An array of pointers would take a relocation for each name.
constexpr uint8_t kFeatures[] = {NACRE_GPU_STORAGE_16,   NACRE_GPU_FLOAT_16,  NACRE_GPU_STORAGE_8,
                                 NACRE_GPU_INT_8,        NACRE_GPU_INT_16,    NACRE_GPU_INT_64,
                                 NACRE_GPU_FLOAT_64,     NACRE_GPU_SUBGROUPS, NACRE_GPU_DOT_SIGNED,
                                 NACRE_GPU_DOT_UNSIGNED, NACRE_GPU_DOT_MIXED, NACRE_GPU_COOPERATIVE_MATRIX,
                                 NACRE_GPU_BYTE_MATRIX};
constexpr char kNames[] = "16-bit storage\0"
                          "fp16 arithmetic\0"
                          "8-bit storage\0"
                          "int8\0"
                          "int16\0"
                          "int64\0"
                          "fp64\0"
                          "subgroup operations\0"
                          "int8 dots\0"
                          "uint8 dots\0"
                          "mixed dots\0"
                          "cooperative matrices of 16x16x16\0"
                          "int8 matrices of 16x16x32";

constexpr uint64_t kTier1 = NACRE_GPU_NEED(NACRE_GPU_STORAGE_16) | NACRE_GPU_NEED(NACRE_GPU_FLOAT_16);
constexpr uint64_t kTier2 = kTier1 | NACRE_GPU_NEED(NACRE_GPU_COOPERATIVE_MATRIX);

const char *type_name(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return "a GPU with its own memory";
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return "a GPU that shares the CPU's memory";
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return "a virtual GPU";
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return "an emulated GPU, used only if named or if a GPU is required";
  default:
    return "a device of an unknown kind";
  }
}

void add_names(Text<1024> &report, uint64_t bits) {
  const char *separator = " ", *name = kNames;
  for (const uint8_t feature : kFeatures) {
    if (bits >> feature & 1) {
      report << separator << name;
      separator = ", ";
    }
    while (*name++ != 0) {
    }
  }
  if (*separator == ' ')
    report << " nothing";
}

void tell(const Traits &traits, nacre_device_info &info) {
  const Capabilities &can = traits.capabilities;
  copy_text(info.name, sizeof info.name, traits.name);
  info.tier = (can.features & kTier2) == kTier2 ? 2 : (can.features & kTier1) == kTier1 ? 1 : 0;
  info.usable = traits.unusable == nullptr;
  info.unified = traits.unified;
  info.is_cpu = is_cpu(traits);
  Text<1024> report;
  report << type_name(traits.type) << ", Vulkan " << uint64_t(VK_API_VERSION_MAJOR(traits.version)) << "."
         << uint64_t(VK_API_VERSION_MINOR(traits.version)) << "; ";
  if (traits.unusable) {
    report << "unusable, because " << traits.unusable;
  } else {
    report << "tier " << uint64_t(info.tier)
           << (info.tier == 2   ? " (fp32, fp16, cooperative matrices)"
               : info.tier == 1 ? " (fp32, fp16)"
                                : " (fp32)");
    report << "; has";
    add_names(report, can.features);
    report << "; lacks";
    add_names(report, ~can.features);
    report << "; workgroups of up to " << uint64_t(can.invocations) << ", " << uint64_t(can.shared_bytes / 1024)
           << " KiB shared, bindings of up to " << (can.range >> 20) << " MiB, subgroups of "
           << uint64_t(traits.subgroup_size) << (traits.timeline ? ", timeline semaphores" : ", fences only")
           << (traits.timestamp_bits ? "" : ", no timestamps");
  }
  copy_text(info.report, sizeof info.report, report.c_str());
}

nacre_status describe(Loader &loader, MemoryPool &pool, uint32_t index, nacre_device_info &info) {
  Reason reason;
  List<VkPhysicalDevice> devices = {};
  Traits traits;
  Features features;
  nacre_status status = NACRE_UNSUPPORTED;
  if (open(loader, reason) && list_devices(loader, pool, devices, reason)) {
    status = NACRE_BAD_ARGUMENT;
    if (index >= devices.count)
      reason << (devices.count == 1 ? "there is only " : "there are only ") << uint64_t(devices.count)
             << (devices.count == 1 ? " device" : " devices");
    else {
      if (!read_traits(loader, devices[index], pool, traits, features, reason))
        traits.unusable = reason.c_str();
      tell(traits, info);
      return NACRE_OK;
    }
  }
  copy_text(info.report, sizeof info.report, reason.c_str());
  return status;
}

} // namespace
} // namespace nacre::runtime::gpu

namespace nacre::runtime {
using namespace gpu;

nacre_status describe_device(uint32_t index, nacre_device_info &info) {
  MemoryPool pool(allocator_or_libc(nullptr));
  Loader loader = {};
  const nacre_status status = describe(loader, pool, index, info);
  close(loader);
  pool.release();
  return status;
}

} // namespace nacre::runtime
