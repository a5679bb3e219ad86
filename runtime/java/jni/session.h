// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Target of a session's handle in Java: the runtime's session, and the memory that the session uses.

#ifndef NACRE_RUNTIME_JAVA_JNI_SESSION_H
#define NACRE_RUNTIME_JAVA_JNI_SESSION_H

#include "runtime/java/jni/listener.h"

namespace nacre::java {

struct Session {
  nacre_session *session;
  Listener listener;
  char *cache_folder; ///< Path that a GPU start in the background reads, so it must outlive the session.
  nacre_memory_info memory;
};

} // namespace nacre::java

#endif // NACRE_RUNTIME_JAVA_JNI_SESSION_H
