// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native functions of Session.java, which has checked that each call and each buffer is allowed.
// How: buffers are passed as addresses. The Java object keeps the buffers alive.

#include "runtime/java/jni/session.h"
#include "runtime/java/jni/answer.h"
#include "runtime/java/jni/libc.h"

namespace nacre::java {
namespace {

/// Indices of the numbers that SessionOptions.java passes.
enum Number {
  kThreads,
  kProfile,
  kGpu,
  kCut,
  kDevice,
  kSequential,
  kBackground,
  kSelfTest,
  kTuneBudget,
  kMaxIterations,
  kAllEntries,
  kNumbers
};

void release(JNIEnv *env, Session *session) {
  stop_listening(env, session->listener);
  free(session->cache_folder);
  free(session);
}

char *copy_of(const char *text) {
  const size_t bytes = strlen(text) + 1;
  char *copy = static_cast<char *>(calloc(bytes, 1));
  if (copy)
    __builtin_memcpy(copy, text, bytes);
  return copy;
}

nacre_session_options options_of(const jlong *numbers) {
  nacre_session_options options = nacre_session_options_default();
  options.threads = uint32_t(numbers[kThreads]);
  options.profile = uint32_t(numbers[kProfile]);
  options.gpu = static_cast<nacre_gpu_choice>(numbers[kGpu]);
  options.gpu_cut = uint32_t(numbers[kCut]);
  options.gpu_device = uint32_t(numbers[kDevice]);
  options.gpu_sequential = uint32_t(numbers[kSequential]);
  options.gpu_background = uint32_t(numbers[kBackground]);
  options.gpu_self_test = uint32_t(numbers[kSelfTest]);
  options.tune_budget_ms = uint32_t(numbers[kTuneBudget]);
  options.max_iterations = uint64_t(numbers[kMaxIterations]);
  options.all_entries = uint32_t(numbers[kAllEntries]);
  return options;
}

void check_latest(JNIEnv *env, const Session *session, nacre_status status) {
  if (status != NACRE_OK)
    check(env, status, nacre_session_reason(session->session));
}

} // namespace

NACRE_NATIVE(jlong, create, jlong model, jbyteArray entry, jbyteArray cache, jlongArray settings, jobject log,
             jlong state, jlong weights) {
  jlong numbers[kNumbers];
  env->GetLongArrayRegion(settings, 0, kNumbers, numbers);
  if (env->ExceptionCheck())
    return 0;
  const Text entry_text(env, entry);
  const Text cache_text(env, cache);
  if (!entry_text.is_there() || !cache_text.is_there())
    return 0;

  auto *session = static_cast<Session *>(calloc(1, sizeof(Session)));
  if (session && cache_text.get())
    session->cache_folder = copy_of(cache_text.get());
  if (!session || (cache_text.get() && !session->cache_folder)) {
    free(session);
    check(env, NACRE_OUT_OF_MEMORY, nullptr);
    return 0;
  }
  if (!listen(env, log, session->listener)) {
    release(env, session);
    return 0;
  }

  char reason[1024] = "";
  nacre_session_options options = options_of(numbers);
  options.entry = entry_text.get();
  options.cache_folder = session->cache_folder;
  options.state = from_handle<nacre_state>(state);
  if (const auto *file = from_handle<const nacre_weights>(weights)) {
    options.weights = file->data;
    options.weights_bytes = file->bytes;
  }
  options.reason = reason;
  options.reason_capacity = sizeof(reason);
  if (session->listener.log) {
    options.log = tell;
    options.log_user = &session->listener;
  }
  const auto *compiled = from_handle<const nacre_model>(model);
  nacre_status status = nacre_session_memory(compiled, &options, &session->memory);
  if (status == NACRE_OK)
    status = nacre_session_create(compiled, &options, &session->session);
  if (status != NACRE_OK) {
    release(env, session);
    check(env, status, reason);
    return 0;
  }
  return to_handle(session);
}

NACRE_NATIVE(void, destroy, jlong handle) {
  auto *session = from_handle<Session>(handle);
  nacre_session_destroy(session->session);
  release(env, session);
}

NACRE_NATIVE(jlong, address, jobject buffer) { return to_handle(env->GetDirectBufferAddress(buffer)); }

NACRE_NATIVE(void, bind, jlong handle, jboolean output, jint index, jlong address) {
  const auto *session = from_handle<const Session>(handle);
  auto *data = from_handle<void>(address);
  check_latest(env, session,
               output ? nacre_session_bind_output(session->session, uint32_t(index), data)
                      : nacre_session_bind_input(session->session, uint32_t(index), data));
}

NACRE_NATIVE(void, use, jlong handle, jint entry) {
  const auto *session = from_handle<const Session>(handle);
  check_latest(env, session, nacre_session_use(session->session, uint32_t(entry)));
}

NACRE_NATIVE(void, run, jlong handle) {
  const auto *session = from_handle<const Session>(handle);
  check_latest(env, session, nacre_session_run(session->session));
}

NACRE_NATIVE(jboolean, cancel, jlong handle) {
  const auto *session = from_handle<const Session>(handle);
  const nacre_status status = nacre_session_cancel(session->session);
  if (status == NACRE_UNSUPPORTED)
    check(env, status, "the model was compiled by a Nacre without cancellation; compile it again");
  return status == NACRE_OK;
}

NACRE_NATIVE(jlongArray, outputShape, jlong handle, jint index, jint rank) {
  const auto *session = from_handle<const Session>(handle);
  int64_t dims[64] = {};
  nacre_status status =
      rank > 64 ? NACRE_UNSUPPORTED : nacre_session_output_dims(session->session, uint32_t(index), dims);
  if (status != NACRE_OK) {
    check_latest(env, session, status);
    return nullptr;
  }
  jlong numbers[64];
  for (jint i = 0; i < rank; ++i)
    numbers[i] = dims[i];
  return to_array(env, numbers, rank);
}

NACRE_NATIVE(jlongArray, launchTime, jlong handle, jint index) {
  const auto *session = from_handle<const Session>(handle);
  nacre_launch_time time = {};
  if (nacre_status status = nacre_session_launch_time(session->session, uint32_t(index), &time)) {
    check_latest(env, session, status);
    return nullptr;
  }
  const jlong numbers[] = {jlong(time.begin),     jlong(time.total), jlong(time.executions), jlong(time.cpu_total),
                           jlong(time.gpu_total), time.cpu_share,    time.gpu_share,         time.cut_extent};
  return to_array(env, numbers, 8);
}

NACRE_NATIVE(jobjectArray, describeSession, jlong handle) {
  const auto *session = from_handle<const Session>(handle);
  nacre_session_info info = {};
  if (nacre_status status = nacre_session_describe(session->session, &info)) {
    check_latest(env, session, status);
    return nullptr;
  }
  const nacre_memory_info &memory = session->memory;
  const char *const texts[] = {info.device, nacre_session_reason(session->session)};
  const jlong numbers[] = {info.threads,
                           info.gpu_launches,
                           info.cpu_launches,
                           info.submissions,
                           info.pipelines,
                           info.barriers,
                           jlong(info.gpu_bytes),
                           jlong(info.gpu_open_time),
                           jlong(info.gpu_pipelines_time),
                           jlong(info.gpu_weights_time),
                           jlong(info.gpu_recording_time),
                           jlong(info.gpu_measuring_time),
                           jlong(memory.block_bytes)};
  return to_objects(env, texts, 2, numbers, 13);
}

} // namespace nacre::java
