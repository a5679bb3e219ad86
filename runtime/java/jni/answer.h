// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes text, numbers and errors between Java and C.
// Why: JNI strings use a modified UTF-8. Debug builds of Android end the process if a string is invalid, but names in
//      models may contain any bytes. So text is passed as bytes, and Java decodes it.
// How: after a call that throws, this code calls only functions that are allowed while an exception is pending.

#ifndef NACRE_RUNTIME_JAVA_JNI_ANSWER_H
#define NACRE_RUNTIME_JAVA_JNI_ANSWER_H

#include "nacre/runtime.h"

#include <jni.h>

namespace nacre::java {

/// Converts a pointer to the number that Java keeps.
inline jlong to_handle(const void *pointer) { return reinterpret_cast<jlong>(pointer); }
template <typename T> T *from_handle(jlong handle) {
  return reinterpret_cast<T *>(handle); // NOLINT(performance-no-int-to-ptr): Java has no pointers
}

/// C string of a Java byte array that ends in 0; null if the array is null.
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

  /// False if there was no memory for a copy. Then an exception is pending.
  bool is_there() const { return bytes || !array; }
  const char *get() const { return reinterpret_cast<const char *>(bytes); }

private:
  JNIEnv *env;
  jbyteArray array;
  jbyte *bytes;
};

/// Returns a Java array with the characters of `text`. Like the two functions below, returns null with a pending
/// exception if there is no memory.
jbyteArray to_bytes(JNIEnv *env, const char *text);
jlongArray to_array(JNIEnv *env, const jlong *numbers, jsize count);
/// Returns a Java array of arrays: the bytes of each text, then `numbers`, then `further` if it is not null.
jobjectArray to_objects(JNIEnv *env, const char *const *texts, jsize text_count, const jlong *numbers,
                        jsize number_count, const jlong *further = nullptr, jsize further_count = 0);

/// Throws a NacreException unless the status is NACRE_OK.
void check(JNIEnv *env, nacre_status status, const char *reason);

} // namespace nacre::java

/// Declares a native method of dev.nacre.Native.
#define NACRE_NATIVE(type, name, ...)                                                                                  \
  extern "C" JNIEXPORT type JNICALL Java_dev_nacre_Native_##name(JNIEnv *env, jclass, __VA_ARGS__)

#endif // NACRE_RUNTIME_JAVA_JNI_ANSWER_H
