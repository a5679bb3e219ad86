// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see FakeDevice.h.
// Why:   see there.
// How:   structures that the driver has filled are changed where they lie.

#include "test/runtime/gpu_vulkan/FakeDevice.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

namespace nacre::test {
namespace {

constexpr const char *kWords[] = {"type", "vendor", "subgroup", "invocations", "shared", "int64", "fp16", "memories"};

using Words = std::map<std::string, uint32_t>;

Words readWords() {
  Words words;
  const char *given = std::getenv("NACRE_FAKE_DEVICE");
  std::istringstream text(given ? given : "");
  for (std::string word; text >> word;) {
    const size_t sign = word.find('=');
    const std::string name = word.substr(0, sign);
    bool known = false;
    for (const char *candidate : kWords)
      known |= name == candidate;
    if (!known || sign == std::string::npos) {
      std::fprintf(stderr, "NACRE_FAKE_DEVICE: unknown word %s\n", word.c_str());
      std::exit(2);
    }
    words[name] = uint32_t(std::strtoul(word.c_str() + sign + 1, nullptr, name == "vendor" ? 16 : 10));
  }
  return words;
}

/// Puts the number of a word in `field`, if the word was given.
template <typename Field> void replace(const char *name, Field &field) {
  static const Words words = readWords();
  const auto found = words.find(name);
  if (found != words.end())
    field = Field(found->second);
}

bool hasTwoMemories() {
  uint32_t memories = 1;
  replace("memories", memories);
  return memories == 2;
}

template <typename Each> void forEachNext(void *first, Each each) {
  for (auto *next = static_cast<VkBaseOutStructure *>(first); next; next = next->pNext)
    each(next);
}

} // namespace

void disguise(VkPhysicalDeviceProperties2 &properties) {
  VkPhysicalDeviceLimits &limits = properties.properties.limits;
  replace("type", properties.properties.deviceType);
  replace("vendor", properties.properties.vendorID);
  replace("invocations", limits.maxComputeWorkGroupInvocations);
  replace("invocations", limits.maxComputeWorkGroupSize[0]);
  replace("shared", limits.maxComputeSharedMemorySize);
  forEachNext(properties.pNext, [](VkBaseOutStructure *next) {
    if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES)
      replace("subgroup", reinterpret_cast<VkPhysicalDeviceSubgroupProperties *>(next)->subgroupSize);
  });
}

void disguise(VkPhysicalDeviceFeatures2 &features) {
  replace("int64", features.features.shaderInt64);
  forEachNext(features.pNext, [](VkBaseOutStructure *next) {
    if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES)
      replace("fp16", reinterpret_cast<VkPhysicalDeviceShaderFloat16Int8Features *>(next)->shaderFloat16);
  });
}

void disguise(VkPhysicalDeviceMemoryProperties &memory) {
  if (!hasTwoMemories())
    return;
  memory.memoryTypeCount = memory.memoryHeapCount = 2;
  memory.memoryHeaps[1] = {memory.memoryHeaps[0].size, 0};
  memory.memoryHeaps[0].flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
  memory.memoryTypes[1] = {
      memory.memoryTypes[0].propertyFlags & ~VkMemoryPropertyFlags(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 1};
  memory.memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
}

void disguise(VkMemoryRequirements &needs) {
  if (hasTwoMemories())
    needs.memoryTypeBits = 3;
}

uint32_t realMemoryType(uint32_t type) { return hasTwoMemories() ? 0 : type; }
bool isMappable(uint32_t type) { return !hasTwoMemories() || type == 1; }

} // namespace nacre::test
