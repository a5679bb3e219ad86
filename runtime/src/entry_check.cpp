// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the tables of one entry.
// Why: a session walks them without looking again, so a damaged table must be refused before.
// How: 1. the CPU's features, 2. steps and their operands, 3. the sizes of outputs and the numbers of classes. The walk
//      over the steps also collects the memory that launches need.

#include "runtime/src/cpu_features.h"
#include "runtime/src/session_plan.h"

namespace nacre::runtime {
namespace {

nacre_status refuse_table(const char *what, Reason &reason) {
  reason << "the model's tables are damaged at '" << what << "'; compile the model again";
  return NACRE_UNSUPPORTED;
}

void raise(uint64_t &most, uint64_t bytes) { most = bytes > most ? bytes : most; }

// --- 1. The CPU
// -------------------------------------------------------------------------------------------------------

nacre_status refuse_cpu(const char *who, uint64_t needs, uint64_t features, Reason &reason) {
  reason << who << " needs a CPU with";
  for (unsigned bit = 0; bit < 64; ++bit)
    if (needs & ~features & NACRE_CPU_NEED(bit))
      reason << " " << cpu_feature_name(bit);
  reason << ", which this one lacks; compile for it with --cpu";
  return NACRE_UNSUPPORTED;
}

// --- 2. Steps
// ---------------------------------------------------------------------------------------------------------

bool is_known(const nacre_operand &operand, const SessionPlan &plan) {
  switch (operand.space) {
  case NACRE_SPACE_ARENA:
    return operand.offset <= plan.view.entry->arena_bytes;
  case NACRE_SPACE_STATE:
    return operand.offset <= plan.model->state_bytes;
  case NACRE_SPACE_INPUT:
    return operand.index < plan.view.entry->input_count;
  case NACRE_SPACE_OUTPUT:
    return operand.index < plan.view.entry->output_count;
  case NACRE_SPACE_WEIGHT:
    return operand.index < plan.model->weight_count;
  }
  return false;
}

nacre_status check_launch(const nacre_step &step, SessionPlan &plan, Reason &reason) {
  const char *name = plan.model->strings + step.name;
  if (step.kernel >= plan.model->kernel_count || step.first_operand > plan.view.entry->operand_count ||
      step.operand_count > plan.view.entry->operand_count - step.first_operand)
    return refuse_table(name, reason);
  for (uint32_t i = 0; i < step.operand_count; ++i)
    if (!is_known(plan.view.entry->operands[step.first_operand + i], plan))
      return refuse_table(name, reason);
  const nacre_kernel &kernel = plan.model->kernels[step.kernel];
  const nacre_cpu_variant *variant = choose_variant(kernel, plan.features);
  if (!variant)
    return refuse_cpu(name, kernel.cpu_count ? kernel.cpu[kernel.cpu_count - 1].needs : 0, plan.features, reason);
  raise(plan.scratch_stride, aligned(variant->scratch_bytes));
  raise(plan.pointer_bytes, step.operand_count * sizeof(void *));
  return NACRE_OK;
}

/// Returns the size in bytes of the storage or region that contains an operand.
uint64_t bytes_around(const nacre_operand &operand, const SessionPlan &plan) {
  switch (operand.space) {
  case NACRE_SPACE_ARENA:
    return plan.view.entry->arena_bytes;
  case NACRE_SPACE_STATE:
    return plan.model->state_bytes;
  case NACRE_SPACE_INPUT:
    return plan.view.entry->inputs[operand.index].bytes;
  case NACRE_SPACE_OUTPUT:
    return plan.view.entry->outputs[operand.index].bytes;
  default:
    return plan.model->weights[operand.index].bytes;
  }
}

/// True if a test or branch has one operand of `bytes` bytes that it can read in every iteration of the loop around it.
bool can_decide(const nacre_step &step, uint64_t bytes, int64_t iterations, const SessionPlan &plan) {
  if (step.operand_count != 1 || step.first_operand >= plan.view.entry->operand_count)
    return false;
  const nacre_operand &operand = plan.view.entry->operands[step.first_operand];
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
  const nacre_entry &entry = *plan.view.entry;
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

nacre_status check_steps(SessionPlan &plan, Reason &reason) {
  Brackets around = {0, {plan.view.entry->step_count}, {1}};
  for (uint32_t i = 0; i < plan.view.entry->step_count; ++i) {
    const nacre_step &step = plan.view.entry->steps[i];
    if (step.kind == NACRE_STEP_LAUNCH && step.target == 0) {
      if (nacre_status status = check_launch(step, plan, reason))
        return status;
    } else if (!check_control(step, i, plan, around)) {
      return refuse_table(plan.model->strings + step.name, reason);
    }
  }
  return around.depth == 0 ? NACRE_OK : refuse_table("end", reason);
}

// --- 3. The sizes of outputs, and classes
// ---------------------------------------------------------------------------------------------

/// True if `index` is the index of a hidden output that can hold the size of an axis.
bool is_count(const SessionPlan &plan, int64_t index) {
  const nacre_entry &entry = *plan.view.entry;
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
  bool good = plan.view.entry->hidden_outputs <= plan.view.entry->output_count;
  for (uint32_t i = 0; good && i < plan.view.entry->output_count; ++i) {
    const nacre_tensor &output = plan.view.entry->outputs[i];
    good = output.first_bound == NACRE_NO_BOUNDS || (output.first_bound < model.dim_count && is_count(plan, i));
    if (output.first_count == NACRE_NO_COUNTS)
      continue;
    good = good && output.first_count <= model.dim_count && output.rank <= model.dim_count - output.first_count;
    for (uint32_t axis = 0; good && axis < output.rank; ++axis) {
      const int64_t count = model.dims[output.first_count + axis];
      good = count == -1 || is_count(plan, count);
    }
  }
  for (uint32_t i = 0; good && i < plan.view.entry->input_count; ++i) {
    const nacre_tensor &input = plan.view.entry->inputs[i];
    good = input.first_count == NACRE_NO_COUNTS || is_label(model, input);
  }
  return good ? NACRE_OK : refuse_table("sizes and classes", reason);
}

} // namespace

const nacre_cpu_variant *choose_variant(const nacre_kernel &kernel, uint64_t features) {
  for (uint32_t i = 0; i < kernel.cpu_count; ++i)
    if ((kernel.cpu[i].needs & ~features) == 0)
      return &kernel.cpu[i];
  return nullptr;
}

nacre_status check_entry(SessionPlan &plan, Reason &reason) {
  if (plan.model->baseline_needs & ~plan.features)
    return refuse_cpu("the model", plan.model->baseline_needs, plan.features, reason);
  if (!plan.weights && plan.model->weights_bytes != 0)
    return refuse_table("weights", reason);
  const nacre_entry &entry = *plan.view.entry;
  raise(plan.memory.arena_bytes, entry.arena_bytes);
  raise(plan.pointer_bytes, (uint64_t(entry.input_count) + entry.output_count) * sizeof(uint32_t));
  if (nacre_status status = check_steps(plan, reason))
    return status;
  return check_counts(plan, reason);
}

} // namespace nacre::runtime
