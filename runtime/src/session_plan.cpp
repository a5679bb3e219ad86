// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the checks and the layout of session_plan.h.
// How: 1. versions, 2. options, 3. the CPU, 4. the entry's steps, 5. the sizes of its outputs, 6. threads, 7. the
//         block.

#include "runtime/src/session_plan.h"
#include "runtime/include/nacre/weights_format.h"
#include "runtime/src/big_cores.h"
#include "runtime/src/cpu_features.h"
#include "runtime/src/session.h"

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
  if (!plan.weights && model.weights_bytes != 0) {
    reason << "the model's tables are damaged: they have no weights; compile the model again";
    return NACRE_UNSUPPORTED;
  }

  if (options.state && reinterpret_cast<const State *>(options.state)->model != &model) {
    reason << "the options' state belongs to another model";
    return NACRE_BAD_ARGUMENT;
  }
  plan.has_own_state = !options.state || options.gpu_self_test || options.tune_budget_ms;

  for (uint32_t i = 0; i < model.entry_count && !plan.entry; ++i)
    if (!options.entry || equal(options.entry, model.strings + model.entries[i].name))
      plan.entry = &model.entries[i];
  if (!plan.entry) {
    reason << "entry must be one of the model's, but is '" << (options.entry ? options.entry : "") << "'";
    return NACRE_BAD_ARGUMENT;
  }
  return NACRE_OK;
}

// --- 3. The CPU
// -------------------------------------------------------------------------------------------------------

nacre_status refuse_cpu(const char *who, uint64_t needs, uint64_t features, Reason &reason) {
  reason << who << " needs a CPU with";
  for (unsigned bit = 0; bit < 64; ++bit)
    if (needs & ~features & NACRE_CPU_NEED(bit))
      reason << " " << cpu_feature_name(bit);
  reason << ", which this one lacks; compile for it with --cpu";
  return NACRE_UNSUPPORTED;
}

// --- 4. The entry's steps
// ---------------------------------------------------------------------------------------------

nacre_status refuse_table(const char *name, Reason &reason) {
  reason << "the model's tables are damaged at step '" << name << "'; compile the model again";
  return NACRE_UNSUPPORTED;
}

bool is_known(const nacre_operand &operand, const SessionPlan &plan) {
  switch (operand.space) {
  case NACRE_SPACE_ARENA:
    return operand.offset <= plan.entry->arena_bytes;
  case NACRE_SPACE_STATE:
    return operand.offset <= plan.model->state_bytes;
  case NACRE_SPACE_INPUT:
    return operand.index < plan.entry->input_count;
  case NACRE_SPACE_OUTPUT:
    return operand.index < plan.entry->output_count;
  case NACRE_SPACE_WEIGHT:
    return operand.index < plan.model->weight_count;
  }
  return false;
}

/// Memory and operands that suffice for any launch.
struct Demand {
  uint64_t scratch_bytes = 0;
  uint32_t operands = 0;
};

nacre_status check_launch(const nacre_step &step, const SessionPlan &plan, Demand &demand, Reason &reason) {
  const char *name = plan.model->strings + step.name;
  if (step.kernel >= plan.model->kernel_count || step.first_operand > plan.entry->operand_count ||
      step.operand_count > plan.entry->operand_count - step.first_operand)
    return refuse_table(name, reason);
  for (uint32_t i = 0; i < step.operand_count; ++i)
    if (!is_known(plan.entry->operands[step.first_operand + i], plan))
      return refuse_table(name, reason);
  const nacre_kernel &kernel = plan.model->kernels[step.kernel];
  const nacre_cpu_variant *variant = choose_variant(kernel, plan.features);
  if (!variant)
    return refuse_cpu(name, kernel.cpu_count ? kernel.cpu[kernel.cpu_count - 1].needs : 0, plan.features, reason);
  demand.scratch_bytes = variant->scratch_bytes > demand.scratch_bytes ? variant->scratch_bytes : demand.scratch_bytes;
  demand.operands = step.operand_count > demand.operands ? step.operand_count : demand.operands;
  return NACRE_OK;
}

/// Returns the size in bytes of the storage or region that contains an operand.
uint64_t bytes_around(const nacre_operand &operand, const SessionPlan &plan) {
  switch (operand.space) {
  case NACRE_SPACE_ARENA:
    return plan.entry->arena_bytes;
  case NACRE_SPACE_STATE:
    return plan.model->state_bytes;
  case NACRE_SPACE_INPUT:
    return plan.entry->inputs[operand.index].bytes;
  case NACRE_SPACE_OUTPUT:
    return plan.entry->outputs[operand.index].bytes;
  default:
    return plan.model->weights[operand.index].bytes;
  }
}

/// True if a test or branch has one operand of `bytes` bytes that it can read in every iteration of the loop around it.
bool can_decide(const nacre_step &step, uint64_t bytes, int64_t iterations, const SessionPlan &plan) {
  if (step.operand_count != 1 || step.first_operand >= plan.entry->operand_count)
    return false;
  const nacre_operand &operand = plan.entry->operands[step.first_operand];
  if (!is_known(operand, plan) || operand.bytes != bytes)
    return false;
  const __int128 first = operand.offset, last = first + __int128(operand.step) * (iterations - 1);
  const __int128 end = __int128(bytes_around(operand, plan)) - __int128(bytes);
  return first <= end && last >= 0 && last <= end;
}

/// Returns the step that closes the loop of step `begin`; step_count if no step does.
uint32_t end_of_loop(const nacre_entry &entry, uint32_t begin) {
  uint32_t depth = 0, i = begin;
  for (; i < entry.step_count; ++i) {
    depth += entry.steps[i].kind == NACRE_STEP_LOOP_BEGIN;
    depth -= entry.steps[i].kind == NACRE_STEP_LOOP_END;
    if (depth == 0)
      break;
  }
  return i;
}

/// True if step `target` comes after step `from` in the same loop, or is `end`, the end of that loop.
bool is_ahead(const nacre_entry &entry, uint32_t from, uint32_t target, uint32_t end) {
  if (target <= from || target > end)
    return false;
  uint32_t i = from + 1;
  while (i < target)
    i = (entry.steps[i].kind == NACRE_STEP_LOOP_BEGIN ? end_of_loop(entry, i) : i) + 1;
  return i == target;
}

/// Loops around a step. The first one stands for the entry, with one iteration.
struct Brackets {
  uint32_t depth;
  uint32_t ends[1 + NACRE_MAX_LOOP_DEPTH];
  int64_t iterations[1 + NACRE_MAX_LOOP_DEPTH];
};

bool check_control(const nacre_step &step, uint32_t i, const SessionPlan &plan, Brackets &around) {
  const nacre_entry &entry = *plan.entry;
  const uint32_t end = around.ends[around.depth];
  const int64_t iterations = around.iterations[around.depth];
  const bool reads = step.operand_count != 0;
  if (reads && !can_decide(step, step.kind == NACRE_STEP_LOOP_BEGIN ? sizeof(int64_t) : 1, iterations, plan))
    return false;
  switch (step.kind) {
  case NACRE_STEP_LOOP_BEGIN: {
    const uint32_t last = end_of_loop(entry, i);
    if (step.trip_count < 1 || around.depth == NACRE_MAX_LOOP_DEPTH || last == entry.step_count ||
        step.target != (reads ? last : 0))
      return false;
    ++around.depth;
    around.ends[around.depth] = last;
    around.iterations[around.depth] = step.trip_count;
    return true;
  }
  case NACRE_STEP_LOOP_END:
    return !reads && step.target == 0 && around.depth-- > 0;
  case NACRE_STEP_LOOP_TEST:
    return reads && around.depth > 0 && step.target == end;
  case NACRE_STEP_BRANCH_IF_ZERO:
  case NACRE_STEP_JUMP:
    return reads == (step.kind == NACRE_STEP_BRANCH_IF_ZERO) && is_ahead(entry, i, step.target, end);
  }
  return false;
}

nacre_status check_steps(const SessionPlan &plan, Demand &demand, Reason &reason) {
  Brackets around = {0, {plan.entry->step_count}, {1}};
  for (uint32_t i = 0; i < plan.entry->step_count; ++i) {
    const nacre_step &step = plan.entry->steps[i];
    if (step.kind == NACRE_STEP_LAUNCH && step.target == 0) {
      if (nacre_status status = check_launch(step, plan, demand, reason))
        return status;
    } else if (!check_control(step, i, plan, around)) {
      return refuse_table(plan.model->strings + step.name, reason);
    }
  }
  return around.depth == 0 ? NACRE_OK : refuse_table("end", reason);
}

// --- 5. The sizes of outputs, and classes
// ---------------------------------------------------------------------------------------------

/// True if `index` is the index of a hidden output that can hold the size of an axis.
bool is_count(const SessionPlan &plan, int64_t index) {
  const nacre_entry &entry = *plan.entry;
  if (index < int64_t(entry.output_count - entry.hidden_outputs) || index >= int64_t(entry.output_count))
    return false;
  const nacre_tensor &count = entry.outputs[index];
  return count.element_type == NACRE_I64 && count.rank == 0 && count.bytes == sizeof(int64_t);
}

/// True if the model's tables contain the number of classes and the ignored class of the input with labels.
bool is_label(const nacre_model_table &model, const nacre_tensor &input) {
  return input.first_count <= model.dim_count && model.dim_count - input.first_count >= 2 &&
         (input.element_type == NACRE_I32 || input.element_type == NACRE_I64);
}

nacre_status check_counts(const SessionPlan &plan, Reason &reason) {
  const nacre_model_table &model = *plan.model;
  bool good = plan.entry->hidden_outputs <= plan.entry->output_count;
  for (uint32_t i = 0; good && i < plan.entry->output_count; ++i) {
    const nacre_tensor &output = plan.entry->outputs[i];
    if (output.first_count == NACRE_NO_COUNTS)
      continue;
    good = output.first_count <= model.dim_count && output.rank <= model.dim_count - output.first_count;
    for (uint32_t axis = 0; good && axis < output.rank; ++axis) {
      const int64_t count = model.dims[output.first_count + axis];
      good = count == -1 || is_count(plan, count);
    }
  }
  for (uint32_t i = 0; good && i < plan.entry->input_count; ++i) {
    const nacre_tensor &input = plan.entry->inputs[i];
    good = input.first_count == NACRE_NO_COUNTS || is_label(model, input);
  }
  if (good)
    return NACRE_OK;
  reason << "the model's tables are damaged: sizes of outputs, or numbers of classes; compile the model again";
  return NACRE_UNSUPPORTED;
}

// --- 6. Threads
// -------------------------------------------------------------------------------------------------------

uint32_t choose_threads(const nacre_session_options &options) {
  if (options.executor)
    return options.executor->threads;
  uint32_t threads = options.threads ? options.threads : count_big_cores("", allowed_cpus());
  return threads < kMaxThreads ? threads : kMaxThreads;
}

// --- 7. The block
// -----------------------------------------------------------------------------------------------------

uint64_t tensor_bytes(const nacre_tensor *tensors, uint32_t count) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; ++i)
    bytes += aligned(tensors[i].bytes);
  return bytes;
}

void lay_out(SessionPlan &plan, const Demand &demand) {
  const nacre_entry &entry = *plan.entry;
  plan.scratch_stride = aligned(demand.scratch_bytes);
  nacre_memory_info &memory = plan.memory;
  memory.threads = choose_threads(plan.options);
  memory.arena_bytes = entry.arena_bytes;
  memory.input_bytes = tensor_bytes(entry.inputs, entry.input_count);
  memory.output_bytes = tensor_bytes(entry.outputs, entry.output_count);
  memory.state_bytes = plan.has_own_state ? plan.model->state_bytes : 0;
  memory.scratch_bytes = plan.scratch_stride * memory.threads;

  uint64_t end = aligned(sizeof(Session));
  auto take = [&end](uint64_t bytes) {
    uint64_t begin = end;
    end += aligned(bytes);
    return begin;
  };
  plan.inputs = take(entry.input_count * sizeof(Buffer));
  plan.outputs = take(entry.output_count * sizeof(Buffer));
  plan.launches = take(entry.step_count * sizeof(Launch));
  const uint64_t operands = demand.operands * sizeof(void *);
  const uint64_t ports = (uint64_t(entry.input_count) + entry.output_count) * sizeof(uint32_t);
  plan.pointers = take(operands > ports ? operands : ports);
  plan.times = take(plan.options.profile ? entry.step_count * sizeof(nacre_launch_time) : 0);
  plan.scratch = take(memory.scratch_bytes);
  plan.state = take(memory.state_bytes);
  plan.input_data = take(memory.input_bytes);
  plan.output_data = take(memory.output_bytes);
  plan.arena = take(memory.arena_bytes);
  memory.block_bytes = end;
}

} // namespace

const nacre_cpu_variant *choose_variant(const nacre_kernel &kernel, uint64_t features) {
  for (uint32_t i = 0; i < kernel.cpu_count; ++i)
    if ((kernel.cpu[i].needs & ~features) == 0)
      return &kernel.cpu[i];
  return nullptr;
}

bool has_gpu_share(const nacre_entry &entry) {
  for (uint32_t i = 0; i < entry.step_count; ++i)
    if (entry.steps[i].kind == NACRE_STEP_LAUNCH && entry.steps[i].gpu_begin < entry.steps[i].gpu_end)
      return true;
  return false;
}

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
  plan.features = cpu_features();
  if (plan.model->baseline_needs & ~plan.features)
    return refuse_cpu("the model", plan.model->baseline_needs, plan.features, reason);
  Demand demand;
  if (nacre_status status = check_steps(plan, demand, reason))
    return status;
  if (nacre_status status = check_counts(plan, reason))
    return status;
  if (!slots_of(*plan.model).check_state(*plan.model, reason))
    return NACRE_UNSUPPORTED;
  lay_out(plan, demand);
  return NACRE_OK;
}

} // namespace nacre::runtime
