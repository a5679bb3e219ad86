// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares each kernel's GPU code with its CPU code.
// Why: some drivers compile kernels wrongly, and only the results show it.
// How: each walk through the entry tests one variant of each kernel, until all are tested.

#include "runtime/src/gpu_vulkan/trials/measuring.h"

namespace nacre::runtime::gpu {
namespace {

/// Chooses the variant of the part's kernel that is tested next. Returns false if all variants are tested.
bool choose_test(Measuring &measuring, const Part &part) {
  Engine &engine = measuring.engine;
  const Code code = code_of(engine, part.step);
  if (!measuring.tries_all)
    return measuring.in_use[code.kernel] && measuring.verdicts[index_of(engine, code)] == Untested;
  for (uint32_t i = 0; i < engine.session->model->kernels[code.kernel].gpu_count && i < kMaxVariants; ++i)
    if (measuring.verdicts[index_of(engine, {code.kernel, i})] == Untested && wish_for(measuring, part, OnGpu, i + 1))
      return true;
  return false;
}

/// Tests one variant of each kernel. Sets `more` to true if there was a variant to test.
bool test(Measuring &measuring, Rehearsal &rehearsal, bool &more) {
  Engine &engine = measuring.engine;
  const Session &session = *engine.session;
  more = false;
  return walk(measuring, [&](const Part &part, bool first) {
    const bool tests = first && choose_test(measuring, part);
    if (tests) {
      bring(rehearsal, part);
      if (!record(rehearsal, part, 1, true) || !begin(rehearsal) || !end(rehearsal))
        return false;
    }
    compute_on_cpu(session, part);
    if (tests)
      measuring.verdicts[index_of(engine, code_of(engine, part.step))] = agrees(rehearsal, part) ? Right : Wrong;
    more |= tests;
    return true;
  });
}

} // namespace

void judge(Measuring &measuring) {
  Engine &engine = measuring.engine;
  const nacre_model_table &model = *engine.session->model;
  for (uint32_t kernel = 0; kernel < model.kernel_count; ++kernel)
    for (uint32_t i = 0; i < model.kernels[kernel].gpu_count && i < kMaxVariants; ++i) {
      if (measuring.verdicts[index_of(engine, {kernel, i})] != Wrong || (engine.barred[kernel] >> i & 1))
        continue;
      engine.barred[kernel] |= uint64_t(1) << i;
      Reason why;
      why << "kernel '" << model.strings + model.kernels[kernel].name << "', code " << uint64_t(i)
          << " of it, is not used: its result differs from the CPU's";
      tell(*engine.session, why);
      engine.refused = why;
    }
}

bool test_all(Measuring &measuring, Rehearsal &rehearsal) {
  for (bool more = true; more;) {
    if (!test(measuring, rehearsal, more))
      return false;
    judge(measuring);
    if (!make_code(measuring.engine, measuring.reason))
      return false;
  }
  return true;
}

} // namespace nacre::runtime::gpu
