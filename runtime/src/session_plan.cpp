// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the checks and the layout of session_plan.h.
// How: 1. versions, 2. options, 3. threads. entry_check.cpp checks the entry's tables, and block.h lays out the block.

#include "runtime/src/session_plan.h"
#include "runtime/include/nacre/weights_format.h"
#include "runtime/src/big_cores.h"
#include "runtime/src/block.h"
#include "runtime/src/cpu_features.h"
#include "runtime/src/state.h"
#include "runtime/src/thread_pool.h"

namespace nacre::runtime {
namespace {

// --- 1. Versions
// ------------------------------------------------------------------------------------------------------

nacre_status check_versions(const nacre_model_table &model, uint32_t api_version, Reason &reason) {
  if (api_version > NACRE_API_VERSION) {
    reason << "the app's nacre/runtime.h must have version " << uint64_t(NACRE_API_VERSION)
           << " or older for this model, but has version " << uint64_t(api_version)
           << "; compile the model with the newer Nacre";
    return NACRE_UNSUPPORTED;
  }
  static constexpr nacre_row_sizes expected = NACRE_ROW_SIZES;
  if (model.format_version != NACRE_FORMAT_VERSION || !equal_bytes(&model.sizes, &expected, sizeof expected)) {
    reason << "the model's tables must have format " << uint64_t(NACRE_FORMAT_VERSION) << ", but have format "
           << uint64_t(model.format_version) << "; compile the model again";
    return NACRE_UNSUPPORTED;
  }
  return NACRE_OK;
}

// --- 2. Options
// -------------------------------------------------------------------------------------------------------

nacre_status check_options(const nacre_model_table &model, SessionPlan &plan, Reason &reason) {
  const nacre_session_options &options = plan.options;
  if (options.gpu == NACRE_GPU_REQUIRED && !model.gpu_engine) {
    reason << "the GPU cannot be required: this model has only code for the CPU";
    return NACRE_UNSUPPORTED;
  }
  if (options.gpu_cut > NACRE_GPU_CUT(100)) {
    reason << "gpu_cut must be 0 or NACRE_GPU_CUT of 0 to 100 percent, but is " << uint64_t(options.gpu_cut);
    return NACRE_BAD_ARGUMENT;
  }
  if (options.executor ? options.executor->struct_size < sizeof(nacre_executor) || options.executor->threads == 0 ||
                             !options.executor->run
                       : options.threads > kMaxThreads) {
    if (options.executor)
      reason << "the executor must have a struct_size, a function `run` and at least one thread";
    else
      reason << "threads must be at most " << uint64_t(kMaxThreads) << ", but is " << uint64_t(options.threads);
    return NACRE_BAD_ARGUMENT;
  }

  plan.weights = static_cast<const char *>(model.weights_data);
  if (const nacre_weights_functions *files = model.head.functions->weights) {
    char why[256] = "";
    if (nacre_status status =
            files->check(&model.head, options.weights, options.weights_bytes, /*reads_all=*/0, why, sizeof why)) {
      reason << why;
      return status;
    }
    plan.weights = static_cast<const char *>(options.weights) + sizeof(nacre_weights_header);
  }

  if (options.state && reinterpret_cast<const State *>(options.state)->model != &model) {
    reason << "the options' state belongs to another model";
    return NACRE_BAD_ARGUMENT;
  }
  plan.has_own_state = !options.state || options.gpu_self_test || options.tune_budget_ms;

  for (uint32_t i = 0; i < model.entry_count && !plan.view.entry; ++i)
    if (!options.entry || equal(options.entry, model.strings + model.entries[i].name))
      plan.view.entry = &model.entries[i];
  if (!plan.view.entry) {
    reason << "entry must be one of the model's, but is '" << (options.entry ? options.entry : "") << "'";
    return NACRE_BAD_ARGUMENT;
  }
  return NACRE_OK;
}

// --- 3. Threads
// -------------------------------------------------------------------------------------------------------

uint32_t choose_threads(const nacre_session_options &options) {
  if (options.executor)
    return options.executor->threads;
  uint32_t threads = options.threads ? options.threads : count_big_cores("", allowed_cpus());
  return threads < kMaxThreads ? threads : kMaxThreads;
}

} // namespace

nacre_status plan_session(const nacre_model *model, uint32_t api_version, const nacre_session_options *options,
                          SessionPlan &plan, Reason &reason) {
  plan = {};
  plan.options = nacre_session_options_default();
  if (options) {
    if (options->struct_size < offsetof(nacre_session_options, threads)) {
      reason << "the options' struct_size must be sizeof(nacre_session_options), but is "
             << uint64_t(options->struct_size) << "; start from nacre_session_options_default()";
      return NACRE_BAD_ARGUMENT;
    }
    const size_t known = sizeof(nacre_session_options);
    __builtin_memcpy(&plan.options, options, options->struct_size < known ? options->struct_size : known);
  }
  plan.model = reinterpret_cast<const nacre_model_table *>(model);
  if (nacre_status status = check_versions(*plan.model, api_version, reason))
    return status;
  if (nacre_status status = check_options(*plan.model, plan, reason))
    return status;
  plan.features = cpu_features(*plan.model);
  plan.memory.threads = choose_threads(plan.options);
  if (nacre_status status = check_entry(plan, reason))
    return status;
  if (!slots_of(*plan.model).check_state(*plan.model, reason))
    return NACRE_UNSUPPORTED;
  uint64_t end = aligned(sizeof(Session));
  place_entry(plan, end);
  place_shared(plan, end);
  return NACRE_OK;
}

} // namespace nacre::runtime
