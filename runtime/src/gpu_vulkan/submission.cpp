// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements submission.h. The queue and the CPU each have a timeline semaphore. They cannot use one together: its
// value must grow with each signal, and neither engine knows when the other one signals.

#include "runtime/src/gpu_vulkan/submission.h"
#include "runtime/src/platform.h"

namespace nacre::runtime::gpu {
namespace {

/// Stages of a batch that wait for the CPU: all stages.
constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

/// Nanoseconds for which a wait polls before it sleeps. Waking up takes tens of microseconds. In some sandboxes, it
/// takes longer than a run of a small network. Longer polling would only use energy.
constexpr uint64_t kPollingTime = 1000000;

/// Sets `over` to true if the first `number` batches finish within the polling time.
bool poll(const Device &device, uint64_t number, bool &over, Reason &reason) {
  const VulkanApi &vk = device.loader.vk;
  const Meeting &meeting = device.meeting;
  for (const uint64_t end = now() + kPollingTime; !over && now() < end; yield_core()) {
    if (meeting.gpu) {
      uint64_t reached = 0;
      if (!succeeded(vk.GetSemaphoreCounterValue(device.handle, meeting.gpu, &reached), "vkGetSemaphoreCounterValue",
                     reason))
        return false;
      over = reached >= number;
    } else {
      const VkResult result = vk.GetFenceStatus(device.handle, meeting.fence);
      if (result != VK_NOT_READY && !succeeded(result, "vkGetFenceStatus", reason))
        return false;
      over = result == VK_SUCCESS;
    }
  }
  return true;
}

bool make_timeline(Device &device, VkSemaphore &timeline, Reason &reason) {
  VkSemaphoreTypeCreateInfo type = {};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  return succeeded(device.loader.vk.CreateSemaphore(device.handle, &info, nullptr, &timeline), "vkCreateSemaphore",
                   reason);
}

} // namespace

bool make_meeting(Device &device, Reason &reason) {
  const VulkanApi &vk = device.loader.vk;
  if (device.traits.timeline && vk.WaitSemaphores && vk.SignalSemaphore && vk.GetSemaphoreCounterValue)
    return make_timeline(device, device.meeting.gpu, reason) &&
           (!device.traits.unified || make_timeline(device, device.meeting.cpu, reason));
  VkFenceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  return succeeded(vk.CreateFence(device.handle, &info, nullptr, &device.meeting.fence), "vkCreateFence", reason);
}

void destroy_meeting(Device &device) {
  const VulkanApi &vk = device.loader.vk;
  if (device.meeting.gpu)
    vk.DestroySemaphore(device.handle, device.meeting.gpu, nullptr);
  if (device.meeting.cpu)
    vk.DestroySemaphore(device.handle, device.meeting.cpu, nullptr);
  if (device.meeting.fence)
    vk.DestroyFence(device.handle, device.meeting.fence, nullptr);
  device.meeting = {};
}

bool make_submissions(uint32_t count, MemoryPool &pool, Submissions &submissions) {
  submissions = {pool.take_array<VkSubmitInfo>(count), pool.take_array<VkTimelineSemaphoreSubmitInfo>(count),
                 pool.take_array<uint64_t>(count), pool.take_array<uint64_t>(count), count};
  return !pool.failed();
}

bool submit(Device &device, Submissions &submissions, Reason &reason) {
  Meeting &meeting = device.meeting;
  uint64_t promised = meeting.promised;
  for (uint32_t i = 0; i < submissions.count; ++i) {
    VkSubmitInfo &info = submissions.infos[i];
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    if (!meeting.gpu)
      continue;
    VkTimelineSemaphoreSubmitInfo &timeline = submissions.timelines[i];
    timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    submissions.dones[i] = meeting.submitted + i + 1;
    timeline.signalSemaphoreValueCount = info.signalSemaphoreCount = 1;
    timeline.pSignalSemaphoreValues = &submissions.dones[i];
    info.pSignalSemaphores = &meeting.gpu;
    timeline.waitSemaphoreValueCount = info.waitSemaphoreCount = submissions.awaits[i] != 0;
    timeline.pWaitSemaphoreValues = &submissions.awaits[i];
    info.pWaitSemaphores = &meeting.cpu;
    info.pWaitDstStageMask = &kAll;
    info.pNext = &timeline;
    promised = submissions.awaits[i] > promised ? submissions.awaits[i] : promised;
  }
  // Set before the call, because some batches may be in progress even if the driver returns an error.
  meeting.promised = promised;
  if (!succeeded(device.loader.vk.QueueSubmit(device.queue, submissions.count, submissions.infos, meeting.fence),
                 "vkQueueSubmit", reason))
    return false;
  meeting.submitted += submissions.count;
  return true;
}

bool submit(Device &device, const VkCommandBuffer &commands, Reason &reason) {
  VkSubmitInfo info = {};
  VkTimelineSemaphoreSubmitInfo timeline = {};
  uint64_t done = 0, none = 0;
  info.pCommandBuffers = &commands;
  Submissions one = {&info, &timeline, &done, &none, 1};
  return submit(device, one, reason);
}

bool wait_for(Device &device, uint64_t number, Reason &reason) {
  const VulkanApi &vk = device.loader.vk;
  Meeting &meeting = device.meeting;
  if (meeting.waited >= number)
    return true;
  bool over = false;
  if (!poll(device, number, over, reason))
    return false;
  if (meeting.gpu && !over) {
    VkSemaphoreWaitInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    info.semaphoreCount = 1;
    info.pSemaphores = &meeting.gpu;
    info.pValues = &number;
    if (!succeeded(vk.WaitSemaphores(device.handle, &info, UINT64_MAX), "vkWaitSemaphores", reason))
      return false;
  }
  if (meeting.fence) {
    if (!over &&
        !succeeded(vk.WaitForFences(device.handle, 1, &meeting.fence, VK_TRUE, UINT64_MAX), "vkWaitForFences", reason))
      return false;
    if (!succeeded(vk.ResetFences(device.handle, 1, &meeting.fence), "vkResetFences", reason))
      return false;
  }
  meeting.waited = number;
  return true;
}

bool signal(Device &device, uint64_t word, Reason &reason) {
  if (word <= device.meeting.signalled)
    return true;
  VkSemaphoreSignalInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
  info.semaphore = device.meeting.cpu;
  info.value = word;
  if (!succeeded(device.loader.vk.SignalSemaphore(device.handle, &info), "vkSignalSemaphore", reason))
    return false;
  device.meeting.signalled = word;
  return true;
}

bool drain(Device &device) {
  Reason reason; // Not reported, because the session already has a reason or is being destroyed.
  if (!signal(device, device.meeting.promised, reason))
    return false;
  device.loader.vk.DeviceWaitIdle(device.handle); // If this call fails, the device is lost and computes nothing any
                                                  // more.
  return true;
}

} // namespace nacre::runtime::gpu
