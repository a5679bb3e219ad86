// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements describe.h.

#include "runtime/src/describe.h"
#include "runtime/src/slot_functions.h"
#include "runtime/src/text.h"

namespace nacre::runtime {
namespace {

const nacre_model_table &table_of(const nacre_model *model) {
  return *reinterpret_cast<const nacre_model_table *>(model);
}

const char *kind_name(uint32_t kind) {
  static constexpr const char *names[] = {"contraction", "nest",   "row",       "permute",  "indexed",
                                          "scan",        "serial", "attention", "separable"};
  return kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

/// Describes the input or output `index` of the entry `number`. Only outputs have axes whose sizes depend on the run.
/// For inputs with labels, first_count has another meaning.
nacre_status describe_tensor(const nacre_model *handle, uint32_t number, uint32_t index, size_t info_size,
                             nacre_tensor_info *out_info, bool is_output) {
  const nacre_model_table &model = table_of(handle);
  if (number >= model.entry_count)
    return NACRE_BAD_ARGUMENT;
  const nacre_entry &entry = model.entries[number];
  if (index >= (is_output ? output_count(entry) : entry.input_count))
    return NACRE_BAD_ARGUMENT;
  const nacre_tensor &tensor = (is_output ? entry.outputs : entry.inputs)[index];
  uint32_t open_axes = 0;
  for (uint32_t axis = 0; axis < tensor.rank; ++axis)
    open_axes |= !is_output || count_of_axis(model, tensor, axis) < 0 ? 0 : uint32_t(1) << axis;
  nacre_tensor_info info{model.strings + tensor.name,
                         static_cast<nacre_element_type>(tensor.element_type),
                         tensor.rank,
                         model.dims + tensor.first_dim,
                         tensor.bytes,
                         tensor.scale,
                         tensor.zero_point,
                         open_axes,
                         nullptr,
                         0};
  if (__builtin_isnan(tensor.scale)) {
    const int64_t *axis = model.dims + tensor.zero_point;
    info.scale = 0;
    info.zero_point = 0;
    info.channels = reinterpret_cast<const nacre_channel_info *>(axis + 1);
    info.channel_axis = uint32_t(*axis);
  }
  copy_out(out_info, info_size, info);
  return NACRE_OK;
}

} // namespace

nacre_status model_describe(const nacre_model *handle, size_t info_size, nacre_model_info *out_info) {
  const nacre_model_table &model = table_of(handle);
  copy_out(out_info, info_size,
           nacre_model_info{model.strings + model.name, model.strings + model.compiler, model.strings + model.target,
                            model.entry_count, model.kernel_count, model.weights_bytes, model.state_bytes,
                            model.variable_count});
  return NACRE_OK;
}

nacre_status entry_describe(const nacre_model *handle, uint32_t index, size_t info_size, nacre_entry_info *out_info) {
  const nacre_model_table &model = table_of(handle);
  if (index >= model.entry_count)
    return NACRE_BAD_ARGUMENT;
  const nacre_entry &entry = model.entries[index];
  uint32_t launches = 0;
  for (uint32_t i = 0; i < entry.step_count; ++i)
    launches += entry.steps[i].kind == NACRE_STEP_LAUNCH;
  copy_out(out_info, info_size,
           nacre_entry_info{model.strings + entry.name, entry.input_count, output_count(entry), launches,
                            entry.arena_bytes});
  return NACRE_OK;
}

nacre_status input_describe(const nacre_model *handle, uint32_t entry, uint32_t index, size_t info_size,
                            nacre_tensor_info *out_info) {
  return describe_tensor(handle, entry, index, info_size, out_info, false);
}

nacre_status output_describe(const nacre_model *handle, uint32_t entry, uint32_t index, size_t info_size,
                             nacre_tensor_info *out_info) {
  return describe_tensor(handle, entry, index, info_size, out_info, true);
}

nacre_status launch_describe(const nacre_model *handle, uint32_t entry, uint32_t index, size_t info_size,
                             nacre_launch_info *out_info) {
  const nacre_model_table &model = table_of(handle);
  const nacre_step *step = entry < model.entry_count ? find_launch(model.entries[entry], index) : nullptr;
  if (!step)
    return NACRE_BAD_ARGUMENT;
  const nacre_kernel &kernel = model.kernels[step->kernel];
  copy_out(out_info, info_size,
           nacre_launch_info{model.strings + step->name, model.strings + kernel.name, kind_name(kernel.kind)});
  return NACRE_OK;
}

nacre_status device_describe(const nacre_model *handle, uint32_t index, size_t info_size, nacre_device_info *out_info) {
  const nacre_gpu_engine *engine = table_of(handle).gpu_engine;
  nacre_device_info info = {};
  nacre_status status = NACRE_UNSUPPORTED;
  if (engine)
    status = engine->describe_device(index, info);
  else
    copy_text(info.report, sizeof info.report, "this model has only code for the CPU");
  copy_out(out_info, info_size, info);
  return status;
}

const nacre_step *find_launch(const nacre_entry &entry, uint32_t index) {
  for (uint32_t i = 0; i < entry.step_count; ++i)
    if (entry.steps[i].kind == NACRE_STEP_LAUNCH && index-- == 0)
      return &entry.steps[i];
  return nullptr;
}

} // namespace nacre::runtime
