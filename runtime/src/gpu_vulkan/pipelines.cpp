// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements pipelines.h: 1. layouts; 2. the pipelines, which threads claim one by one.

#include "runtime/src/gpu_vulkan/pipelines.h"
#include "runtime/src/gpu_vulkan/special_values.h"
#include "runtime/src/gpu_vulkan/unpack_code.h"
#include "runtime/src/platform.h"
#include "runtime/src/session.h"

namespace nacre::runtime::gpu {
namespace {

// --- 1. Layouts

bool make_layout(Device &device, uint32_t bindings, Pipelines &pipelines, Reason &reason) {
  if (pipelines.layouts[bindings])
    return true;
  const VulkanApi &vk = device.loader.vk;
  VkDescriptorSetLayoutBinding rows[kMaxBindings] = {};
  for (uint32_t i = 0; i < bindings; ++i)
    rows[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set = {};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = bindings;
  set.pBindings = rows;
  if (!succeeded(vk.CreateDescriptorSetLayout(device.handle, &set, nullptr, &pipelines.sets[bindings]),
                 "vkCreateDescriptorSetLayout", reason))
    return false;
  const VkPushConstantRange constants = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(PushConstants)};
  VkPipelineLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 1;
  info.pSetLayouts = &pipelines.sets[bindings];
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &constants;
  return succeeded(vk.CreatePipelineLayout(device.handle, &info, nullptr, &pipelines.layouts[bindings]),
                   "vkCreatePipelineLayout", reason);
}

// --- 2. Pipelines

struct Job {
  Code code;
  VkResult result;
  Reason reason;
};

constexpr uint32_t kMostThreads = 4; // Largest number of compiling threads. More threads are no faster on phones,
                                     // because drivers take locks.

struct JobQueue {
  Device *device;
  const Session *session;
  Pipelines *pipelines;
  Job *jobs;
  char *words; // Memory for unpacked code; each thread has `words_bytes` bytes.
  uint64_t words_bytes;
  uint32_t count;
  uint32_t next; // Index of the next job. Threads increment `next` and `threads` atomically.
  uint32_t threads;
};

const nacre_gpu_variant &variant_of(const Session &session, const Code &code) {
  return session.model->kernels[code.kernel].gpu[code.variant];
}

bool is_cancelled(const Session &session) { return __atomic_load_n(&session.start.cancelled, __ATOMIC_RELAXED); }

void make_pipeline(Device &device, const nacre_gpu_variant &variant, Pipelines &pipelines, uint32_t *words, Job &job) {
  const VulkanApi &vk = device.loader.vk;
  const uint32_t added = device.traits.preserves ? kPreservingWords : 0;
  const uint32_t count = variant.code_bytes / sizeof(uint32_t);
  if (!unpack_code(variant, words + added) || (added && !preserve_special_values(words, count))) {
    job.result = VK_ERROR_INITIALIZATION_FAILED;
    job.reason << "it is damaged; compile the model again";
    return;
  }
  VkShaderModuleCreateInfo code = {};
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = variant.code_bytes + added * sizeof(uint32_t);
  code.pCode = words;
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.pName = "main";
  info.layout = pipelines.layouts[variant.binding_count];
  // Nacre's kernels stay within their buffers. A driver that checks each load anyway (NVIDIA's) makes them slower.
  VkPipelineRobustnessCreateInfoEXT unchecked = {};
  unchecked.sType = VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT;
  unchecked.storageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT;
  if (device.traits.unchecked)
    info.pNext = &unchecked;
  job.result = vk.CreateShaderModule(device.handle, &code, nullptr, &info.stage.module);
  if (!succeeded(job.result, "vkCreateShaderModule", job.reason))
    return;
  VkPipeline pipeline = {};
  job.result = vk.CreateComputePipelines(device.handle, pipelines.cache, 1, &info, nullptr, &pipeline);
  vk.DestroyShaderModule(device.handle, info.stage.module, nullptr);
  if (succeeded(job.result, "vkCreateComputePipelines", job.reason))
    pipeline_of(pipelines, job.code) = pipeline;
}

void *run_jobs(void *argument) {
  JobQueue &queue = *static_cast<JobQueue *>(argument);
  char *words = queue.words + __atomic_fetch_add(&queue.threads, 1, __ATOMIC_RELAXED) * queue.words_bytes;
  for (uint32_t i;
       !is_cancelled(*queue.session) && (i = __atomic_fetch_add(&queue.next, 1, __ATOMIC_RELAXED)) < queue.count;)
    make_pipeline(*queue.device, variant_of(*queue.session, queue.jobs[i].code), *queue.pipelines,
                  reinterpret_cast<uint32_t *>(words), queue.jobs[i]);
  return nullptr;
}

void run_on_threads(JobQueue &queue) {
  ThreadHandle threads[kMostThreads - 1];
  uint32_t started = 0;
  // The first thread is this one. Fewer threads than wanted are enough.
  while (started + 1 < kMostThreads && started + 1 < queue.count && start_thread(threads[started], run_jobs, &queue))
    ++started;
  run_jobs(&queue);
  while (started)
    join_thread(threads[--started]);
}

bool prepare(JobQueue &queue, const List<Code> &wanted, MemoryPool &scratch, Reason &reason) {
  queue.jobs = scratch.take_array<Job>(wanted.count);
  for (const Code &code : wanted)
    if (queue.jobs && !pipeline_of(*queue.pipelines, code)) {
      queue.jobs[queue.count++] = {code, VK_SUCCESS, {}};
      const nacre_gpu_variant &variant = variant_of(*queue.session, code);
      if (variant.code_bytes > queue.words_bytes)
        queue.words_bytes = variant.code_bytes;
      if (!make_layout(*queue.device, variant.binding_count, *queue.pipelines, reason))
        return false;
    }
  queue.words_bytes += kPreservingWords * sizeof(uint32_t);
  queue.words = scratch.take_array<char>(kMostThreads * queue.words_bytes);
  return !scratch.failed() || refuse_memory(reason);
}

bool judge(const JobQueue &queue, uint64_t *barred, Reason &refused, Reason &reason) {
  const Session &session = *queue.session;
  if (is_cancelled(session)) {
    reason << "the session is being destroyed";
    return false;
  }
  for (uint32_t i = 0; i < queue.count; ++i) {
    const Job &job = queue.jobs[i];
    if (job.result == VK_SUCCESS) {
      ++queue.pipelines->count;
      continue;
    }
    if (job.result == VK_ERROR_DEVICE_LOST) {
      reason << job.reason.c_str();
      return false;
    }
    barred[job.code.kernel] |= uint64_t(1) << job.code.variant;
    Reason why;
    why << "kernel '" << session.model->strings + session.model->kernels[job.code.kernel].name << "', code "
        << uint64_t(job.code.variant) << " of it, is not used: " << job.reason.c_str();
    tell(session, why);
    refused = why;
  }
  return true;
}

} // namespace

bool open_pipelines(Device &device, const Session &session, CacheFile &file, MemoryPool &pool, Pipelines &pipelines,
                    Reason &reason) {
  const nacre_model_table &model = *session.model;
  pipelines.first = pool.take_array<uint32_t>(model.kernel_count);
  for (uint32_t i = 0; i < model.kernel_count && pipelines.first; ++i) {
    pipelines.first[i] = pipelines.variant_count;
    pipelines.variant_count += model.kernels[i].gpu_count;
  }
  pipelines.made = pool.take_array<VkPipeline>(pipelines.variant_count);
  if (pool.failed())
    return refuse_memory(reason);
  MemoryPool data(session.allocator);
  VkPipelineCacheCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  uint64_t bytes = 0;
  info.pInitialData = file.read(session, data, bytes);
  info.initialDataSize = bytes;
  const bool good = succeeded(device.loader.vk.CreatePipelineCache(device.handle, &info, nullptr, &pipelines.cache),
                              "vkCreatePipelineCache", reason);
  data.release();
  return good;
}

bool make_pipelines(Device &device, const Session &session, const List<Code> &wanted, Pipelines &pipelines,
                    uint64_t *barred, Reason &refused, Reason &reason) {
  MemoryPool scratch(session.allocator);
  JobQueue queue = {};
  queue.device = &device;
  queue.session = &session;
  queue.pipelines = &pipelines;
  const bool good = prepare(queue, wanted, scratch, reason);
  if (good)
    run_on_threads(queue);
  const bool all = good && judge(queue, barred, refused, reason);
  scratch.release();
  return all;
}

void save_pipelines(Device &device, const nacre_allocator &allocator, CacheFile &file, const Pipelines &pipelines) {
  const VulkanApi &vk = device.loader.vk;
  size_t bytes = 0;
  // Pipeline caches only grow, so a cache of the same size contains nothing new.
  if (vk.GetPipelineCacheData(device.handle, pipelines.cache, &bytes, nullptr) != VK_SUCCESS ||
      bytes == file.data_bytes())
    return;
  MemoryPool pool(allocator);
  void *data = pool.take(bytes);
  if (data && vk.GetPipelineCacheData(device.handle, pipelines.cache, &bytes, data) == VK_SUCCESS)
    file.write(data, bytes);
  pool.release();
}

void destroy_pipelines(Device &device, Pipelines &pipelines) {
  const VulkanApi &vk = device.loader.vk;
  for (uint32_t i = 0; pipelines.made && i < pipelines.variant_count; ++i)
    if (pipelines.made[i])
      vk.DestroyPipeline(device.handle, pipelines.made[i], nullptr);
  if (pipelines.cache)
    vk.DestroyPipelineCache(device.handle, pipelines.cache, nullptr);
  for (uint32_t i = 0; i <= kMaxBindings; ++i) {
    if (pipelines.layouts[i])
      vk.DestroyPipelineLayout(device.handle, pipelines.layouts[i], nullptr);
    if (pipelines.sets[i])
      vk.DestroyDescriptorSetLayout(device.handle, pipelines.sets[i], nullptr);
  }
  pipelines = {};
}

} // namespace nacre::runtime::gpu
