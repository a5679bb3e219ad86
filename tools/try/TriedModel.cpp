// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/try/TriedModel.h"
#include "tools/measure/Libc.h"
#include "tools/measure/Repeat.h"
#include "tools/try/Arrays.h"

namespace nacre::tries {
namespace {

constexpr size_t kPathBytes = 4096;
constexpr uint32_t kMostAxes = 64;

void makeUp(float *to, uint64_t count) {
  uint32_t state = 1;
  for (uint64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    to[i] = float(int32_t(state)) / 2147483648.0f;
  }
}

Status statusOf(nacre_status status) { return status == NACRE_OUT_OF_MEMORY ? OutOfMemory : Refused; }

} // namespace

Status TriedModel::open(const char *path) {
  if (strlen(path) > kPathBytes - 16)
    return fail(WrongUsage, path, "is too long");
  const int verdict = nacre_library_check(path, &facts);
  if (verdict == NACRE_LIBRARY_UNREADABLE)
    return fail(WrongUsage, path, "cannot be read");
  if (verdict != NACRE_LIBRARY_GOOD)
    return fail(WrongUsage, path, facts.reason);
  if (!facts.symbol[0])
    return fail(WrongUsage, path, "must be lib<model>.so, as nacre-compile has written it");
  // Without a slash, the loader would search the system's folders.
  static char file[kPathBytes];
  snprintf(file, sizeof file, "%s%s", strrchr(path, '/') ? "" : "./", path);
  void *library = dlopen(file, RTLD_NOW);
  model = library ? static_cast<const nacre_model *>(dlsym(library, facts.symbol)) : nullptr;
  return model ? Done : fail(Refused, path, dlerror());
}

Status TriedModel::openWeights(Options &options) {
  if (!nacre_weights_are_apart(model))
    return options.weights ? fail(WrongUsage, "--weights-file", "this library contains its weights") : Done;
  static char beside[kPathBytes];
  const size_t length = strlen(options.library);
  const size_t stem = length > 3 && strcmp(options.library + length - 3, ".so") == 0 ? length - 3 : length;
  memcpy(beside, options.library, stem);
  memcpy(beside + stem, ".weights", sizeof ".weights");
  const char *path = options.weights ? options.weights : beside;
  char reason[300] = "";
  if (nacre_weights_open(model, path, &weights, reason, sizeof reason) != NACRE_OK)
    return fail(WrongUsage, path, reason);
  options.session.weights = weights.data;
  options.session.weights_bytes = weights.bytes;
  return Done;
}

Status TriedModel::create(Options &options) {
  if (const Status status = openWeights(options))
    return status;
  char reason[300] = "";
  options.session.reason = reason;
  options.session.reason_capacity = sizeof reason;
  needsGpu = options.session.gpu == NACRE_GPU_REQUIRED;
  const uint64_t before = measure::readClock();
  nacre_status status = nacre_session_memory(model, &options.session, &memory);
  if (status == NACRE_OK) {
    options.session.threads = memory.threads; // the number of cores may change between the two calls
    status = nacre_session_create(model, &options.session, &session);
  }
  if (status != NACRE_OK)
    return fail(statusOf(status), nacre_status_text(status), reason);
  createdMs = double(measure::readClock() - before) * 1e-6;
  nacre_model_describe(model, &info);
  for (entryNumber = 0; nacre_entry_describe(model, entryNumber, &entry) == NACRE_OK; ++entryNumber)
    if (!options.session.entry || strcmp(options.session.entry, entry.name) == 0)
      return Done;
  return fail(WrongUsage, "--entry", "the model has no such entry");
}

Status TriedModel::readInput(const char *text) {
  for (uint32_t i = 0; i < entry.input_count; ++i) {
    nacre_tensor_info tensor;
    void *data;
    const char *path;
    if (nacre_input_describe(model, entryNumber, i, &tensor) != NACRE_OK ||
        nacre_session_input(session, i, &data) != NACRE_OK)
      return fail(Refused, "input", nacre_session_reason(session));
    if ((path = after(text, tensor.name)) && *path == '=')
      return readArray(path + 1, data, tensor.bytes)
                 ? Done
                 : fail(WrongUsage, path + 1, "must be an .npy file with the bytes of the input");
  }
  return fail(WrongUsage, text, "must be <name>=<file.npy> with the name of an input");
}

Status TriedModel::fillInputs(int count, char **words) {
  for (uint32_t i = 0; i < entry.input_count; ++i) {
    nacre_tensor_info tensor;
    void *data;
    if (nacre_input_describe(model, entryNumber, i, &tensor) != NACRE_OK ||
        nacre_session_input(session, i, &data) != NACRE_OK)
      return fail(Refused, "input", nacre_session_reason(session));
    if (tensor.type == NACRE_F32)
      makeUp(static_cast<float *>(data), tensor.bytes / sizeof(float));
    else
      memset(data, 0, tensor.bytes);
  }
  for (int w = 1; w < count; ++w)
    if (const char *text = after(words[w], "--input="))
      if (const Status status = readInput(text))
        return status;
  return Done;
}

Status TriedModel::run() {
  const nacre_status status = nacre_session_run(session);
  if (status != NACRE_OK)
    return fail(status == NACRE_BAD_ARGUMENT ? WrongUsage : statusOf(status), "run", nacre_session_reason(session));
  if (needsGpu && nacre_session_reason(session)[0]) // the CPU computed everything, or at least one kernel
    return fail(Refused, "--gpu", nacre_session_reason(session));
  return Done;
}

Status TriedModel::writeOutputs(const char *folder) {
  for (uint32_t i = 0; i < entry.output_count; ++i) {
    nacre_tensor_info tensor;
    int64_t dims[kMostAxes];
    void *data;
    char path[kPathBytes];
    if (nacre_output_describe(model, entryNumber, i, &tensor) != NACRE_OK ||
        nacre_session_output(session, i, &data) != NACRE_OK || tensor.rank > kMostAxes ||
        nacre_session_output_dims(session, i, dims) != NACRE_OK)
      return fail(Refused, "output", nacre_session_reason(session));
    const int length = snprintf(path, sizeof path, "%s/%u.npy", folder, i);
    if (size_t(length) >= sizeof path || !writeArray(path, tensor, dims, data))
      return fail(WrongUsage, path, "cannot be written");
  }
  return Done;
}

void TriedModel::printOutput(uint32_t index) {
  nacre_tensor_info tensor;
  int64_t dims[kMostAxes];
  void *data;
  nacre_output_describe(model, entryNumber, index, &tensor);
  nacre_session_output(session, index, &data);
  nacre_session_output_dims(session, index, dims);
  printf("%s [", tensor.name);
  int64_t count = 1;
  for (uint32_t d = 0; d < tensor.rank; ++d) {
    printf(d ? ",%lld" : "%lld", static_cast<long long>(dims[d]));
    count *= dims[d];
  }
  printf("]");
  // If a size depends on data, elements have the strides of the largest size, so the values are not listed.
  if (tensor.type == NACRE_F32 && !tensor.open_axes && count > 0) {
    const float *values = static_cast<const float *>(data);
    int64_t least = -1, most = -1, nans = 0; // indices are -1 until a number is found
    for (int64_t i = 0; i < count; ++i) {
      if (__builtin_isnan(values[i])) {
        ++nans;
        continue;
      }
      least = least < 0 || values[i] < values[least] ? i : least;
      most = most < 0 || values[i] > values[most] ? i : most;
    }
    if (nans)
      printf(": %lld of %lld NaN", static_cast<long long>(nans), static_cast<long long>(count));
    if (most >= 0)
      printf("%s smallest %g, largest %g at %lld", nans ? "; of the others:" : ":", double(values[least]),
             double(values[most]), static_cast<long long>(most));
  }
  printf("\n");
}

void TriedModel::printOutputs() {
  for (uint32_t i = 0; i < entry.output_count; ++i)
    printOutput(i);
}

} // namespace nacre::tries
