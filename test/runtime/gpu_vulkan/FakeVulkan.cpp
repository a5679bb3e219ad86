// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see FakeVulkan.h.
// Why:   see there.
// How:   1. a wrapper is made of each row of the runtime's own list of commands; it counts, fails or forwards. 2. Some
//        commands are looked at more closely: which memory is mapped, and the copies of command buffers, each time that
//        they are submitted.
//        3. Answers about the device are changed as FakeDevice.h says.

#include "test/runtime/gpu_vulkan/FakeVulkan.h"
#include "test/runtime/gpu_vulkan/FakeDevice.h"

#include "runtime/src/gpu_vulkan/vulkan_api.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace {

enum Command {
#define NACRE_VK_GLOBAL(name) k##name,
#define NACRE_VK_INSTANCE(name) k##name,
#define NACRE_VK_DEVICE(name) k##name,
#define NACRE_VK_OPTIONAL(name) k##name,
#include "runtime/src/gpu_vulkan/entry_points.def"
  kCount
};

constexpr std::string_view kNames[] = {
#define NACRE_VK_GLOBAL(name) #name,
#define NACRE_VK_INSTANCE(name) #name,
#define NACRE_VK_DEVICE(name) #name,
#define NACRE_VK_OPTIONAL(name) #name,
#include "runtime/src/gpu_vulkan/entry_points.def"
};

std::atomic<int> calls[kCount];
std::atomic<int> live;
std::atomic<bool> hasFailed;
int failing[kCount];   // the call that fails; 0: none
bool persists[kCount]; // and so do all after it
bool hidden[kCount];
bool defiesPolls, showsTwice;
std::atomic<int> allCalls;
std::atomic<int> lossAt; // the call of all that loses the device; 0: none
PFN_vkVoidFunction real[kCount];

int find(std::string_view name) {
  for (int i = 0; i < kCount; ++i)
    if (kNames[i] == name)
      return i;
  return -1;
}

bool startsWith(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

bool makes(std::string_view name) { return startsWith(name, "Create") || name == "AllocateMemory"; }
bool destroys(std::string_view name) { return startsWith(name, "Destroy") || name == "FreeMemory"; }

bool maySayLost(int command) {
  return command == kQueueSubmit || command == kWaitForFences || command == kWaitSemaphores ||
         command == kDeviceWaitIdle || command == kGetSemaphoreCounterValue || command == kGetFenceStatus ||
         command == kGetQueryPoolResults;
}

VkResult failureOf(int command) { return maySayLost(command) ? VK_ERROR_DEVICE_LOST : VK_ERROR_OUT_OF_DEVICE_MEMORY; }

// --- 2. Copies and memory

struct Copies {
  uint64_t toGpu, toCpu, inside;
};

std::mutex watching;
std::set<VkDeviceMemory> mapped, unmappable;
std::map<VkBuffer, VkDeviceMemory> memoryOf;
std::map<VkDeviceMemory, uint64_t> bytesOf;
std::map<VkCommandBuffer, Copies> copiesOf; // each time that they are submitted
Copies copied;
uint64_t allocated, peak;

void forgetWatched() {
  std::lock_guard<std::mutex> lock(watching);
  mapped.clear();
  unmappable.clear();
  memoryOf.clear();
  bytesOf.clear();
  copiesOf.clear();
  copied = {};
  allocated = peak = 0;
}

void watchCopy(VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t count, const VkBufferCopy *regions) {
  const bool fromCpu = mapped.count(memoryOf[from]), toCpu = mapped.count(memoryOf[to]);
  Copies &copies = copiesOf[commands];
  for (uint32_t i = 0; i < count; ++i)
    (fromCpu == toCpu ? copies.inside : toCpu ? copies.toCpu : copies.toGpu) += regions[i].size;
}

void watchSubmit(uint32_t count, const VkSubmitInfo *infos) {
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t k = 0; k < infos[i].commandBufferCount; ++k) {
      const Copies &copies = copiesOf[infos[i].pCommandBuffers[k]];
      copied.toGpu += copies.toGpu;
      copied.toCpu += copies.toCpu;
      copied.inside += copies.inside;
    }
}

void watchAllocation(VkDeviceMemory memory, uint64_t bytes) {
  bytesOf[memory] = bytes;
  allocated += bytes;
  peak = allocated > peak ? allocated : peak;
}

void watchFree(VkDeviceMemory memory) {
  allocated -= bytesOf[memory];
  bytesOf.erase(memory);
  mapped.erase(memory);
  unmappable.erase(memory);
}

/// After a call that succeeded.
template <int command, typename... Arguments> void watch([[maybe_unused]] Arguments... arguments) {
  std::lock_guard<std::mutex> lock(watching);
  [[maybe_unused]] const std::tuple all(arguments...);
  if constexpr (command == kMapMemory)
    mapped.insert(std::get<1>(all));
  if constexpr (command == kBindBufferMemory)
    memoryOf[std::get<1>(all)] = std::get<2>(all);
  if constexpr (command == kAllocateMemory)
    watchAllocation(*std::get<3>(all), std::get<1>(all)->allocationSize);
  if constexpr (command == kFreeMemory)
    watchFree(std::get<1>(all));
  if constexpr (command == kBeginCommandBuffer)
    copiesOf[std::get<0>(all)] = {};
  if constexpr (command == kCmdCopyBuffer)
    std::apply(watchCopy, all);
  if constexpr (command == kQueueSubmit)
    watchSubmit(std::get<1>(all), std::get<2>(all));
}

// --- 3. The device

/// Allocates from the driver's memory type that stands for the one that was asked for.
VkResult allocate(PFN_vkAllocateMemory real, VkDevice device, const VkMemoryAllocateInfo *info,
                  const VkAllocationCallbacks *by, VkDeviceMemory *memory) {
  VkMemoryAllocateInfo request = *info;
  request.memoryTypeIndex = nacre::test::realMemoryType(info->memoryTypeIndex);
  const VkResult result = real(device, &request, by, memory);
  std::lock_guard<std::mutex> lock(watching);
  if (result == VK_SUCCESS && !nacre::test::isMappable(info->memoryTypeIndex))
    unmappable.insert(*memory);
  return result;
}

bool isUnmappable(VkDeviceMemory memory) {
  std::lock_guard<std::mutex> lock(watching);
  return unmappable.count(memory) != 0;
}

/// After a call that returns nothing.
template <int command, typename... Arguments> void disguise([[maybe_unused]] Arguments... arguments) {
  [[maybe_unused]] const std::tuple all(arguments...);
  if constexpr (command == kGetPhysicalDeviceProperties2 || command == kGetPhysicalDeviceFeatures2 ||
                command == kGetPhysicalDeviceMemoryProperties)
    nacre::test::disguise(*std::get<1>(all));
  if constexpr (command == kGetBufferMemoryRequirements)
    nacre::test::disguise(*std::get<2>(all));
}

// --- 1. Wrappers

/// Counts polls in a row as one call: their number depends on time.
int countCall(int command) {
  static std::atomic<int> latest;
  const bool polls = command == kGetSemaphoreCounterValue || command == kGetFenceStatus;
  return latest.exchange(command) == command && polls ? allCalls.load() : ++allCalls;
}

/// The answer to a poll when nothing is over yet; of other commands, success.
template <int command, typename... Arguments> VkResult notYet([[maybe_unused]] Arguments... arguments) {
  if constexpr (command == kGetSemaphoreCounterValue)
    *std::get<2>(std::tuple(arguments...)) = 0;
  return command == kGetFenceStatus ? VK_NOT_READY : VK_SUCCESS;
}

/// The devices that there are, each twice.
VkResult listTwice(PFN_vkEnumeratePhysicalDevices list, VkInstance instance, uint32_t *count,
                   VkPhysicalDevice *devices) {
  *count /= 2;
  const VkResult result = list(instance, count, devices);
  for (uint32_t i = *count; devices && i-- > 0;)
    devices[2 * i] = devices[2 * i + 1] = devices[i];
  *count *= 2;
  return result;
}

template <int command, typename Function> struct Wrapper;
template <int command, typename Result, typename... Arguments>
struct Wrapper<command, Result(VKAPI_PTR *)(Arguments...)> {
  static Result VKAPI_CALL call(Arguments... arguments) {
    const int number = ++calls[command];
    const int ofAll = countCall(command);
    auto *forward = reinterpret_cast<Result(VKAPI_PTR *)(Arguments...)>(real[command]);
    if constexpr (std::is_same_v<Result, VkResult>) {
      if (lossAt != 0 && ofAll >= lossAt && maySayLost(command)) {
        hasFailed = true;
        if (command == kDeviceWaitIdle)
          forward(arguments...); // what a real device that is lost does not go on with, this one ends
        return VK_ERROR_DEVICE_LOST;
      }
      if (failing[command] && (persists[command] ? number >= failing[command] : number == failing[command])) {
        hasFailed = true;
        return failureOf(command);
      }
      VkResult result;
      if constexpr (command == kEnumeratePhysicalDevices)
        result = showsTwice ? listTwice(forward, arguments...) : forward(arguments...);
      else if constexpr (command == kAllocateMemory)
        result = allocate(forward, arguments...);
      else if constexpr (command == kMapMemory)
        result =
            isUnmappable(std::get<1>(std::tuple(arguments...))) ? VK_ERROR_MEMORY_MAP_FAILED : forward(arguments...);
      else
        result = forward(arguments...);
      if (defiesPolls && result == VK_SUCCESS)
        result = notYet<command>(arguments...);
      live += makes(kNames[command]) && result == VK_SUCCESS;
      if (result == VK_SUCCESS)
        watch<command>(arguments...);
      return result;
    } else if constexpr (std::is_void_v<Result>) {
      live -= destroys(kNames[command]);
      watch<command>(arguments...);
      forward(arguments...);
      disguise<command>(arguments...);
    } else {
      return forward(arguments...);
    }
  }
};

PFN_vkVoidFunction wrapperOf(int command) {
  switch (command) {
#define NACRE_VK_ROW(name)                                                                                             \
  case k##name:                                                                                                        \
    return reinterpret_cast<PFN_vkVoidFunction>(&Wrapper<k##name, PFN_vk##name>::call);
#define NACRE_VK_GLOBAL(name) NACRE_VK_ROW(name)
#define NACRE_VK_INSTANCE(name) NACRE_VK_ROW(name)
#define NACRE_VK_DEVICE(name) NACRE_VK_ROW(name)
#define NACRE_VK_OPTIONAL(name) NACRE_VK_ROW(name)
#include "runtime/src/gpu_vulkan/entry_points.def"
#undef NACRE_VK_ROW
  }
  return nullptr;
}

/// The wrapper of a command whose real address is `address`.
PFN_vkVoidFunction wrap(const char *name, PFN_vkVoidFunction address) {
  const int command = find(std::string_view(name).substr(2));
  if (command < 0 || !address)
    return address;
  if (hidden[command]) {
    hasFailed = true;
    return nullptr;
  }
  real[command] = address;
  return wrapperOf(command);
}

PFN_vkVoidFunction VKAPI_CALL getDeviceAddress(VkDevice device, const char *name) {
  ++calls[kGetDeviceProcAddr];
  return wrap(name, reinterpret_cast<PFN_vkGetDeviceProcAddr>(real[kGetDeviceProcAddr])(device, name));
}

PFN_vkGetInstanceProcAddr realLookup() {
  // Where this library is called libvulkan.so.1 itself, the system's is named by its path.
  const char *path = std::getenv("NACRE_REAL_VULKAN");
  static void *library = dlopen(path ? path : "libvulkan.so.1", RTLD_NOW);
  return library ? reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr")) : nullptr;
}

} // namespace

extern "C" {
__attribute__((visibility("default"))) PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance,
                                                                                           const char *name) {
  static const PFN_vkGetInstanceProcAddr lookup = realLookup();
  const PFN_vkVoidFunction found = wrap(name, lookup ? lookup(instance, name) : nullptr);
  return found && std::strcmp(name, "vkGetDeviceProcAddr") == 0 ? reinterpret_cast<PFN_vkVoidFunction>(getDeviceAddress)
                                                                : found;
}

void fakeVulkanReset() {
  for (int i = 0; i < kCount; ++i) {
    calls[i] = failing[i] = 0;
    hidden[i] = persists[i] = false;
  }
  hasFailed = defiesPolls = showsTwice = false;
  live = allCalls = lossAt = 0;
  forgetWatched();
}

void fakeVulkanLoseDevice(int call) {
  allCalls = 0;
  lossAt = call;
}
int fakeVulkanAllCalls() { return allCalls; }
void fakeVulkanCopies(uint64_t *toGpu, uint64_t *toCpu, uint64_t *inside) {
  std::lock_guard<std::mutex> lock(watching);
  *toGpu = copied.toGpu;
  *toCpu = copied.toCpu;
  *inside = copied.inside;
}
uint64_t fakeVulkanPeakBytes() {
  std::lock_guard<std::mutex> lock(watching);
  return peak;
}

void fakeVulkanFail(const char *name, int call) { failing[find(name)] = call; }
void fakeVulkanFailFrom(const char *name, int call) {
  fakeVulkanFail(name, call);
  persists[find(name)] = true;
}
void fakeVulkanDefyPolls() { defiesPolls = true; }
void fakeVulkanShowTwice() { showsTwice = true; }
void fakeVulkanHide(const char *name) { hidden[find(name)] = true; }
int fakeVulkanCalls(const char *name) { return calls[find(name)]; }
int fakeVulkanLiveObjects() { return live; }
bool fakeVulkanHasFailed() { return hasFailed; }
}
