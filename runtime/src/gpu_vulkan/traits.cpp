// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements traits.h: 1. extensions and features; 2. properties and limits; 3. memory and queues.

#include "runtime/src/gpu_vulkan/traits.h"

namespace nacre::runtime::gpu {
namespace {

// --- 1. Extensions and features

struct Extensions {
  VkExtensionProperties *items;
  uint32_t count;

  bool has(const char *name) const {
    for (uint32_t i = 0; i < count; ++i)
      if (equal(items[i].extensionName, name))
        return true;
    return false;
  }
};

bool list_extensions(const Loader &loader, VkPhysicalDevice device, MemoryPool &pool, Extensions &extensions,
                     Reason &reason) {
  static constexpr char command[] = "vkEnumerateDeviceExtensionProperties";
  const auto enumerate = loader.vk.EnumerateDeviceExtensionProperties;
  if (!succeeded(enumerate(device, nullptr, &extensions.count, nullptr), command, reason))
    return false;
  extensions.items = pool.take_array<VkExtensionProperties>(extensions.count);
  if (pool.failed())
    return refuse_memory(reason);
  return succeeded(enumerate(device, nullptr, &extensions.count, extensions.items), command, reason);
}

/// Returns the bits of the cooperative matrices that subgroups of the device can multiply.
uint64_t matrices_of(const Loader &loader, VkPhysicalDevice device, MemoryPool &pool) {
  const auto list = loader.vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR;
  uint32_t count = 0;
  if (!list || list(device, &count, nullptr) != VK_SUCCESS)
    return 0;
  auto *shapes = pool.take_array<VkCooperativeMatrixPropertiesKHR>(count);
  if (!shapes)
    return 0;
  for (uint32_t i = 0; i < count; ++i)
    shapes[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
  if (list(device, &count, shapes) != VK_SUCCESS)
    return 0;
  uint64_t bits = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const VkCooperativeMatrixPropertiesKHR &s = shapes[i];
    auto multiplies = [&s](uint32_t depth, VkComponentTypeKHR factor, VkComponentTypeKHR sum) {
      return s.MSize == 16 && s.NSize == 16 && s.KSize == depth && s.AType == factor && s.BType == factor &&
             s.CType == sum && s.ResultType == sum && !s.saturatingAccumulation && s.scope == VK_SCOPE_SUBGROUP_KHR;
    };
    if (multiplies(16, VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR))
      bits |= NACRE_GPU_NEED(NACRE_GPU_COOPERATIVE_MATRIX);
    if (multiplies(32, VK_COMPONENT_TYPE_SINT8_KHR, VK_COMPONENT_TYPE_SINT32_KHR))
      bits |= NACRE_GPU_NEED(NACRE_GPU_BYTE_MATRIX);
  }
  return bits;
}

/// True if the device's version or an extension contains a feature. The extension is then added to those that are
/// enabled.
bool enable(uint32_t version, uint32_t core_since, const Extensions &extensions, const char *extension,
            Features &features) {
  if (version >= core_since)
    return true;
  if (!extensions.has(extension))
    return false;
  features.extensions[features.extension_count++] = extension;
  return true;
}

/// Links the structures that the driver knows, and lets it fill them.
void query_features(const Loader &loader, VkPhysicalDevice device, uint32_t version, const Extensions &extensions,
                    Features &features) {
  features.basic.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  void **next = &features.basic.pNext;
  // A function for all structures, which begin alike. Inlined, it would take ten times as much code.
  auto link = [&](void *pointer, VkStructureType type, uint32_t core_since, const char *extension)
                  __attribute__((noinline)) {
                    auto *structure = static_cast<VkBaseOutStructure *>(pointer);
                    structure->sType = type;
                    if (!enable(version, core_since, extensions, extension, features))
                      return;
                    *next = structure;
                    next = reinterpret_cast<void **>(&structure->pNext);
                  };
  link(&features.storage_16, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, VK_API_VERSION_1_1, "");
  link(&features.storage_8, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES, VK_API_VERSION_1_2,
       VK_KHR_8BIT_STORAGE_EXTENSION_NAME);
  link(&features.arithmetic, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES, VK_API_VERSION_1_2,
       VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME);
  link(&features.timeline, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, VK_API_VERSION_1_2,
       VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME);
  link(&features.memory_model, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES, VK_API_VERSION_1_2,
       VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME);
  link(&features.dots, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES, VK_API_VERSION_1_3,
       VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
  if (version >= VK_API_VERSION_1_3) // Nacre's kernels with cooperative matrices are SPIR-V 1.6.
    link(&features.matrix, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR, UINT32_MAX,
         VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
  link(&features.robustness, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT, UINT32_MAX,
       VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME);
  loader.vk.GetPhysicalDeviceFeatures2(device, &features.basic);
}

/// Disables features that kernels do not use, because they may cost time in the driver. Returns the bits of the others.
/// `matrices` are the bits of cooperative matrices.
uint64_t keep_used(Features &features, uint64_t matrices) {
  const VkPhysicalDeviceFeatures offered = features.basic.features;
  features.basic.features = {};
  features.basic.features.shaderInt16 = offered.shaderInt16;
  features.basic.features.shaderInt64 = offered.shaderInt64;
  features.basic.features.shaderFloat64 = offered.shaderFloat64;
  features.storage_16.uniformAndStorageBuffer16BitAccess = VK_FALSE;
  features.storage_16.storagePushConstant16 = features.storage_16.storageInputOutput16 = VK_FALSE;
  features.storage_8.uniformAndStorageBuffer8BitAccess = features.storage_8.storagePushConstant8 = VK_FALSE;
  features.memory_model.vulkanMemoryModelAvailabilityVisibilityChains = VK_FALSE;
  features.matrix.cooperativeMatrixRobustBufferAccess = VK_FALSE;

  uint64_t bits = features.matrix.cooperativeMatrix && features.memory_model.vulkanMemoryModel ? matrices : 0;
  auto note = [&bits](VkBool32 has, nacre_gpu_bit bit) { bits |= has ? NACRE_GPU_NEED(bit) : 0; };
  note(features.storage_16.storageBuffer16BitAccess, NACRE_GPU_STORAGE_16);
  note(features.storage_8.storageBuffer8BitAccess, NACRE_GPU_STORAGE_8);
  note(features.arithmetic.shaderFloat16, NACRE_GPU_FLOAT_16);
  note(features.arithmetic.shaderInt8, NACRE_GPU_INT_8);
  note(offered.shaderInt16, NACRE_GPU_INT_16);
  note(offered.shaderInt64, NACRE_GPU_INT_64);
  note(offered.shaderFloat64, NACRE_GPU_FLOAT_64);
  return bits;
}

// --- 2. Properties and limits

nacre_gpu_family family_of(const VkPhysicalDeviceProperties &properties) {
  if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
    return NACRE_GPU_CPU;
  switch (properties.vendorID) {
  case 0x5143:
    return NACRE_GPU_ADRENO;
  case 0x13b5:
    return NACRE_GPU_MALI;
  case 0x1010:
    return NACRE_GPU_POWERVR;
  case 0x10de:
    return NACRE_GPU_NVIDIA;
  case 0x1002:
  case 0x144d: // Samsung's Xclipse GPUs have AMD's architecture.
    return NACRE_GPU_AMD;
  case 0x8086:
    return NACRE_GPU_INTEL;
  }
  return NACRE_GPU_OTHER;
}

uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

void note_properties(const VkPhysicalDeviceProperties &properties, Traits &traits) {
  copy_text(traits.name, sizeof traits.name, properties.deviceName);
  traits.type = properties.deviceType;
  traits.vendor = properties.vendorID;
  traits.product = properties.deviceID;
  traits.driver = properties.driverVersion;
  __builtin_memcpy(traits.cache_identity, properties.pipelineCacheUUID, VK_UUID_SIZE);
  const VkPhysicalDeviceLimits &limits = properties.limits;
  traits.timestamp_period = limits.timestampPeriod;
  Capabilities &can = traits.capabilities;
  can.family = family_of(properties);
  can.invocations = least(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
  can.shared_bytes = limits.maxComputeSharedMemorySize;
  can.groups[0] = limits.maxComputeWorkGroupCount[0];
  can.groups[1] = limits.maxComputeWorkGroupCount[1];
  can.bindings = least(least(limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers),
                       limits.maxPerStageResources);
  can.range = limits.maxStorageBufferRange;
  can.alignment = limits.minStorageBufferOffsetAlignment ? limits.minStorageBufferOffsetAlignment : 1;
}

/// Returns the dot products that are as fast as other instructions. Emulated GPUs have no such hardware, but execute
/// them as fast as the products and sums of single bytes.
uint64_t dots_of(const VkPhysicalDeviceShaderIntegerDotProductProperties &dots, bool is_emulated) {
  const uint32_t has = dots.integerDotProduct4x8BitPackedSignedAccelerated << NACRE_GPU_DOT_SIGNED |
                       dots.integerDotProduct4x8BitPackedUnsignedAccelerated << NACRE_GPU_DOT_UNSIGNED |
                       dots.integerDotProduct4x8BitPackedMixedSignednessAccelerated << NACRE_GPU_DOT_MIXED;
  constexpr uint32_t all = NACRE_GPU_NEED(NACRE_GPU_DOT_SIGNED) | NACRE_GPU_NEED(NACRE_GPU_DOT_UNSIGNED) |
                           NACRE_GPU_NEED(NACRE_GPU_DOT_MIXED);
  return is_emulated ? all : has;
}

bool has_subgroups(const VkPhysicalDeviceSubgroupProperties &subgroups) {
  constexpr VkSubgroupFeatureFlags needed =
      VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  return (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
         (subgroups.supportedOperations & needed) == needed;
}

// --- 3. Memory and queues

bool is_unified(const Traits &traits) {
  if (is_cpu(traits) || traits.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU)
    return true;
  for (uint32_t i = 0; i < traits.memory.memoryHeapCount; ++i)
    if (!(traits.memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT))
      return false;
  return true;
}

bool find_queue(const Loader &loader, VkPhysicalDevice device, MemoryPool &pool, Traits &traits) {
  uint32_t count = 0;
  loader.vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  auto *families = pool.take_array<VkQueueFamilyProperties>(count);
  if (!families)
    return false;
  loader.vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, families);
  for (uint32_t i = 0; i < count; ++i)
    if (families[i].queueCount > 0 && (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
      traits.queue_family = i;
      traits.timestamp_bits = families[i].timestampValidBits;
      return true;
    }
  return false;
}

} // namespace

#if defined(NACRE_RUNTIME_OF_TESTS)
bool memories_apart_for_tests = false;
#endif

bool list_devices(const Loader &loader, MemoryPool &pool, List<VkPhysicalDevice> &devices, Reason &reason) {
  static constexpr char command[] = "vkEnumeratePhysicalDevices";
  uint32_t count = 0;
  if (!succeeded(loader.vk.EnumeratePhysicalDevices(loader.instance, &count, nullptr), command, reason))
    return false;
  devices.data = pool.take_array<VkPhysicalDevice>(count);
  if (pool.failed())
    return refuse_memory(reason);
  if (count == 0) {
    reason << "Vulkan has no device";
    return false;
  }
  if (!succeeded(loader.vk.EnumeratePhysicalDevices(loader.instance, &count, devices.begin()), command, reason))
    return false;
  devices.count = devices.capacity = count;
  return true;
}

bool read_traits(const Loader &loader, VkPhysicalDevice device, MemoryPool &pool, Traits &traits, Features &features,
                 Reason &reason) {
  traits = {};
  features = {};
  VkPhysicalDeviceSubgroupProperties subgroups = {};
  subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  VkPhysicalDeviceFloatControlsProperties floats = {};
  floats.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
  subgroups.pNext = &floats;
  VkPhysicalDeviceShaderIntegerDotProductProperties dots = {};
  dots.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES;
  floats.pNext = &dots;
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &subgroups;
  loader.vk.GetPhysicalDeviceProperties2(device, &properties);
  note_properties(properties.properties, traits);
  traits.version = least(properties.properties.apiVersion, loader.version);
  traits.subgroup_size = subgroups.subgroupSize;
  if (traits.version < VK_API_VERSION_1_1) {
    traits.unusable = "its Vulkan is older than 1.1";
    return true;
  }
  Extensions extensions = {};
  if (!list_extensions(loader, device, pool, extensions, reason))
    return false;
  query_features(loader, device, traits.version, extensions, features);
  const bool may_multiply = features.matrix.cooperativeMatrix && subgroups.subgroupSize == 32;
  const uint64_t matrices = may_multiply ? matrices_of(loader, device, pool) : 0;
  traits.capabilities.features = keep_used(features, matrices);
  if (has_subgroups(subgroups))
    traits.capabilities.features |= NACRE_GPU_NEED(NACRE_GPU_SUBGROUPS);
  if (features.dots.shaderIntegerDotProduct)
    traits.capabilities.features |= dots_of(dots, is_cpu(traits));
  traits.timeline = features.timeline.timelineSemaphore;
  traits.unchecked = features.robustness.pipelineRobustness;
  traits.preserves =
      floats.shaderSignedZeroInfNanPreserveFloat32 &&
      enable(traits.version, VK_API_VERSION_1_2, extensions, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME, features);
  loader.vk.GetPhysicalDeviceMemoryProperties(device, &traits.memory);
  traits.unified = !memories_apart_for_tests && is_unified(traits);
  if (!find_queue(loader, device, pool, traits))
    traits.unusable = "it has no compute queue";
  return true;
}

} // namespace nacre::runtime::gpu
