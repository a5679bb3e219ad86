// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/java/jni/listener.h"
#include "runtime/java/jni/answer.h"

namespace nacre::java {

bool listen(JNIEnv *env, jobject log, Listener &listener) {
  if (!log)
    return true;
  jclass native = env->FindClass("dev/nacre/Native");
  if (!native)
    return false;
  listener.method = env->GetStaticMethodID(native, "log", "(Ldev/nacre/Log;I[B)V");
  if (!listener.method || env->GetJavaVM(&listener.machine) != JNI_OK)
    return false;
  listener.native = static_cast<jclass>(env->NewGlobalRef(native));
  listener.log = env->NewGlobalRef(log);
  if (listener.native && listener.log)
    return true;
  stop_listening(env, listener);
  check(env, NACRE_OUT_OF_MEMORY, nullptr);
  return false;
}

void stop_listening(JNIEnv *env, Listener &listener) {
  if (listener.log)
    env->DeleteGlobalRef(listener.log);
  if (listener.native)
    env->DeleteGlobalRef(listener.native);
  listener = {};
}

void tell(void *user, nacre_log_level level, const char *message) {
  const auto *listener = static_cast<const Listener *>(user);
  void *found = nullptr;
  const bool attaches = listener->machine->GetEnv(&found, JNI_VERSION_1_6) != JNI_OK;
  if (attaches && listener->machine->AttachCurrentThread(&found, nullptr) != JNI_OK)
    return;
  auto *env = static_cast<JNIEnv *>(found);
  jbyteArray text = to_bytes(env, message);
  if (text)
    env->CallStaticVoidMethod(listener->native, listener->method, listener->log, static_cast<jint>(level), text);
  if (env->ExceptionCheck())
    env->ExceptionClear();
  if (text)
    env->DeleteLocalRef(text);
  if (attaches)
    listener->machine->DetachCurrentThread();
}

} // namespace nacre::java
