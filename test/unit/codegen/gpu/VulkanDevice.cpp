// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  one buffer for all storages, guards included; a pipeline bound to them; a dispatch.

#include "test/unit/codegen/gpu/VulkanDevice.h"
#include "runtime/include/nacre/model_format.h"
#include "runtime/src/gpu_vulkan/special_values.h"
#include "test/vulkan/Device.h"

#include "llvm/Support/MathExtras.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace vulkan = nacre::test::vulkan;

void vulkan::fail(const std::string &reason) {
  std::fprintf(stderr, "%s\n", reason.c_str());
  std::exit(EXIT_FAILURE);
}

namespace nacre::codegen {

struct VulkanDevice::State {
  vulkan::Device device;
  VkCommandBuffer commands;
  uint64_t has;   ///< NACRE_GPU_NEED bits.
  bool preserves; ///< NaN and infinities, where a shader says that it should.
};

namespace {

uint64_t bit(VkBool32 is, nacre_gpu_bit name) { return is ? NACRE_GPU_NEED(name) : 0; }

/// Returns the features that a variant may use here: only those that the compiler asks of devices.
uint64_t featuresOf(const vulkan::Device &device) {
  auto subgroup =
      vulkan::make<VkPhysicalDeviceSubgroupProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  auto properties = vulkan::make<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  properties.pNext = &subgroup;
  vulkan::vk.GetPhysicalDeviceProperties2(device.physical, &properties);
  const VkSubgroupFeatureFlags used = VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  return bit(device.v11.storageBuffer16BitAccess, NACRE_GPU_STORAGE_16) |
         bit(device.v12.storageBuffer8BitAccess, NACRE_GPU_STORAGE_8) |
         bit(device.v12.shaderFloat16, NACRE_GPU_FLOAT_16) | bit(device.v12.shaderInt8, NACRE_GPU_INT_8) |
         bit(device.core.shaderInt16, NACRE_GPU_INT_16) | bit(device.core.shaderInt64, NACRE_GPU_INT_64) |
         bit(device.core.shaderFloat64, NACRE_GPU_FLOAT_64) |
         bit((subgroup.supportedOperations & used) == used, NACRE_GPU_SUBGROUPS) |
         bit(device.hasDots, NACRE_GPU_DOT_SIGNED) | bit(device.hasDots, NACRE_GPU_DOT_UNSIGNED) |
         bit(device.hasDots, NACRE_GPU_DOT_MIXED);
}

bool preservesSpecialValues(const vulkan::Device &device) {
  auto floats = vulkan::make<VkPhysicalDeviceFloatControlsProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES);
  auto properties = vulkan::make<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  properties.pNext = &floats;
  vulkan::vk.GetPhysicalDeviceProperties2(device.physical, &properties);
  return floats.shaderSignedZeroInfNanPreserveFloat32;
}

/// Makes modules as the runtime does.
std::vector<uint32_t> moduleOf(const GpuKernelCode &code, bool preserves) {
  const size_t added = preserves ? runtime::gpu::kPreservingWords : 0;
  std::vector<uint32_t> words(added);
  words.insert(words.end(), code.code.begin(), code.code.end());
  if (preserves && !runtime::gpu::preserve_special_values(words.data(), uint32_t(code.code.size())))
    vulkan::fail("a shader has no entry point");
  return words;
}

} // namespace

VulkanDevice *VulkanDevice::get() {
  static VulkanDevice *opened = []() -> VulkanDevice * {
    auto *state = new State{};
    if (std::string why; !vulkan::open(state->device, why))
      return nullptr;
    state->commands = vulkan::makeCommands(state->device);
    state->has = featuresOf(state->device);
    state->preserves = preservesSpecialValues(state->device);
    auto *device = new VulkanDevice;
    device->state = state;
    return device;
  }();
  return opened;
}

bool VulkanDevice::meets(const GpuKernelCode &code) const {
  const VkPhysicalDeviceLimits &limits = state->device.properties.limits;
  return (code.needs & ~state->has) == 0 && code.workgroupSize <= limits.maxComputeWorkGroupInvocations &&
         code.sharedBytes <= limits.maxComputeSharedMemorySize;
}

void VulkanDevice::run(const GpuKernelCode &code, llvm::MutableArrayRef<Storage> storages,
                       llvm::ArrayRef<int64_t> alignments, int64_t begin, int64_t end) {
  const vulkan::Device &device = state->device;
  llvm::SmallVector<size_t> offsets;
  size_t bytes = 0;
  for (auto [storage, alignment] : llvm::zip_equal(storages, alignments)) {
    offsets.push_back(llvm::alignTo(bytes + kGuard, kGpuBufferAlignment) + 3 * alignment % kGpuBufferAlignment);
    bytes = offsets.back() + storage.bytes + kGuard;
  }
  const vulkan::Buffer buffer = vulkan::makeBuffer(device, bytes, vulkan::kVisible, vulkan::kVisible);
  char *mapped = vulkan::map(device, buffer);
  for (auto [storage, offset] : llvm::zip_equal(storages, offsets))
    std::memcpy(mapped + offset - kGuard, storage.memory.data(), storage.memory.size());

  // What is shifted is bound where any device can, and the rest of the way is a push constant; what is bound several
  // times is bound in pieces.
  std::vector<int32_t> constants = {int32_t(begin), int32_t(end)};
  std::vector<VkDescriptorBufferInfo> parts;
  for (size_t i = 0; i < code.bindings.size(); ++i) {
    const unsigned operand = code.bindings[i];
    const size_t shift = code.shifted >> i & 1 ? offsets[operand] % kGpuBufferAlignment : 0;
    if (code.shifted >> i & 1)
      constants.push_back(int32_t(shift));
    const size_t piece = llvm::count(llvm::ArrayRef(code.bindings).take_front(i), operand) * code.pieceBytes;
    size_t part = llvm::alignTo(storages[operand].bytes + shift - piece, 16);
    if (code.pieceBytes)
      part = std::min<size_t>(part, code.pieceBytes);
    parts.push_back({buffer.buffer, offsets[operand] - shift + piece, part});
  }
  // Nothing is kept: a test is not in a hurry.
  const std::vector<uint32_t> words = moduleOf(code, state->preserves);
  const vulkan::Pipeline pipeline = vulkan::makePipeline(device, words.data(), words.size() * sizeof(uint32_t),
                                                         uint32_t(parts.size()), uint32_t(constants.size()));
  VkDescriptorPool descriptors = vulkan::makeDescriptorPool(device, 1, uint32_t(parts.size()));
  vulkan::begin(state->commands);
  vulkan::bind(state->commands, pipeline, vulkan::makeSet(device, descriptors, pipeline, parts), constants);
  vulkan::vk.CmdDispatch(state->commands, code.groups, uint32_t(llvm::divideCeil(end - begin, code.unitExtent)), 1);
  vulkan::wait(state->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT);
  vulkan::submit(device, state->commands);

  for (auto [storage, offset] : llvm::zip_equal(storages, offsets))
    std::memcpy(storage.memory.data(), mapped + offset - kGuard, storage.memory.size());
  vulkan::vk.DestroyDescriptorPool(device.handle, descriptors, nullptr);
  vulkan::destroy(device, pipeline);
  vulkan::destroy(device, buffer);
}

} // namespace nacre::codegen
