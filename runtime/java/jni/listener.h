// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes the runtime's log messages to a Java object.
// How: the runtime may log from its own thread, which is attached to Java during the call. Exceptions that the object
//      throws are dropped, because no Java code could catch them.

#ifndef NACRE_RUNTIME_JAVA_JNI_LISTENER_H
#define NACRE_RUNTIME_JAVA_JNI_LISTENER_H

#include "nacre/runtime.h"

#include <jni.h>

namespace nacre::java {

struct Listener {
  JavaVM *machine = nullptr;
  jobject log = nullptr; ///< Global reference to a dev.nacre.Log; null without a log.
  jclass native = nullptr;
  jmethodID method = nullptr; ///< The method Native.log.
};

/// Makes `listener` pass messages to `log`, which may be null. On failure, returns false with a pending exception.
bool listen(JNIEnv *env, jobject log, Listener &listener);
void stop_listening(JNIEnv *env, Listener &listener);

/// Implements nacre_log_function; `user` is a Listener.
void tell(void *user, nacre_log_level level, const char *message);

} // namespace nacre::java

#endif // NACRE_RUNTIME_JAVA_JNI_LISTENER_H
