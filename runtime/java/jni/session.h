// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: what a session's handle in Java points to: the runtime's session, and what that points to as long as it lives.

#ifndef NACRE_RUNTIME_JAVA_JNI_SESSION_H
#define NACRE_RUNTIME_JAVA_JNI_SESSION_H

#include "runtime/java/jni/listener.h"

namespace nacre::java {

struct Session {
  nacre_session *session;
  Listener listener;
  char *cache_folder; ///< Read until a GPU that is made ready in the background is.
  nacre_memory_info memory;
};

} // namespace nacre::java

#endif // NACRE_RUNTIME_JAVA_JNI_SESSION_H
