// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vulkan's types, and a table of its commands.
// Why: Vulkan is loaded at run time instead of linked, so the same .so works on devices without it.
// How: the file includes Khronos's header without prototypes. It declares newer extensions itself, because the header
//      may be older.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_VULKAN_API_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_VULKAN_API_H

#define VK_NO_PROTOTYPES 1
#include "runtime/src/session_plan.h"

#include <vulkan/vulkan_core.h>

#ifndef VK_KHR_cooperative_matrix
// Names and values from Khronos's specification of the extension.
#define VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME "VK_KHR_cooperative_matrix"
constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR = VkStructureType(1000506000);
constexpr auto VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR = VkStructureType(1000506001);
enum VkComponentTypeKHR : int32_t {
  VK_COMPONENT_TYPE_FLOAT16_KHR = 0,
  VK_COMPONENT_TYPE_FLOAT32_KHR = 1,
  VK_COMPONENT_TYPE_SINT8_KHR = 3,
  VK_COMPONENT_TYPE_SINT32_KHR = 5
};
enum VkScopeKHR : int32_t { VK_SCOPE_SUBGROUP_KHR = 3 };
struct VkPhysicalDeviceCooperativeMatrixFeaturesKHR {
  VkStructureType sType;
  void *pNext;
  VkBool32 cooperativeMatrix;
  VkBool32 cooperativeMatrixRobustBufferAccess;
};
struct VkCooperativeMatrixPropertiesKHR {
  VkStructureType sType;
  void *pNext;
  uint32_t MSize;
  uint32_t NSize;
  uint32_t KSize;
  VkComponentTypeKHR AType;
  VkComponentTypeKHR BType;
  VkComponentTypeKHR CType;
  VkComponentTypeKHR ResultType;
  VkBool32 saturatingAccumulation;
  VkScopeKHR scope;
};
using PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR = VkResult(VKAPI_PTR *)(VkPhysicalDevice, uint32_t *,
                                                                                    VkCooperativeMatrixPropertiesKHR *);
#endif

namespace nacre::runtime::gpu {

/// Vulkan's commands, named without the prefix vk. Optional commands may be nullptr.
struct VulkanApi {
#define NACRE_VK_GLOBAL(name) PFN_vk##name name;
#define NACRE_VK_INSTANCE(name) PFN_vk##name name;
#define NACRE_VK_DEVICE(name) PFN_vk##name name;
#define NACRE_VK_OPTIONAL(name) PFN_vk##name name;
#include "runtime/src/gpu_vulkan/entry_points.def"
};

/// True if the command `command` returned success. Otherwise, sets `reason` to the command and its error.
bool succeeded(VkResult result, const char *command, Reason &reason);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_VULKAN_API_H
