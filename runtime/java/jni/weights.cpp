// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native functions of WeightsFile.java, which closes each file exactly once.

#include "runtime/java/jni/answer.h"
#include "runtime/java/jni/libc.h"

namespace nacre::java {

NACRE_NATIVE(jlong, openWeights, jlong handle, jbyteArray path) {
  const auto *model = from_handle<const nacre_model>(handle);
  if (!nacre_weights_are_apart(model)) {
    check(env, NACRE_BAD_ARGUMENT,
          "weightsFile requires a model compiled with --weights-in=file; this library contains its weights");
    return 0;
  }
  const Text text(env, path);
  if (!text.is_there())
    return 0;
  auto *weights = static_cast<nacre_weights *>(calloc(1, sizeof(nacre_weights)));
  char reason[256] = "";
  const nacre_status status =
      weights ? nacre_weights_open(model, text.get(), weights, reason, sizeof(reason)) : NACRE_OUT_OF_MEMORY;
  if (status == NACRE_OK)
    return to_handle(weights);
  free(weights);
  check(env, status, reason);
  return 0;
}

NACRE_NATIVE(void, closeWeights, jlong model, jlong handle) {
  static_cast<void>(env);
  auto *weights = from_handle<nacre_weights>(handle);
  nacre_weights_close(from_handle<const nacre_model>(model), weights);
  free(weights);
}

} // namespace nacre::java
