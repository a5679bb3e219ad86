// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens models' libraries, and describes models.
// How: a description consists of texts and numbers, in the order in which the Java class of its kind reads them.

#include "runtime/java/jni/answer.h"
#include "runtime/java/jni/libc.h"

#include "runtime/inspect/library_check.h"

namespace nacre::java {
namespace {

constexpr int kResolveNow = 2; // RTLD_NOW of glibc and of bionic.

/// Kinds of descriptions, as in Native.java.
enum Kind : jint { kModel = 0, kEntry = 1, kInput = 2, kOutput = 3, kState = 4, kLaunch = 5, kDevice = 6 };

jobjectArray describe_tensor(JNIEnv *env, const nacre_tensor_info &info, jlong role) {
  constexpr jsize kHead = 7;
  constexpr jsize kMostDims = 64; // Each dimension has one bit of open_axes.
  jlong numbers[kHead + kMostDims];
  if (info.rank > kMostDims) {
    check(env, NACRE_UNSUPPORTED, "a tensor of the model has more than 64 dimensions");
    return nullptr;
  }
  uint32_t scale = 0;
  __builtin_memcpy(&scale, &info.scale, sizeof(scale));
  const jlong head[kHead] = {jlong(info.type),
                             jlong(info.bytes),
                             jlong(scale),
                             info.zero_point,
                             jlong(info.open_axes),
                             role,
                             info.channels ? jlong(info.channel_axis) : -1};
  for (jsize i = 0; i < kHead; ++i)
    numbers[i] = head[i];
  for (uint32_t i = 0; i < info.rank; ++i)
    numbers[kHead + i] = info.dims[i];
  // Each channel's scale and zero point are the two halves of a 64-bit number.
  const void *channels = info.channels;
  return to_objects(env, &info.name, 1, numbers, kHead + jsize(info.rank), static_cast<const jlong *>(channels),
                    channels ? jsize(info.dims[info.channel_axis]) : 0);
}

jobjectArray describe_model(JNIEnv *env, const nacre_model *model) {
  nacre_model_info info = {};
  if (nacre_status status = nacre_model_describe(model, &info)) {
    check(env, status, nullptr);
    return nullptr;
  }
  const char *const texts[] = {info.name, info.compiler, info.target};
  const jlong numbers[] = {info.entry_count, info.kernel_count, jlong(info.weight_bytes), jlong(info.state_bytes),
                           info.variable_count};
  return to_objects(env, texts, 3, numbers, 5);
}

jobjectArray describe_entry(JNIEnv *env, const nacre_model *model, uint32_t entry) {
  nacre_entry_info info = {};
  if (nacre_status status = nacre_entry_describe(model, entry, &info)) {
    check(env, status, "the model has no such entry");
    return nullptr;
  }
  const jlong numbers[] = {info.input_count, info.output_count, info.launch_count, jlong(info.arena_bytes)};
  return to_objects(env, &info.name, 1, numbers, 4);
}

jobjectArray describe_state(JNIEnv *env, const nacre_model *model, uint32_t index) {
  nacre_state_info info = {};
  if (nacre_status status = nacre_state_describe(model, index, &info)) {
    check(env, status, "the model has no such state");
    return nullptr;
  }
  const nacre_tensor_info tensor = {info.name, info.type, info.rank, info.dims, info.bytes, 1, 0, 0, nullptr, 0};
  return describe_tensor(env, tensor, info.role);
}

jobjectArray describe_launch(JNIEnv *env, const nacre_model *model, uint32_t entry, uint32_t index) {
  nacre_launch_info info = {};
  if (nacre_status status = nacre_launch_describe(model, entry, index, &info)) {
    check(env, status, "the entry has no such launch");
    return nullptr;
  }
  const char *const texts[] = {info.name, info.kernel, info.kind};
  return to_objects(env, texts, 3, nullptr, 0);
}

/// Returns the description of the device with index `index`; null if there are fewer devices.
jobjectArray describe_device(JNIEnv *env, const nacre_model *model, uint32_t index) {
  nacre_device_info info = {};
  if (nacre_device_describe(model, index, &info) != NACRE_OK)
    return nullptr;
  const char *const texts[] = {info.name, info.report};
  const jlong numbers[] = {info.tier, info.usable, info.unified, info.is_cpu};
  return to_objects(env, texts, 2, numbers, 4);
}

} // namespace

NACRE_NATIVE(jbyteArray, problemOf, jbyteArray path) {
  const Text text(env, path);
  if (!text.is_there())
    return nullptr;
  nacre_library_facts facts;
  const int verdict = nacre_library_check(text.get(), &facts);
  // For an unreadable file, the system's loader reports the reason.
  return verdict == NACRE_LIBRARY_GOOD || verdict == NACRE_LIBRARY_UNREADABLE ? nullptr : to_bytes(env, facts.reason);
}

NACRE_NATIVE(jlong, open, jbyteArray path) {
  const Text text(env, path);
  if (!text.is_there())
    return 0;
  void *library = dlopen(text.get(), kResolveNow);
  if (!library) {
    const char *reason = dlerror();
    check(env, NACRE_FAILED, reason ? reason : "the library cannot be loaded");
  }
  return to_handle(library);
}

NACRE_NATIVE(jlong, find, jlong library, jbyteArray symbol) {
  const Text text(env, symbol);
  if (!text.is_there())
    return 0;
  const auto *model = static_cast<const nacre_model *>(dlsym(from_handle<void>(library), text.get()));
  if (!model)
    return 0;
  // The table of functions of an older version is shorter, and would be read past its end.
  const nacre_functions *functions = model->functions;
  if (!functions || functions->api_version < NACRE_OLDEST_API_VERSION) {
    check(env, NACRE_UNSUPPORTED, "the model was compiled by a Nacre older than this Java library; compile it again");
    return 0;
  }
  return to_handle(model);
}

NACRE_NATIVE(void, close, jlong library) {
  if (dlclose(from_handle<void>(library)) != 0)
    check(env, NACRE_FAILED, dlerror());
}

NACRE_NATIVE(jobjectArray, describe, jlong handle, jint kind, jint entry, jint index) {
  const auto *model = from_handle<const nacre_model>(handle);
  nacre_tensor_info tensor = {};
  nacre_status status = NACRE_OK;
  switch (static_cast<Kind>(kind)) {
  case kModel:
    return describe_model(env, model);
  case kEntry:
    return describe_entry(env, model, uint32_t(entry));
  case kState:
    return describe_state(env, model, uint32_t(index));
  case kLaunch:
    return describe_launch(env, model, uint32_t(entry), uint32_t(index));
  case kDevice:
    return describe_device(env, model, uint32_t(index));
  case kInput:
    status = nacre_input_describe(model, uint32_t(entry), uint32_t(index), &tensor);
    break;
  case kOutput:
    status = nacre_output_describe(model, uint32_t(entry), uint32_t(index), &tensor);
    break;
  }
  if (status != NACRE_OK) {
    check(env, status, "the entry has no such input or output");
    return nullptr;
  }
  return describe_tensor(env, tensor, 0);
}

} // namespace nacre::java
