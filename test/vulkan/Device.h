// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a Vulkan device with all its features, and the parts of a launch.
// Why:   kernels are tested, and timed, without the runtime; both need the same Vulkan.
// How:   libvulkan is opened, not linked, so that a program starts without Vulkan. Uses no code of ours: programs that
//        time kernels run where nothing can be built. An error of Vulkan ends the program.

#ifndef NACRE_TEST_VULKAN_DEVICE_H
#define NACRE_TEST_VULKAN_DEVICE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#define VK_NO_PROTOTYPES 1
#include <vulkan/vulkan_core.h>

namespace nacre::test::vulkan {

/// Functions by their names without vk.
struct Commands {
#define NACRE_TEST_VULKAN_COMMAND(name) PFN_vk##name name;
#include "test/vulkan/commands.def"
};
extern Commands vk; ///< Found by open.

/// Tells why and ends the program, each program in its way.
[[noreturn]] void fail(const std::string &reason);

void check(VkResult result, const char *command);
#define NACRE_TEST_VULKAN(command, ...)                                                                                \
  ::nacre::test::vulkan::check(::nacre::test::vulkan::vk.command(__VA_ARGS__), #command)

template <typename T> T make(VkStructureType type) {
  T object = {};
  object.sType = type;
  return object;
}

struct Device {
  VkPhysicalDevice physical;
  VkDevice handle;
  uint32_t family; ///< Family of its queue.
  VkQueue queue;
  VkCommandPool pool;
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceMemoryProperties memory;
  VkPhysicalDeviceFeatures core; ///< Its features are enabled, except checks of accesses to buffers.
  VkPhysicalDeviceVulkan11Features v11;
  VkPhysicalDeviceVulkan12Features v12;
  bool mayBeUnchecked; ///< Accesses to buffers, by a pipeline.
  bool hasDots;        ///< Integer dot products, which need not be accelerated.
};

/// Opens a discrete device, or else the first one. Returns false, with the reason, if there is no device.
bool open(Device &device, std::string &why);

struct Buffer {
  VkBuffer buffer;
  VkDeviceMemory memory;
};

constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/// Makes a buffer in memory that is `best`, or at least `enough`.
Buffer makeBuffer(const Device &device, size_t bytes, VkMemoryPropertyFlags best, VkMemoryPropertyFlags enough);
char *map(const Device &device, const Buffer &buffer);
void destroy(const Device &device, const Buffer &buffer);

struct Pipeline {
  VkShaderModule shader;
  VkDescriptorSetLayout setLayout;
  VkPipelineLayout layout;
  VkPipeline pipeline;
};

/// Makes a pipeline of entry point "main" with `bindings` storage buffers and so many push constants of 32 bits.
Pipeline makePipeline(const Device &device, const uint32_t *code, size_t codeBytes, uint32_t bindings,
                      uint32_t constants);
void destroy(const Device &device, const Pipeline &pipeline);

VkDescriptorPool makeDescriptorPool(const Device &device, uint32_t sets, uint32_t buffers);
VkDescriptorSet makeSet(const Device &device, VkDescriptorPool pool, const Pipeline &pipeline,
                        const std::vector<VkDescriptorBufferInfo> &parts);

/// Each begin records commands from the start; submit ends them and waits until the device has obeyed.
VkCommandBuffer makeCommands(const Device &device);
void begin(VkCommandBuffer commands);
void bind(VkCommandBuffer commands, const Pipeline &pipeline, VkDescriptorSet set,
          const std::vector<int32_t> &constants);
void wait(VkCommandBuffer commands, VkPipelineStageFlags before, VkPipelineStageFlags after);
void submit(const Device &device, VkCommandBuffer commands);

} // namespace nacre::test::vulkan

#endif // NACRE_TEST_VULKAN_DEVICE_H
