// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: tells a Java object what the runtime logs.
// How:  the runtime may log from a thread of its own, of which Java is told for as long as the call takes. What the
//       object throws is dropped, since nothing of Java waits above such a call.

#ifndef NACRE_RUNTIME_JAVA_JNI_LISTENER_H
#define NACRE_RUNTIME_JAVA_JNI_LISTENER_H

#include "nacre/runtime.h"

#include <jni.h>

namespace nacre::java {

struct Listener {
  JavaVM *machine = nullptr;
  jobject log = nullptr; ///< A global reference to a dev.nacre.Log; null: nobody listens.
  jclass native = nullptr;
  jmethodID method = nullptr; ///< Native.log
};

/// Makes `listener` tell `log`, which may be null. False, and an exception is pending, where that fails.
bool listen(JNIEnv *env, jobject log, Listener &listener);
void stop_listening(JNIEnv *env, Listener &listener);

/// A nacre_log_function; `user` is a Listener.
void tell(void *user, nacre_log_level level, const char *message);

} // namespace nacre::java

#endif // NACRE_RUNTIME_JAVA_JNI_LISTENER_H
