/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * An image classifier in C: reads a picture, runs the network, prints the most likely class.
 *
 * The network is convnet.onnx, compiled into libconvnet.so while this program is built (CMakeLists.txt); its weights
 * are random, so what it says about a picture means nothing. How it is called is what a real one needs too.
 */
#include "convnet.h"
#include "image.h"

static int explain(nacre_status status, const char *reason) {
  fprintf(stderr, "classify: %s: %s\n", nacre_status_text(status), reason);
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s picture.ppm\n", argv[0]);
    return 2;
  }

  char reason[200] = "";
  nacre_session_options options = nacre_session_options_default();
  options.reason = reason;
  options.reason_capacity = sizeof reason;
  nacre_session *session;
  nacre_status status = nacre_session_create(&nacre_model_convnet, &options, &session);
  if (status != NACRE_OK)
    return explain(status, reason);

  void *image, *probabilities;
  if ((status = nacre_session_input_named(session, "image", &image)) != NACRE_OK ||
      (status = nacre_session_output_named(session, "probabilities", &probabilities)) != NACRE_OK)
    return explain(status, nacre_session_reason(session));
  if (read_image(argv[1], (float *)image) != 0) {
    fprintf(stderr, "classify: %s must be a binary PPM of 8 bits\n", argv[1]);
    return 1;
  }
  if ((status = nacre_session_run(session)) != NACRE_OK)
    return explain(status, nacre_session_reason(session));

  const float *of_class = (const float *)probabilities;
  int best = 0;
  for (int i = 1; i < IMAGE_CLASSES; i++)
    if (of_class[i] > of_class[best])
      best = i;
  printf("class %d, %.1f %%\n", best, 100.0 * (double)of_class[best]);
  nacre_session_destroy(session);
  return 0;
}
