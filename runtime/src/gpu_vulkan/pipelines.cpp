// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see pipelines.h.
// Why:   see there.
// How:   1. layouts, 2. the pipelines, claimed by threads one by one.

#include "runtime/src/gpu_vulkan/pipelines.h"
#include "runtime/src/gpu_vulkan/pipeline_cache.h"
#include "runtime/src/platform.h"

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
  const VkPushConstantRange constants = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(ShareConstants)};
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
  uint32_t kernel;
  const nacre_gpu_variant *variant;
};

struct Work {
  Device *device;
  Pipelines *pipelines;
  const List<Job> *jobs;
  uint32_t next; // claimed by adding to it
};

/// One thread's; failures are told apart after all have ended.
struct Worker {
  Work *work;
  ThreadHandle thread;
  bool failed;
  Reason reason;
};

bool make_pipeline(Device &device, Pipelines &pipelines, const Job &job, Reason &reason) {
  const VulkanApi &vk = device.loader.vk;
  VkShaderModuleCreateInfo code = {};
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = job.variant->code_bytes;
  code.pCode = job.variant->code;
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.pName = "main";
  info.layout = pipelines.layouts[job.variant->binding_count];
  if (!succeeded(vk.CreateShaderModule(device.handle, &code, nullptr, &info.stage.module), "vkCreateShaderModule",
                 reason))
    return false;
  VkPipeline pipeline = {};
  const bool good = succeeded(vk.CreateComputePipelines(device.handle, pipelines.cache, 1, &info, nullptr, &pipeline),
                              "vkCreateComputePipelines", reason);
  vk.DestroyShaderModule(device.handle, info.stage.module, nullptr);
  if (good)
    pipelines.of_kernel[job.kernel] = pipeline;
  return good;
}

void *run_worker(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  Work &work = *worker.work;
  for (uint32_t job; !worker.failed && (job = __atomic_fetch_add(&work.next, 1, __ATOMIC_RELAXED)) < work.jobs->count;)
    worker.failed = !make_pipeline(*work.device, *work.pipelines, (*work.jobs)[job], worker.reason);
  return nullptr;
}

bool make_all(Device &device, const List<Job> &jobs, Pipelines &pipelines, Reason &reason) {
  constexpr uint32_t most = 4; // more gain nothing on phones, whose drivers take locks
  Work work = {&device, &pipelines, &jobs, 0};
  Worker workers[most] = {};
  uint32_t started = 0;
  for (Worker &worker : workers)
    worker.work = &work;
  // The first is this thread; fewer than wanted will do.
  while (started + 1 < most && started + 1 < jobs.count &&
         start_thread(workers[started + 1].thread, run_worker, &workers[started + 1]))
    ++started;
  run_worker(&workers[0]);
  for (uint32_t i = 1; i <= started; ++i)
    join_thread(workers[i].thread);
  for (Worker &worker : workers)
    if (worker.failed) {
      reason << worker.reason.c_str();
      return false;
    }
  return true;
}

} // namespace

bool make_pipelines(Device &device, const nacre_model_table &model, const nacre_entry &entry, const Share *shares,
                    const char *cache_folder, const nacre_allocator &allocator, Pool &pool, Pipelines &pipelines,
                    Reason &reason) {
  pipelines.kernel_count = model.kernel_count;
  pipelines.of_kernel = pool.take_array<VkPipeline>(model.kernel_count);
  auto *seen = pool.take_array<bool>(model.kernel_count);
  List<Job> jobs = {};
  uint64_t code_hash = hash(nullptr, 0);
  for (uint32_t i = 0; i < entry.step_count && !pool.failed(); ++i) {
    const uint32_t kernel = entry.steps[i].kernel;
    if (!shares[i].on_gpu() || seen[kernel])
      continue;
    seen[kernel] = true;
    const nacre_gpu_variant *variant = shares[i].variant;
    jobs.add(pool, {kernel, variant});
    code_hash = hash(variant->code, variant->code_bytes, code_hash);
    if (!make_layout(device, variant->binding_count, pipelines, reason))
      return false;
  }
  if (pool.failed()) {
    reason << "the allocator refused memory for GPU pipelines";
    return false;
  }
  CacheHead head;
  if (!open_cache(device, cache_folder, code_hash, allocator, head, pipelines.cache, reason) ||
      !make_all(device, jobs, pipelines, reason))
    return false;
  pipelines.count = jobs.count;
  save_cache(device, cache_folder, allocator, head, pipelines.cache);
  return true;
}

void destroy_pipelines(Device &device, Pipelines &pipelines) {
  const VulkanApi &vk = device.loader.vk;
  for (uint32_t i = 0; pipelines.of_kernel && i < pipelines.kernel_count; ++i)
    if (pipelines.of_kernel[i])
      vk.DestroyPipeline(device.handle, pipelines.of_kernel[i], nullptr);
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
