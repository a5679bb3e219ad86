// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see ModelSession.h.
// Why:   see there.
// How:   files are mapped, checked against the tensor, and copied into the session's own buffer.

#include "tools/run/ModelSession.h"
#include "tools/run/Text.h"

#include <cstdio>
#include <cstring>

namespace nacre::run {
namespace {

TensorView viewOf(nacre_element_type type, uint32_t rank, const int64_t *dims, const void *data) {
  TensorView view;
  view.type = type;
  view.dims.assign(dims, dims + rank);
  view.data = data;
  view.count = countElements(view.dims).value_or(0);
  return view;
}

uint64_t nextRandom(uint64_t &state) { // splitmix64
  uint64_t bits = state += 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return bits ^ bits >> 31;
}

/// Values that every model can take: an index is in any table, a mask is a mask.
void fillFromSeed(Port &port, uint64_t seed) {
  const size_t width =
      findElementType(port.tensor.type)->isPacked() ? 1 : findElementType(port.tensor.type)->bytesOf(1);
  uint64_t state = seed;
  for (size_t i = 0; i < port.tensor.bytes() / width; ++i) {
    const uint64_t random = nextRandom(state);
    const float real = static_cast<float>(random >> 40) / float(1 << 23) - 1;
    uint64_t bits = random & 1;
    switch (port.tensor.type) {
    case NACRE_F32:
      std::memcpy(&bits, &real, sizeof real);
      break;
    case NACRE_F64: {
      const double wide = real;
      std::memcpy(&bits, &wide, sizeof wide);
      break;
    }
    case NACRE_BF16: {
      uint32_t wide;
      std::memcpy(&wide, &real, sizeof wide);
      bits = wide >> 16;
      break;
    }
    case NACRE_F16: // a random fraction, an exponent of 2^-8 to 2^-1, a sign
      bits = (random & 0x83ff) | (7 + (random >> 16 & 7)) << 10;
      break;
    case NACRE_F8E4M3FN:
    case NACRE_F8E4M3FNUZ:
    case NACRE_F8E5M2:
    case NACRE_F8E5M2FNUZ: // below 2, and never the one code that is no number
      bits = (random & 0x97) | 0x28;
      break;
    case NACRE_F8E8M0: // 2^-7 to 1
      bits = 127 - (random & 7);
      break;
    case NACRE_U8:
    case NACRE_I8:
    case NACRE_U4: // what is packed: all codes of a byte
    case NACRE_I4:
    case NACRE_F4E2M1:
    case NACRE_U2:
    case NACRE_I2:
      bits = random;
      break;
    default:
      break;
    }
    std::memcpy(static_cast<char *>(port.data) + i * width, &bits, width);
  }
}

/// What create chose; errors come back as reasons.
void printChoice(void *, nacre_log_level level, const char *message) {
  if (level == NACRE_LOG_INFO)
    std::fprintf(stderr, "nacre-run: %s\n", message);
}

std::string quotedNames(const std::vector<Port> &ports) {
  std::string names;
  for (const Port &port : ports)
    names += (names.empty() ? "'" : ", '") + printableText(port.name) + "'";
  return names.empty() ? "none" : names;
}

} // namespace

ModelSession::~ModelSession() { nacre_session_destroy(session); }

Outcome ModelSession::create(const nacre_model *compiled, const Options &options) {
  model = compiled;
  char reason[256] = "";
  nacre_session_options settings = nacre_session_options_default();
  settings.entry = options.entry.empty() ? nullptr : options.entry.c_str();
  settings.threads = options.threads;
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
  settings.cache_folder = options.cacheFolder.empty() ? nullptr : options.cacheFolder.c_str();
  settings.reason = reason;
  settings.reason_capacity = sizeof reason;
  nacre_status status = nacre_session_memory(model, &settings, &memory);
  if (status == NACRE_OK) {
    settings.threads = memory.threads; // cores may come and go between the two calls
    status = nacre_session_create(model, &settings, &session);
  }
  if (status != NACRE_OK)
    return Failure{ExitCode::Refused, std::string(reason) + " (" + nacre_status_text(status) + ")"};
  status = nacre_model_describe(model, &info);
  if (status != NACRE_OK)
    return refused(status);
  if (Outcome failure = findEntry(options.entry))
    return failure;
  return collectPorts();
}

Outcome ModelSession::findEntry(const std::string &name) {
  for (entry = 0; entry < info.entry_count; ++entry) {
    const nacre_status status = nacre_entry_describe(model, entry, &entryInfo);
    if (status != NACRE_OK)
      return refused(status);
    if (name.empty() || name == entryInfo.name)
      return std::nullopt;
  }
  return usageFailure("--entry must be one of the model's, but is '" + name + "'");
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
      side.ports.push_back(
          {tensor.name, viewOf(tensor.type, tensor.rank, tensor.dims, data), data, tensor.open_axes, {}});
    }
  return collectStates();
}

Outcome ModelSession::collectStates() {
  nacre_state_info state;
  for (uint32_t i = 0; nacre_state_describe(model, i, &state) == NACRE_OK; ++i) {
    if (!findElementType(state.type))
      return Failure{ExitCode::Refused, "'" + printableText(state.name) + "' has an element type of a newer Nacre"};
    Port port = {state.name, {}, nullptr, 0, std::vector<char>(state.bytes)};
    port.tensor = viewOf(state.type, state.rank, state.dims, port.there.data());
    states.push_back(std::move(port));
    states.back().data = states.back().there.data();
  }
  return std::nullopt;
}

template <typename Copy> Outcome ModelSession::copyStates(Copy copy) {
  nacre_state *state = nullptr;
  nacre_status status = nacre_session_state(session, &state);
  for (uint32_t i = 0; i < states.size() && status == NACRE_OK; ++i)
    status = copy(state, i, states[i].there.data(), states[i].there.size());
  return status == NACRE_OK ? std::nullopt : Outcome(usageFailure(nacre_state_reason(state)));
}

template <typename Call> Outcome ModelSession::withFile(Call call, const std::string &path, uint32_t roles) {
  nacre_state *state = nullptr;
  nacre_status status = nacre_session_state(session, &state);
  if (status == NACRE_OK)
    status = call(state, path.c_str(), roles);
  return status == NACRE_OK ? std::nullopt
                            : Outcome(usageFailure("'" + path + "': " + printableText(nacre_state_reason(state))));
}

Outcome ModelSession::saveState(const std::string &path, uint32_t roles) {
  return withFile(nacre_state_save, path, roles);
}

Outcome ModelSession::loadState(const std::string &path, uint32_t roles) {
  return withFile(nacre_state_load, path, roles);
}

Outcome ModelSession::writeStates() { return copyStates(nacre_state_write); }

Outcome ModelSession::readStates() { return copyStates(nacre_state_read); }

Outcome ModelSession::run() {
  const nacre_status status = nacre_session_run(session);
  if (status != NACRE_OK)
    return refused(status);
  if (!needsGpu)
    return std::nullopt;
  nacre_session_info now;
  Outcome failure = describe(now);
  if (!failure && nacre_session_reason(session)[0] != 0) // all of the GPU, or a kernel of it
    failure = Failure{ExitCode::Refused, nacre_session_reason(session)};
  return failure;
}

/// One element, which may be a part of a byte: the lowest bits are the first element's. `into` is zero there.
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

/// Copies the first elements of every axis, as many as `dims` says, from a tensor that has more.
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
  return Failure{ExitCode::Refused,
                 std::string(nacre_session_reason(session)) + " (" + nacre_status_text(status) + ")"};
}

Outcome splitNamedFile(const std::string &text, const char *option, std::vector<Port> &ports, Port *&port,
                       std::string &file) {
  port = nullptr;
  for (Port &candidate : ports) {
    const size_t length = candidate.name.size();
    const bool matches = text.compare(0, length, candidate.name) == 0 && text.size() > length && text[length] == '=';
    if (matches && (!port || length > port->name.size()))
      port = &candidate;
  }
  if (!port)
    return usageFailure(std::string(option) + " must be NAME=FILE with one of the names " + quotedNames(ports) +
                        ", but is '" + text + "'");
  file = text.substr(port->name.size() + 1);
  return std::nullopt;
}

/// Reads a file into one of the ports, each of which is `what`.
static Outcome fillFromFile(const std::string &text, const char *option, const char *what, std::vector<Port> &ports) {
  Port *port;
  std::string path;
  FileTensor tensor;
  if (Outcome failure = splitNamedFile(text, option, ports, port, path))
    return failure;
  if (Outcome failure = readTensorLike(port->tensor, path, tensor))
    return failure;
  if (tensor.view.type != port->tensor.type || tensor.view.dims != port->tensor.dims)
    return usageFailure(what + (" '" + printableText(port->name)) + "' must be " +
                        describe(port->tensor.type, port->tensor.dims) + ", but '" + path + "' holds " +
                        describe(tensor.view.type, tensor.view.dims));
  if (tensor.view.count != 0)
    std::memcpy(port->data, tensor.view.data, tensor.view.bytes());
  return std::nullopt;
}

Outcome fillInputs(ModelSession &session, const Options &options) {
  for (size_t i = 0; i < session.inputs.size(); ++i) {
    uint64_t state = options.seed * 1000 + i;
    fillFromSeed(session.inputs[i], nextRandom(state));
  }
  for (const std::string &text : options.inputs)
    if (Outcome failure = fillFromFile(text, "--input", "input", session.inputs))
      return failure;
  if (!options.resumeFile.empty())
    if (Outcome failure = session.loadState(options.resumeFile, NACRE_STATE_ALL))
      return failure;
  if (!options.weightsFile.empty())
    if (Outcome failure = session.loadState(options.weightsFile, NACRE_STATE_WEIGHT | NACRE_STATE_STATISTIC))
      return failure;
  if (options.states.empty())
    return std::nullopt;
  // What single files do not say stays as it is.
  if (Outcome failure = session.readStates())
    return failure;
  for (const std::string &text : options.states)
    if (Outcome failure = fillFromFile(text, "--state", "state", session.states))
      return failure;
  return session.writeStates();
}

} // namespace nacre::run
