// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/java/jni/answer.h"
#include "runtime/java/jni/libc.h"

namespace nacre::java {

jbyteArray to_bytes(JNIEnv *env, const char *text) {
  const auto length = static_cast<jsize>(strlen(text));
  jbyteArray bytes = env->NewByteArray(length);
  if (bytes)
    env->SetByteArrayRegion(bytes, 0, length, reinterpret_cast<const jbyte *>(text));
  return env->ExceptionCheck() ? nullptr : bytes;
}

jlongArray to_array(JNIEnv *env, const jlong *numbers, jsize count) {
  jlongArray array = env->NewLongArray(count);
  if (array)
    env->SetLongArrayRegion(array, 0, count, numbers);
  return env->ExceptionCheck() ? nullptr : array;
}

jobjectArray to_objects(JNIEnv *env, const char *const *texts, jsize text_count, const jlong *numbers,
                        jsize number_count, const jlong *further, jsize further_count) {
  jclass object = env->FindClass("java/lang/Object");
  if (!object)
    return nullptr;
  const jsize count = text_count + (further_count ? 2 : 1);
  jobjectArray objects = env->NewObjectArray(count, object, nullptr);
  for (jsize i = 0; objects && i < count; ++i) {
    jobject element = i < text_count    ? static_cast<jobject>(to_bytes(env, texts[i]))
                      : i == text_count ? static_cast<jobject>(to_array(env, numbers, number_count))
                                        : static_cast<jobject>(to_array(env, further, further_count));
    if (!element)
      return nullptr;
    env->SetObjectArrayElement(objects, i, element);
    if (env->ExceptionCheck())
      return nullptr;
    env->DeleteLocalRef(element);
  }
  return objects;
}

void check(JNIEnv *env, nacre_status status, const char *reason) {
  if (status == NACRE_OK)
    return;
  jclass type = env->FindClass("dev/nacre/NacreException");
  if (!type)
    return;
  jmethodID constructor = env->GetMethodID(type, "<init>", "(I[B)V");
  if (!constructor)
    return;
  jbyteArray bytes = to_bytes(env, reason && *reason ? reason : nacre_status_text(status));
  if (!bytes)
    return;
  jobject exception = env->NewObject(type, constructor, static_cast<jint>(status), bytes);
  if (exception && !env->ExceptionCheck())
    env->Throw(static_cast<jthrowable>(exception));
}

} // namespace nacre::java
