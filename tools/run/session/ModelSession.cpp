// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps nacre/runtime.h.

#include "tools/run/session/ModelSession.h"
#include "tools/run/session/EntryChoice.h"
#include "tools/run/session/Text.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace nacre::run {

Failure statusFailure(const char *reason, nacre_status status) {
  return {status == NACRE_OUT_OF_MEMORY ? ExitCode::OutOfMemory : ExitCode::Refused,
          std::string(reason) + " (" + nacre_status_text(status) + ")"};
}
namespace {

TensorView viewOf(nacre_element_type type, uint32_t rank, const int64_t *dims, const void *data) {
  TensorView view;
  view.type = type;
  view.dims.assign(dims, dims + rank);
  view.data = data;
  view.count = countElements(view.dims).value_or(0);
  return view;
}

/// Prints messages about choices that create makes. Errors are not printed, because create returns them as reasons.
void printChoice(void *, nacre_log_level level, const char *message) {
  if (level == NACRE_LOG_INFO)
    std::fprintf(stderr, "nacre-run: %s\n", message);
}

} // namespace

ModelSession::~ModelSession() { nacre_session_destroy(session); }

Outcome ModelSession::create(const nacre_model *compiled, const Options &options, const Shared &shared) {
  model = compiled;
  // The entry is checked before the session is created, because the runtime's failure does not list the entries. If the
  // model cannot be described, creating the session fails with a reason.
  if (nacre_model_describe(model, &info) == NACRE_OK)
    if (Outcome failure = findEntry(options))
      return failure;
  if (Outcome failure = weights.open(model, options))
    return failure;
  char reason[256] = "";
  nacre_session_options settings = nacre_session_options_default();
  weights.addTo(settings);
  settings.entry = entryInfo.name;
  settings.threads = options.threads;
  settings.max_iterations = options.maxIterations;
  settings.state = shared.state;
  settings.executor = shared.executor;
  settings.profile = options.profile || !options.traceFile.empty();
  needsGpu = options.gpu;
  settings.gpu = options.gpu ? NACRE_GPU_REQUIRED : NACRE_GPU_IF_USEFUL;
  settings.gpu_cut = options.gpuCut;
  settings.gpu_device = options.gpuDevice;
  settings.gpu_sequential = options.gpuSequential;
  settings.gpu_self_test = options.gpuSelfTest;
  settings.tune_budget_ms = options.tuneMilliseconds;
  if (options.gpuSelfTest || options.tuneMilliseconds)
    settings.log = printChoice;
  // The runtime ignores a cache folder that it cannot write to. A user who measures a second start needs an error
  // instead.
  if (!options.cacheFolder.empty() && access((options.cacheFolder + "/.").c_str(), W_OK) != 0)
    return usageFailure("--cache must be a folder that can be written to, but is '" + options.cacheFolder +
                        "': " + std::strerror(errno));
  settings.cache_folder = options.cacheFolder.empty() ? nullptr : options.cacheFolder.c_str();
  settings.reason = reason;
  settings.reason_capacity = sizeof reason;
  nacre_status status = nacre_session_memory(model, &settings, &memory);
  if (status == NACRE_OK) {
    settings.threads = memory.threads; // the number of cores may change between the two calls
    status = nacre_session_create(model, &settings, &session);
  }
  if (status != NACRE_OK)
    return statusFailure(reason, status);
  return collectPorts();
}

Outcome ModelSession::findEntry(const Options &options) {
  std::vector<EntryInputs> entries = describeEntries(model);
  size_t chosen;
  if (Outcome failure = chooseEntry(entries, options, chosen))
    return failure;
  entry = static_cast<uint32_t>(chosen);
  const nacre_status status = nacre_entry_describe(model, entry, &entryInfo);
  return status == NACRE_OK ? std::nullopt : refused(status);
}

static Quantization quantizationOf(const nacre_tensor_info &tensor) {
  Quantization quantization = {tensor.scale, tensor.zero_point, {}, tensor.channel_axis};
  if (tensor.channels)
    quantization.channels.assign(tensor.channels, tensor.channels + tensor.dims[tensor.channel_axis]);
  return quantization;
}

Outcome ModelSession::collectPorts() {
  const struct {
    std::vector<Port> &ports;
    uint32_t count;
    decltype(nacre_input_describe) *describe;
    decltype(nacre_session_input) *locate;
  } sides[] = {{inputs, entryInfo.input_count, nacre_input_describe, nacre_session_input},
               {outputs, entryInfo.output_count, nacre_output_describe, nacre_session_output}};
  for (const auto &side : sides)
    for (uint32_t i = 0; i < side.count; ++i) {
      nacre_tensor_info tensor;
      void *data = nullptr;
      nacre_status status = side.describe(model, entry, i, &tensor);
      if (status == NACRE_OK)
        status = side.locate(session, i, &data);
      if (status != NACRE_OK)
        return refused(status);
      if (!findElementType(tensor.type))
        return Failure{ExitCode::Refused, "'" + printableText(tensor.name) + "' has an element type of a newer Nacre"};
      side.ports.push_back({tensor.name,
                            viewOf(tensor.type, tensor.rank, tensor.dims, data),
                            data,
                            tensor.open_axes,
                            {},
                            quantizationOf(tensor)});
    }
  return collectStates();
}

Outcome ModelSession::collectStates() {
  nacre_state_info state;
  for (uint32_t i = 0; nacre_state_describe(model, i, &state) == NACRE_OK; ++i) {
    if (!findElementType(state.type))
      return Failure{ExitCode::Refused, "'" + printableText(state.name) + "' has an element type of a newer Nacre"};
    states.push_back({state.name, viewOf(state.type, state.rank, state.dims, nullptr), nullptr, 0, {}, {}});
  }
  return std::nullopt;
}

template <typename Copy> Outcome ModelSession::copyStates(Copy copy) {
  nacre_state *state = nullptr;
  nacre_status status = nacre_session_state(session, &state);
  for (uint32_t i = 0; i < states.size() && status == NACRE_OK; ++i) {
    std::vector<char> &bytes = states[i].there;
    bytes.resize(states[i].tensor.bytes());
    states[i].tensor.data = states[i].data = bytes.data();
    status = copy(state, i, bytes.data(), bytes.size());
  }
  return status == NACRE_OK ? std::nullopt : Outcome(usageFailure(nacre_state_reason(state)));
}

std::optional<int64_t> ModelSession::readCounter(const char *name) {
  nacre_state *state = nullptr;
  uint32_t index = 0;
  int64_t count = 0;
  if (nacre_session_state(session, &state) != NACRE_OK || nacre_state_find(state, name, &index) != NACRE_OK ||
      nacre_state_read(state, index, &count, sizeof count) != NACRE_OK)
    return std::nullopt;
  return count;
}

Outcome ModelSession::countSteps(StepCounts &counts) {
  const struct {
    const char *name;
    std::optional<uint64_t> &count;
  } counters[] = {{"#step", counts.made}, {"#loss_scale#skipped", counts.skipped}};
  for (const auto &counter : counters)
    if (const std::optional<int64_t> count = readCounter(counter.name)) {
      if (*count < 0)
        return usageFailure("'" + std::string(counter.name) + "' must be a number of steps, but is " +
                            std::to_string(*count) + "; load only weights and statistics with --weights");
      counter.count = static_cast<uint64_t>(*count);
    }
  return std::nullopt;
}

template <typename Call> Outcome ModelSession::withFile(Call call, const std::string &path, uint32_t roles) {
  nacre_state *state = nullptr;
  nacre_status status = nacre_session_state(session, &state);
  if (status == NACRE_OK)
    status = call(state, path.c_str(), roles);
  if (status == NACRE_OK)
    return std::nullopt;
  const std::string reason = "'" + path + "': " + printableText(nacre_state_reason(state));
  return status == NACRE_OUT_OF_MEMORY ? statusFailure(reason.c_str(), status) : usageFailure(reason);
}

/// Calls `check` with the tensor's name and the value of each element of tensors with one of `roles`, until a call
/// returns a failure.
template <typename Check> Outcome ModelSession::checkElements(uint32_t roles, Check check) {
  nacre_state *state = nullptr;
  if (nacre_session_state(session, &state) != NACRE_OK)
    return std::nullopt;
  std::vector<char> bytes;
  nacre_state_info tensor;
  for (uint32_t i = 0; nacre_state_describe(model, i, &tensor) == NACRE_OK; ++i) {
    if ((tensor.role & roles) == 0)
      continue;
    bytes.resize(tensor.bytes);
    if (nacre_state_read(state, i, bytes.data(), bytes.size()) != NACRE_OK)
      return usageFailure(nacre_state_reason(state));
    const TensorView view = viewOf(tensor.type, tensor.rank, tensor.dims, bytes.data());
    for (size_t e = 0; e < view.count; ++e)
      if (Outcome failure = check(std::string(tensor.name), readElement(view.type, view.data, e)))
        return failure;
  }
  return std::nullopt;
}

/// Fails if a tensor of training is not finite. A network's own state is not checked, because it may contain infinities
/// intentionally.
Outcome ModelSession::checkFinite(uint32_t roles, const char *purpose, const Failure &advice) {
  return checkElements(roles & (NACRE_STATE_WEIGHT | NACRE_STATE_MOMENT | NACRE_STATE_STATISTIC),
                       [&](const std::string &name, double value) -> Outcome {
                         if (std::isfinite(value))
                           return std::nullopt;
                         const char *is = std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
                         return Failure{advice.code, "'" + printableText(name) + "' must be finite to be " + purpose +
                                                         ", but has " + is + "; " + advice.text};
                       });
}

Outcome ModelSession::checkTrainable() {
  const Failure advice = usageFailure("load an earlier state, or begin without one");
  if (Outcome failure = checkFinite(NACRE_STATE_ALL, "trained", advice))
    return failure;
  // Optimizers divide by the root of these means of squares.
  constexpr std::string_view squares = "#v";
  return checkElements(NACRE_STATE_MOMENT, [&](const std::string &name, double value) -> Outcome {
    const bool isOfSquares =
        name.size() >= squares.size() && name.compare(name.size() - squares.size(), squares.size(), squares) == 0;
    if (!isOfSquares || value >= 0)
      return std::nullopt;
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return Failure{advice.code, "'" + printableText(name) + "' must not be negative to be trained, but has " + text +
                                    "; " + advice.text};
  });
}

Outcome ModelSession::saveState(const std::string &path, uint32_t roles) {
  if (Outcome failure =
          checkFinite(roles, "saved", {ExitCode::Diverged, "lower the learning rate, or compile with --clip=norm:1"}))
    return failure;
  return withFile(nacre_state_save, path, roles);
}

Outcome ModelSession::loadState(const std::string &path, uint32_t roles) {
  return withFile(nacre_state_load, path, roles);
}

Outcome ModelSession::writeStates() { return copyStates(nacre_state_write); }

Outcome ModelSession::readStates() { return copyStates(nacre_state_read); }

bool ModelSession::cancel() {
  isCancelled = true;
  return nacre_session_cancel(session) == NACRE_OK;
}

Outcome ModelSession::run() {
  if (isCancelled)
    return Failure{ExitCode::Interrupted, "interrupted between two runs"};
  const nacre_status status = nacre_session_run(session);
  if (status == NACRE_CANCELLED)
    return Failure{ExitCode::Interrupted, std::string("interrupted: ") + nacre_session_reason(session)};
  if (status == NACRE_BAD_ARGUMENT) // an input has invalid contents
    return usageFailure(printableText(nacre_session_reason(session)));
  if (status != NACRE_OK)
    return refused(status);
  if (!needsGpu)
    return std::nullopt;
  nacre_session_info now;
  Outcome failure = describe(now);
  if (!failure && nacre_session_reason(session)[0] != 0) // the reason tells why the GPU or one of its kernels was not
                                                         // used
    failure = Failure{ExitCode::Refused, nacre_session_reason(session)};
  return failure;
}

/// Copies one element, which may be a part of a byte: the lowest bits are the first element's. `into` must be zero
/// there.
static void copyElement(const ElementType &type, const char *data, size_t from, char *into, size_t to) {
  if (!type.isPacked()) {
    std::memcpy(into + type.bytesOf(to), data + type.bytesOf(from), type.bytesOf(1));
    return;
  }
  const size_t perByte = 8 / type.bits;
  const unsigned bits = static_cast<unsigned char>(data[from / perByte]) >> from % perByte * type.bits;
  const unsigned element = bits & ((1u << type.bits) - 1);
  into[to / perByte] = static_cast<char>(into[to / perByte] | element << to % perByte * type.bits);
}

/// Copies the elements of a larger tensor whose indices are inside `dims` to `taken`.
static void takeFirst(const TensorView &tensor, const Dims &dims, std::vector<char> &taken) {
  const ElementType &type = *findElementType(tensor.type);
  const size_t count = *countElements(dims);
  taken.assign(type.bytesOf(count), 0);
  for (size_t i = 0; i < count; ++i) {
    size_t from = 0, rest = i, stride = 1;
    for (size_t axis = dims.size(); axis-- > 0; stride *= static_cast<size_t>(tensor.dims[axis])) {
      from += rest % static_cast<size_t>(dims[axis]) * stride;
      rest /= static_cast<size_t>(dims[axis]);
    }
    copyElement(type, static_cast<const char *>(tensor.data), from, taken.data(), i);
  }
}

Outcome ModelSession::takeSizes() {
  for (uint32_t i = 0; i < outputs.size(); ++i) {
    Port &port = outputs[i];
    if (port.openAxes == 0)
      continue;
    Dims dims(port.tensor.dims.size());
    const nacre_status status = nacre_session_output_dims(session, i, dims.data());
    if (status != NACRE_OK)
      return refused(status);
    takeFirst(port.tensor, dims, port.there);
    port.tensor.dims = dims;
    port.tensor.data = port.there.data();
    port.tensor.count = *countElements(dims);
  }
  return std::nullopt;
}

Outcome ModelSession::describe(nacre_session_info &now) const {
  const nacre_status status = nacre_session_describe(session, &now);
  return status == NACRE_OK ? std::nullopt : refused(status);
}

Outcome ModelSession::launchTime(uint32_t index, nacre_launch_time &time) {
  const nacre_status status = nacre_session_launch_time(session, index, &time);
  return status == NACRE_OK ? std::nullopt : refused(status);
}

Outcome ModelSession::refused(nacre_status status) const {
  return statusFailure(session ? nacre_session_reason(session) : "", status);
}

} // namespace nacre::run
