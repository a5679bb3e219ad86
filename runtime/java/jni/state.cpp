// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native functions of State.java, which has checked the buffers.

#include "runtime/java/jni/answer.h"
#include "runtime/java/jni/session.h"

namespace nacre::java {
namespace {

void check_latest(JNIEnv *env, const nacre_state *state, nacre_status status) {
  if (status != NACRE_OK)
    check(env, status, nacre_state_reason(state));
}

} // namespace

NACRE_NATIVE(jlong, stateOf, jlong session) {
  nacre_state *state = nullptr;
  check(env, nacre_session_state(from_handle<Session>(session)->session, &state), nullptr);
  return to_handle(state);
}

NACRE_NATIVE(jlong, createState, jlong model, jlong weights) {
  char reason[1024] = "";
  nacre_session_options options = nacre_session_options_default();
  if (const auto *file = from_handle<const nacre_weights>(weights)) {
    options.weights = file->data;
    options.weights_bytes = file->bytes;
  }
  options.reason = reason;
  options.reason_capacity = sizeof(reason);
  nacre_state *state = nullptr;
  check(env, nacre_state_create(from_handle<const nacre_model>(model), &options, &state), reason);
  return to_handle(state);
}

NACRE_NATIVE(void, destroyState, jlong state) {
  static_cast<void>(env);
  nacre_state_destroy(from_handle<nacre_state>(state));
}

NACRE_NATIVE(void, copyTensor, jlong handle, jint index, jobject /*buffer*/, jlong address, jlong bytes,
             jboolean writes) {
  auto *state = from_handle<nacre_state>(handle);
  auto *data = from_handle<void>(address);
  check_latest(env, state,
               writes ? nacre_state_write(state, uint32_t(index), data, size_t(bytes))
                      : nacre_state_read(state, uint32_t(index), data, size_t(bytes)));
}

NACRE_NATIVE(void, resetState, jlong handle, jint roles) {
  auto *state = from_handle<nacre_state>(handle);
  check_latest(env, state, nacre_state_reset(state, uint32_t(roles)));
}

NACRE_NATIVE(void, copyState, jlong from, jlong to) {
  auto *state = from_handle<nacre_state>(to);
  check_latest(env, state, nacre_state_copy(from_handle<nacre_state>(from), state));
}

NACRE_NATIVE(void, moveFile, jlong handle, jbyteArray path, jint roles, jboolean saves) {
  auto *state = from_handle<nacre_state>(handle);
  const Text text(env, path);
  if (!text.is_there())
    return;
  check_latest(env, state,
               saves ? nacre_state_save(state, text.get(), uint32_t(roles))
                     : nacre_state_load(state, text.get(), uint32_t(roles)));
}

} // namespace nacre::java
