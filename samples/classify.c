/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * An image classifier in C: reads a picture, runs the network, prints the most likely class.
 *
 * Any classifier will do that takes a picture with values from -1 to 1 and gives probabilities; its size, its layout and
 * the number of its classes are asked of the model. It is compiled into libclassifier.so while this program is built
 * (CMakeLists.txt): MobileNet where there is one, or else a small network with random weights, whose word means nothing.
 */
#include "classifier.h"
#include "image.h"

#include <string.h>

static int explain(nacre_status status, const char *reason) {
  fprintf(stderr, "classify: %s: %s\n", nacre_status_text(status), reason);
  return 1;
}

/** The line of a file, counted from 0, without its end. Returns 0, or -1 where there is none. */
static int read_line(const char *path, int64_t number, char *line, int capacity) {
  FILE *file = fopen(path, "r");
  if (!file)
    return -1;
  int64_t read = 0;
  while (read <= number && fgets(line, capacity, file))
    read++;
  fclose(file);
  line[strcspn(line, "\r\n")] = 0;
  return read > number ? 0 : -1;
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    fprintf(stderr, "usage: %s picture.ppm [labels.txt]\n", argv[0]);
    return 2;
  }

  char reason[200] = "";
  nacre_session_options options = nacre_session_options_default();
  options.reason = reason;
  options.reason_capacity = sizeof reason;
  nacre_session *session;
  nacre_status status = nacre_session_create(&nacre_model_classifier, &options, &session);
  if (status != NACRE_OK)
    return explain(status, reason);

  nacre_tensor_info input, output;
  void *values, *probabilities;
  if ((status = nacre_input_describe(&nacre_model_classifier, 0, 0, &input)) != NACRE_OK ||
      (status = nacre_output_describe(&nacre_model_classifier, 0, 0, &output)) != NACRE_OK ||
      (status = nacre_session_input(session, 0, &values)) != NACRE_OK ||
      (status = nacre_session_output(session, 0, &probabilities)) != NACRE_OK)
    return explain(status, nacre_session_reason(session));

  image picture;
  if (image_read(argv[1], &picture) != 0) {
    fprintf(stderr, "classify: %s must be an 8-bit binary PPM file\n", argv[1]);
    return 1;
  }
  if (image_to_input(&picture, &input, 127.5f, 127.5f, values) != 0 || output.type != NACRE_F32) {
    fprintf(stderr, "classify: the network must take one colour picture and return probabilities, both as floats\n");
    return 1;
  }
  image_free(&picture);
  if ((status = nacre_session_run(session)) != NACRE_OK)
    return explain(status, nacre_session_reason(session));

  const float *of_class = (const float *)probabilities;
  int64_t best = 0, classes = (int64_t)(output.bytes / sizeof *of_class);
  for (int64_t i = 1; i < classes; i++)
    if (of_class[i] > of_class[best])
      best = i;
  char label[100] = "";
  if (argc == 3 && read_line(argv[2], best, label, sizeof label) != 0) {
    fprintf(stderr, "classify: %s must have one line for each of %lld classes\n", argv[2], (long long)classes);
    return 1;
  }
  printf("class %lld%s%s, %.1f %%\n", (long long)best, argc == 3 ? ": " : "", label, 100.0 * (double)of_class[best]);
  nacre_session_destroy(session);
  return 0;
}
