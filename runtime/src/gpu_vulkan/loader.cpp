// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements loader.h. The names of commands are in one string, and their addresses are in one struct in the same
// order. So there is no table of pointers, which would need relocations.

#include "runtime/src/gpu_vulkan/loader.h"
#include "runtime/src/platform.h"

namespace nacre::runtime::gpu {
namespace {

constexpr char kGlobalNames[] =
#define NACRE_VK_GLOBAL(name) "vk" #name "\0"
#include "runtime/src/gpu_vulkan/entry_points.def"
    ;
constexpr char kInstanceNames[] =
#define NACRE_VK_INSTANCE(name) "vk" #name "\0"
#include "runtime/src/gpu_vulkan/entry_points.def"
    ;
constexpr char kDeviceNames[] =
#define NACRE_VK_DEVICE(name) "vk" #name "\0"
#include "runtime/src/gpu_vulkan/entry_points.def"
    ;

/// Stores the addresses of the commands `names` at `to` and the following fields. Each name ends in 0, and the last
/// name ends in two zeros.
template <typename Lookup> bool load(const char *names, void *to, Lookup lookup, Reason &reason) {
  auto *bytes = static_cast<char *>(to);
  for (; *names; ++names, bytes += sizeof(PFN_vkVoidFunction)) {
    const PFN_vkVoidFunction command = lookup(names);
    if (!command) {
      reason << "the Vulkan driver lacks " << names;
      return false;
    }
    __builtin_memcpy(bytes, &command, sizeof command);
    while (*names)
      ++names;
  }
  return true;
}

const char *result_name(VkResult result) {
  switch (result) {
  case VK_TIMEOUT:
    return "time ran out";
  case VK_ERROR_OUT_OF_HOST_MEMORY:
    return "out of memory";
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    return "out of GPU memory";
  case VK_ERROR_INITIALIZATION_FAILED:
    return "initialization failed";
  case VK_ERROR_DEVICE_LOST:
    return "the device is lost";
  case VK_ERROR_INCOMPATIBLE_DRIVER:
#if defined(__ANDROID__)
    return "there is no driver";
#else
    return "no driver can be loaded (VK_LOADER_DEBUG=error says why)";
#endif
  default:
    return "error ";
  }
}

} // namespace

#if defined(NACRE_RUNTIME_OF_TESTS)
const char *library_for_tests = nullptr;
#endif

bool succeeded(VkResult result, const char *command, Reason &reason) {
  if (result == VK_SUCCESS)
    return true;
  reason << "the GPU failed at " << command << ": " << result_name(result);
  if (equal(result_name(result), "error "))
    reason << (result < 0 ? "-" : "") << uint64_t(result < 0 ? -int64_t(result) : int64_t(result));
  return false;
}

bool open(Loader &loader, Reason &reason) {
#if defined(__ANDROID__)
  static constexpr char system_library[] = "libvulkan.so";
#else
  static constexpr char system_library[] = "libvulkan.so.1";
#endif
  const char *library = library_for_tests ? library_for_tests : system_library;
  loader.library = open_library(library);
  if (!loader.library) {
    reason << "there is no Vulkan: '" << library << "' cannot be loaded";
    return false;
  }
  loader.get_address =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(find_symbol(loader.library, "vkGetInstanceProcAddr"));
  if (!loader.get_address) {
    reason << "'" << library << "' has no vkGetInstanceProcAddr";
    return false;
  }
  auto lookup = [&loader](const char *name) { return loader.get_address(loader.instance, name); };
  if (!load(kGlobalNames, &loader.vk.CreateInstance, lookup, reason))
    return false;

  uint32_t offered = VK_API_VERSION_1_0;
  if (!succeeded(loader.vk.EnumerateInstanceVersion(&offered), "vkEnumerateInstanceVersion", reason))
    return false;
  if (offered < VK_API_VERSION_1_1) {
    reason << "Vulkan must have version 1.1 or newer, but is 1.0";
    return false;
  }
  loader.version = offered < VK_API_VERSION_1_3 ? offered : VK_API_VERSION_1_3;
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pEngineName = "nacre";
  application.apiVersion = loader.version;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance = nullptr;
  if (!succeeded(loader.vk.CreateInstance(&info, nullptr, &instance), "vkCreateInstance", reason))
    return false;
  loader.instance = instance;
  if (!load(kInstanceNames, &loader.vk.DestroyInstance, lookup, reason))
    return false;
  loader.vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR =
      reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR>(
          lookup("vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  return true;
}

bool load_device_commands(Loader &loader, VkDevice device, bool timeline_is_core, Reason &reason) {
  auto lookup = [&loader, device](const char *name) { return loader.vk.GetDeviceProcAddr(device, name); };
  loader.vk.GetSemaphoreCounterValue = reinterpret_cast<PFN_vkGetSemaphoreCounterValue>(
      lookup(timeline_is_core ? "vkGetSemaphoreCounterValue" : "vkGetSemaphoreCounterValueKHR"));
  loader.vk.WaitSemaphores =
      reinterpret_cast<PFN_vkWaitSemaphores>(lookup(timeline_is_core ? "vkWaitSemaphores" : "vkWaitSemaphoresKHR"));
  loader.vk.SignalSemaphore =
      reinterpret_cast<PFN_vkSignalSemaphore>(lookup(timeline_is_core ? "vkSignalSemaphore" : "vkSignalSemaphoreKHR"));
  return load(kDeviceNames, &loader.vk.DestroyDevice, lookup, reason);
}

void close(Loader &loader) {
  if (loader.instance && loader.vk.DestroyInstance)
    loader.vk.DestroyInstance(loader.instance, nullptr);
  if (loader.library)
    close_library(loader.library);
  loader = {};
}

} // namespace nacre::runtime::gpu
