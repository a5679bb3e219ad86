// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs and times compute shaders through Vulkan, as a script on its standard input says.
//
// Why: kernels are measured alone, beside rivals and in turn with them; gpu_kernels.py has the rivals, this the GPU. It
//      needs nothing of ours but the shaders, so it runs where nothing can be built.
// How: libvulkan is opened, not linked. Operands have places that all kernels share. One command a line, one line of
//      answer: "ok" and numbers, or "error" and the reason, which ends the program.
//
//        place BYTES...                 room for the operands, by number; once, first
//        kernel NAME FILE GROUPS ROWS EXTENT OPERAND...   a pipeline, whose bindings are these operands; ms to make it
//        data OPERAND FILE              the operand's bytes from a file
//        run NAME OPERAND BYTES FILE    one launch on a poisoned OPERAND; its bytes to a file
//        time NAME SECONDS              launches one after the other for about so long; ms of each

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#define VK_NO_PROTOTYPES 1
#include <vulkan/vulkan_core.h>

#ifndef VK_KHR_cooperative_matrix
// From the specification of the extension; the names are Khronos's.
#define VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME "VK_KHR_cooperative_matrix"
constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR = VkStructureType(1000506000);
struct VkPhysicalDeviceCooperativeMatrixFeaturesKHR {
  VkStructureType sType;
  void *pNext;
  VkBool32 cooperativeMatrix;
  VkBool32 cooperativeMatrixRobustBufferAccess;
};
#endif

namespace {

#define COMMANDS(X)                                                                                                    \
  X(EnumeratePhysicalDevices)                                                                                          \
  X(EnumerateDeviceExtensionProperties)                                                                                \
  X(GetPhysicalDeviceProperties)                                                                                       \
  X(GetPhysicalDeviceMemoryProperties)                                                                                 \
  X(GetPhysicalDeviceFeatures2)                                                                                        \
  X(GetPhysicalDeviceQueueFamilyProperties)                                                                            \
  X(CreateDevice)                                                                                                      \
  X(GetDeviceQueue)                                                                                                    \
  X(CreateBuffer)                                                                                                      \
  X(GetBufferMemoryRequirements)                                                                                       \
  X(AllocateMemory)                                                                                                    \
  X(BindBufferMemory)                                                                                                  \
  X(MapMemory)                                                                                                         \
  X(CreateShaderModule)                                                                                                \
  X(CreateDescriptorSetLayout)                                                                                         \
  X(CreatePipelineLayout)                                                                                              \
  X(CreateComputePipelines)                                                                                            \
  X(CreateDescriptorPool)                                                                                              \
  X(AllocateDescriptorSets)                                                                                            \
  X(UpdateDescriptorSets)                                                                                              \
  X(CreateCommandPool)                                                                                                 \
  X(AllocateCommandBuffers)                                                                                            \
  X(BeginCommandBuffer)                                                                                                \
  X(EndCommandBuffer)                                                                                                  \
  X(CreateQueryPool)                                                                                                   \
  X(GetQueryPoolResults)                                                                                               \
  X(CmdResetQueryPool)                                                                                                 \
  X(CmdWriteTimestamp)                                                                                                 \
  X(CmdBindPipeline)                                                                                                   \
  X(CmdBindDescriptorSets)                                                                                             \
  X(CmdPushConstants)                                                                                                  \
  X(CmdDispatch)                                                                                                       \
  X(CmdPipelineBarrier)                                                                                                \
  X(CmdCopyBuffer)                                                                                                     \
  X(CmdFillBuffer)                                                                                                     \
  X(QueueSubmit)                                                                                                       \
  X(QueueWaitIdle)

struct Vulkan {
#define DECLARE(name) PFN_vk##name name;
  COMMANDS(DECLARE)
#undef DECLARE
} vk;

[[noreturn]] void fail(const std::string &reason) {
  std::cout << "error " << reason << std::endl;
  exit(1);
}

void check(VkResult result, const char *what) {
  if (result != VK_SUCCESS)
    fail(std::string(what) + " failed with " + std::to_string(int(result)));
}
#define CHECK(command, ...) check(vk.command(__VA_ARGS__), #command)

template <typename T> T make(VkStructureType type) {
  T object = {};
  object.sType = type;
  return object;
}

struct Kernel {
  VkPipeline pipeline;
  VkPipelineLayout layout;
  VkDescriptorSet set;
  uint32_t groups, rows;
  int32_t extent;
};

struct Buffer {
  VkBuffer buffer;
  VkDeviceMemory memory;
};

class Bench {
public:
  Bench() {
    openDevice();
    VkCommandPoolCreateInfo pool = make<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = family;
    VkCommandPool commandPool;
    CHECK(CreateCommandPool, device, &pool, nullptr, &commandPool);
    auto allocate = make<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    allocate.commandPool = commandPool;
    allocate.commandBufferCount = 1;
    CHECK(AllocateCommandBuffers, device, &allocate, &commands);
    auto queries = make<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queries.queryCount = 2;
    CHECK(CreateQueryPool, device, &queries, nullptr, &stamps);
    auto descriptors = make<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 8192};
    descriptors.maxSets = 2048;
    descriptors.poolSizeCount = 1;
    descriptors.pPoolSizes = &size;
    CHECK(CreateDescriptorPool, device, &descriptors, nullptr, &sets);
  }

  std::string deviceName() const { return properties.deviceName; }
  uint32_t sharedBytes() const { return properties.limits.maxComputeSharedMemorySize; }

  void place(const std::vector<size_t> &bytes) {
    size_t end = 0;
    for (size_t size : bytes) {
      offsets.push_back(end);
      sizes.push_back((size + 255) / 256 * 256);
      end += sizes.back();
    }
    arena = makeBuffer(end, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    staging = makeBuffer(*std::max_element(sizes.begin(), sizes.end()), visible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                         visible);
    void *address;
    CHECK(MapMemory, device, staging.memory, 0, VK_WHOLE_SIZE, 0, &address);
    mapped = static_cast<char *>(address);
  }

  double addKernel(const std::string &name, const std::string &file, uint32_t groups, uint32_t rows, int32_t extent,
                   const std::vector<uint32_t> &operands) {
    std::ifstream stream(file, std::ios::binary);
    const std::vector<char> code((std::istreambuf_iterator<char>(stream)), {});
    if (code.empty())
      fail("cannot read " + file);
    const auto begin = std::chrono::steady_clock::now();
    auto shader = make<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    shader.codeSize = code.size();
    shader.pCode = reinterpret_cast<const uint32_t *>(code.data());
    auto compute = make<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    compute.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    compute.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    compute.stage.pName = "main";
    CHECK(CreateShaderModule, device, &shader, nullptr, &compute.stage.module);
    // As the runtime makes them.
    auto unchecked = make<VkPipelineRobustnessCreateInfoEXT>(VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT);
    unchecked.storageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT;
    compute.pNext = mayBeUnchecked ? &unchecked : nullptr;

    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (uint32_t i = 0; i < operands.size(); ++i)
      bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    auto set = make<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    set.bindingCount = bindings.size();
    set.pBindings = bindings.data();
    VkDescriptorSetLayout setLayout;
    CHECK(CreateDescriptorSetLayout, device, &set, nullptr, &setLayout);
    Kernel kernel = {};
    auto layout = make<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    const VkPushConstantRange share = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 2 * sizeof(int32_t)};
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &setLayout;
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &share;
    CHECK(CreatePipelineLayout, device, &layout, nullptr, &kernel.layout);
    compute.layout = kernel.layout;
    CHECK(CreateComputePipelines, device, VK_NULL_HANDLE, 1, &compute, nullptr, &kernel.pipeline);

    auto allocate = make<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
    allocate.descriptorPool = sets;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &setLayout;
    CHECK(AllocateDescriptorSets, device, &allocate, &kernel.set);
    for (uint32_t i = 0; i < operands.size(); ++i) {
      checkOperand(operands[i]);
      const VkDescriptorBufferInfo part = {arena.buffer, offsets[operands[i]], sizes[operands[i]]};
      auto write = make<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
      write.dstSet = kernel.set;
      write.dstBinding = i;
      write.descriptorCount = 1;
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      write.pBufferInfo = &part;
      vk.UpdateDescriptorSets(device, 1, &write, 0, nullptr);
    }
    kernel.groups = groups;
    kernel.rows = rows;
    kernel.extent = extent;
    kernels[name] = kernel;
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

  void data(size_t operand, const std::string &file) {
    checkOperand(operand);
    std::ifstream stream(file, std::ios::binary);
    stream.read(mapped, sizes[operand]);
    const size_t bytes = stream.gcount();
    if (bytes == 0)
      fail("cannot read " + file);
    begin();
    const VkBufferCopy all = {0, offsets[operand], bytes};
    vk.CmdCopyBuffer(commands, staging.buffer, arena.buffer, 1, &all);
    submit();
  }

  void run(const std::string &name, size_t operand, size_t bytes, const std::string &file) {
    const Kernel &kernel = kernelOf(name);
    checkOperand(operand);
    begin();
    vk.CmdFillBuffer(commands, arena.buffer, offsets[operand], sizes[operand], 0x7fc07e00); // Not a number.
    wait(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    bind(kernel);
    vk.CmdDispatch(commands, kernel.groups, kernel.rows, 1);
    wait(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
    const VkBufferCopy all = {offsets[operand], 0, bytes};
    vk.CmdCopyBuffer(commands, arena.buffer, staging.buffer, 1, &all);
    wait(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT);
    submit();
    std::ofstream(file, std::ios::binary).write(mapped, bytes);
  }

  double time(const std::string &name, double seconds) {
    const Kernel &kernel = kernelOf(name);
    const double first = timeLaunches(kernel, 3);
    const int launches = std::clamp(int(seconds * 1e3 / std::max(first, 1e-4)), 1, 2000);
    timeLaunches(kernel, launches); // Whoever had the device before may have left it hot, or with other clocks.
    return timeLaunches(kernel, launches);
  }

private:
  const Kernel &kernelOf(const std::string &name) const {
    const auto found = kernels.find(name);
    if (found == kernels.end())
      fail("there is no kernel " + name);
    return found->second;
  }

  void checkOperand(size_t operand) const {
    if (operand >= offsets.size())
      fail("there is no place for operand " + std::to_string(operand));
  }

  void openDevice() {
    void *library = dlopen("libvulkan.so.1", RTLD_NOW);
    if (!library)
      fail(dlerror());
    auto find = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
    auto createInstance = reinterpret_cast<PFN_vkCreateInstance>(find(nullptr, "vkCreateInstance"));
    auto application = make<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
    application.apiVersion = VK_API_VERSION_1_3;
    auto info = make<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
    info.pApplicationInfo = &application;
    VkInstance instance;
    check(createInstance(&info, nullptr, &instance), "CreateInstance");
#define FIND(name) vk.name = reinterpret_cast<PFN_vk##name>(find(instance, "vk" #name));
    COMMANDS(FIND)
#undef FIND

    uint32_t count = 0;
    CHECK(EnumeratePhysicalDevices, instance, &count, nullptr);
    std::vector<VkPhysicalDevice> devices(count);
    CHECK(EnumeratePhysicalDevices, instance, &count, devices.data());
    if (devices.empty())
      fail("Vulkan finds no device");
    auto isDiscrete = [](VkPhysicalDevice candidate) {
      VkPhysicalDeviceProperties known;
      vk.GetPhysicalDeviceProperties(candidate, &known);
      return known.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    };
    const auto chosen = std::find_if(devices.begin(), devices.end(), isDiscrete);
    VkPhysicalDevice physical = chosen == devices.end() ? devices.front() : *chosen;
    vk.GetPhysicalDeviceProperties(physical, &properties);
    vk.GetPhysicalDeviceMemoryProperties(physical, &memory);

    uint32_t extensionCount = 0, familyCount = 0;
    vk.EnumerateDeviceExtensionProperties(physical, nullptr, &extensionCount, nullptr);
    std::vector<VkExtensionProperties> extensions(extensionCount);
    vk.EnumerateDeviceExtensionProperties(physical, nullptr, &extensionCount, extensions.data());
    auto has = [&](const char *name) {
      return std::any_of(extensions.begin(), extensions.end(),
                         [&](const VkExtensionProperties &it) { return std::strcmp(it.extensionName, name) == 0; });
    };
    std::vector<const char *> enabled;
    auto matrix = make<VkPhysicalDeviceCooperativeMatrixFeaturesKHR>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR);
    auto v12 = make<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    if (has(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)) {
      enabled.push_back(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
      v12.pNext = &matrix;
    }
    auto robustness = make<VkPhysicalDevicePipelineRobustnessFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT);
    if (has(VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME)) {
      enabled.push_back(VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME);
      robustness.pNext = v12.pNext;
      v12.pNext = &robustness;
    }
    auto v11 = make<VkPhysicalDeviceVulkan11Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    v11.pNext = &v12;
    auto features = make<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    features.pNext = &v11;
    vk.GetPhysicalDeviceFeatures2(physical, &features);
    features.features.robustBufferAccess = VK_FALSE;
    matrix.cooperativeMatrixRobustBufferAccess = VK_FALSE;

    vk.GetPhysicalDeviceQueueFamilyProperties(physical, &familyCount, nullptr);
    std::vector<VkQueueFamilyProperties> families(familyCount);
    vk.GetPhysicalDeviceQueueFamilyProperties(physical, &familyCount, families.data());
    while (family + 1 < familyCount && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
      ++family;
    const float priority = 1;
    auto queueInfo = make<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queueInfo.queueFamilyIndex = family;
    queueInfo.queueCount = 1;
    queueInfo.pQueuePriorities = &priority;
    auto deviceInfo = make<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    deviceInfo.pNext = &features;
    deviceInfo.queueCreateInfoCount = 1;
    deviceInfo.pQueueCreateInfos = &queueInfo;
    deviceInfo.enabledExtensionCount = enabled.size();
    deviceInfo.ppEnabledExtensionNames = enabled.data();
    CHECK(CreateDevice, physical, &deviceInfo, nullptr, &device);
    vk.GetDeviceQueue(device, family, 0, &queue);
    mayBeUnchecked = robustness.pipelineRobustness;
  }

  /// In memory that is `best`, or at least `enough`.
  Buffer makeBuffer(size_t bytes, VkMemoryPropertyFlags best, VkMemoryPropertyFlags enough) {
    Buffer made = {};
    auto info = make<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.size = bytes;
    info.usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    CHECK(CreateBuffer, device, &info, nullptr, &made.buffer);
    VkMemoryRequirements wants;
    vk.GetBufferMemoryRequirements(device, made.buffer, &wants);
    auto allocation = make<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
    allocation.allocationSize = wants.size;
    auto find = [&](VkMemoryPropertyFlags flags) {
      for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
        if ((wants.memoryTypeBits >> i & 1) && (memory.memoryTypes[i].propertyFlags & flags) == flags) {
          allocation.memoryTypeIndex = i;
          return true;
        }
      return false;
    };
    if (!find(best) && !find(enough))
      fail("no memory that serves");
    CHECK(AllocateMemory, device, &allocation, nullptr, &made.memory);
    CHECK(BindBufferMemory, device, made.buffer, made.memory, 0);
    return made;
  }

  void begin() {
    auto info = make<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    CHECK(BeginCommandBuffer, commands, &info);
  }

  void submit() {
    CHECK(EndCommandBuffer, commands);
    auto info = make<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    CHECK(QueueSubmit, queue, 1, &info, VK_NULL_HANDLE);
    CHECK(QueueWaitIdle, queue);
  }

  void bind(const Kernel &kernel) {
    vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
    vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout, 0, 1, &kernel.set, 0, nullptr);
    const int32_t share[2] = {0, kernel.extent};
    vk.CmdPushConstants(commands, kernel.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof share, share);
  }

  void wait(VkPipelineStageFlags before, VkPipelineStageFlags after) {
    auto all = make<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
    all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    vk.CmdPipelineBarrier(commands, before, after, 0, 1, &all, 0, nullptr, 0, nullptr);
  }

  /// With the barrier after each that the runtime puts between launches that depend on one another: it names what
  /// shaders do alone, which takes this driver 2 microseconds less than any access to memory does.
  double timeLaunches(const Kernel &kernel, int launches) {
    constexpr VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    auto written = make<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
    written.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    written.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    auto launch = [&] {
      vk.CmdDispatch(commands, kernel.groups, kernel.rows, 1);
      vk.CmdPipelineBarrier(commands, compute, compute, 0, 1, &written, 0, nullptr, 0, nullptr);
    };
    begin();
    vk.CmdResetQueryPool(commands, stamps, 0, 2);
    bind(kernel);
    launch();
    vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, stamps, 0);
    for (int i = 0; i < launches; ++i)
      launch();
    vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, stamps, 1);
    submit();
    uint64_t ticks[2];
    CHECK(GetQueryPoolResults, device, stamps, 0, 2, sizeof ticks, ticks, sizeof ticks[0],
          VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    return double(ticks[1] - ticks[0]) * properties.limits.timestampPeriod * 1e-6 / launches;
  }

  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceMemoryProperties memory;
  VkDevice device;
  uint32_t family = 0;
  bool mayBeUnchecked = false; ///< Accesses to buffers.
  VkQueue queue;
  VkCommandBuffer commands;
  VkQueryPool stamps;
  VkDescriptorPool sets;
  Buffer arena, staging;
  char *mapped = nullptr;
  std::vector<size_t> offsets, sizes; // Of operands.
  std::map<std::string, Kernel> kernels;
};

template <typename T> T read(std::istream &line) {
  T value;
  if (!(line >> value))
    fail("the command lacks something, or has a wrong number");
  return value;
}

template <typename T> std::vector<T> readAll(std::istream &line) {
  return {std::istream_iterator<T>(line), std::istream_iterator<T>()};
}

std::string obey(Bench &bench, const std::string &text) {
  std::istringstream line(text);
  const auto command = read<std::string>(line);
  if (command == "place") {
    bench.place(readAll<size_t>(line));
    return "";
  }
  if (command == "data") {
    const auto operand = read<size_t>(line);
    bench.data(operand, read<std::string>(line));
    return "";
  }
  const auto name = read<std::string>(line);
  if (command == "kernel") {
    const auto file = read<std::string>(line);
    const auto groups = read<uint32_t>(line), rows = read<uint32_t>(line);
    const auto extent = read<int32_t>(line);
    return std::to_string(bench.addKernel(name, file, groups, rows, extent, readAll<uint32_t>(line)));
  }
  if (command == "run") {
    const auto operand = read<size_t>(line), bytes = read<size_t>(line);
    bench.run(name, operand, bytes, read<std::string>(line));
    return "";
  }
  if (command == "time")
    return std::to_string(bench.time(name, read<double>(line)));
  fail("there is no such command");
}

} // namespace

int main() {
  Bench bench;
  std::cout << "ok " << bench.sharedBytes() << " " << bench.deviceName() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const std::string answer = obey(bench, line);
    std::cout << "ok " << answer << std::endl;
  }
  return 0;
}
