// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: states for Java. State.java has checked its buffers.

#include "runtime/java/jni/Answer.h"
#include "runtime/java/jni/Session.h"

namespace nacre::java {
namespace {

void checkLatest(JNIEnv *env, const nacre_state *state, nacre_status status) {
  if (status != NACRE_OK)
    check(env, status, nacre_state_reason(state));
}

} // namespace

NACRE_NATIVE(jlong, stateOf, jlong session) {
  nacre_state *state = nullptr;
  check(env, nacre_session_state(fromHandle<Session>(session)->session, &state), nullptr);
  return toHandle(state);
}

NACRE_NATIVE(jlong, createState, jlong model) {
  char reason[1024] = "";
  nacre_session_options options = nacre_session_options_default();
  options.reason = reason;
  options.reason_capacity = sizeof(reason);
  nacre_state *state = nullptr;
  check(env, nacre_state_create(fromHandle<const nacre_model>(model), &options, &state), reason);
  return toHandle(state);
}

NACRE_NATIVE(void, destroyState, jlong state) {
  static_cast<void>(env);
  nacre_state_destroy(fromHandle<nacre_state>(state));
}

NACRE_NATIVE(void, copyTensor, jlong handle, jint index, jobject /*buffer*/, jlong address, jlong bytes,
             jboolean writes) {
  auto *state = fromHandle<nacre_state>(handle);
  auto *data = fromHandle<void>(address);
  checkLatest(env, state,
              writes ? nacre_state_write(state, uint32_t(index), data, size_t(bytes))
                     : nacre_state_read(state, uint32_t(index), data, size_t(bytes)));
}

NACRE_NATIVE(void, resetState, jlong handle, jint roles) {
  auto *state = fromHandle<nacre_state>(handle);
  checkLatest(env, state, nacre_state_reset(state, uint32_t(roles)));
}

NACRE_NATIVE(void, copyState, jlong from, jlong to) {
  auto *state = fromHandle<nacre_state>(to);
  checkLatest(env, state, nacre_state_copy(fromHandle<nacre_state>(from), state));
}

NACRE_NATIVE(void, moveFile, jlong handle, jbyteArray path, jint roles, jboolean saves) {
  auto *state = fromHandle<nacre_state>(handle);
  const Text text(env, path);
  if (!text.isThere())
    return;
  checkLatest(env, state,
              saves ? nacre_state_save(state, text.get(), uint32_t(roles))
                    : nacre_state_load(state, text.get(), uint32_t(roles)));
}

} // namespace nacre::java
