// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: how text, numbers and failures cross between Java and C.
// Why:  JNI's own strings are of a UTF-8 of their own, and a debug build of Android ends the process over a name that is
//       none; models may have any bytes as names. So text is bytes here, and Java decodes it.
// How:  after a call that throws, nothing is called but what may be while an exception is pending.

#ifndef NACRE_RUNTIME_JAVA_JNI_ANSWER_H
#define NACRE_RUNTIME_JAVA_JNI_ANSWER_H

#include "nacre/runtime.h"

#include <jni.h>

namespace nacre::java {

/// A pointer as Java keeps it.
inline jlong to_handle(const void *pointer) { return reinterpret_cast<jlong>(pointer); }
template <typename T> T *from_handle(jlong handle) {
  return reinterpret_cast<T *>(handle); // NOLINT(performance-no-int-to-ptr): Java has no pointers
}

/// A Java array of bytes that ends in a 0, as a C string; null where the array is.
class Text {
public:
  Text(JNIEnv *env, jbyteArray array)
      : env(env), array(array), bytes(array ? env->GetByteArrayElements(array, nullptr) : nullptr) {}
  Text(const Text &) = delete;
  Text &operator=(const Text &) = delete;
  ~Text() {
    if (bytes)
      env->ReleaseByteArrayElements(array, bytes, JNI_ABORT);
  }

  /// False where there was no memory for a copy; an exception is pending then.
  bool is_there() const { return bytes || !array; }
  const char *get() const { return reinterpret_cast<const char *>(bytes); }

private:
  JNIEnv *env;
  jbyteArray array;
  jbyte *bytes;
};

/// Null, and an exception pending, where there is no memory; so of the two below.
jbyteArray to_bytes(JNIEnv *env, const char *text);
jlongArray to_array(JNIEnv *env, const jlong *numbers, jsize count);
/// The texts, each as bytes, then the numbers; then further numbers, if there are any.
jobjectArray to_objects(JNIEnv *env, const char *const *texts, jsize text_count, const jlong *numbers,
                        jsize number_count, const jlong *further = nullptr, jsize further_count = 0);

/// Throws a NacreException. With NACRE_OK, does nothing.
void check(JNIEnv *env, nacre_status status, const char *reason);

} // namespace nacre::java

/// A native method of dev.nacre.Native.
#define NACRE_NATIVE(type, name, ...)                                                                                  \
  extern "C" JNIEXPORT type JNICALL Java_dev_nacre_Native_##name(JNIEnv *env, jclass, __VA_ARGS__)

#endif // NACRE_RUNTIME_JAVA_JNI_ANSWER_H
