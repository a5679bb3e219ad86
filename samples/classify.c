/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * An image classifier in C: reads a picture, runs the network, prints the most likely class.
 *
 * Any classifier will do that takes a picture with values from -1 to 1 and gives probabilities, as floats or quantized to 8 bits; its
 * size, its layout and the number of its classes are asked of the model. It is compiled into libclassifier.so while this program is built
 * (CMakeLists.txt): MobileNet where there is one, or else a small network with random weights, whose word means nothing.
 */
#include "classifier.h"
#include "prepare.h"

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

/** Returns an element of the output as a real. */
static float probability_of(const nacre_tensor_info *output, const void *elements, int64_t index) {
  if (output->type == NACRE_F32)
    return ((const float *)elements)[index];
  const int code = output->type == NACRE_I8 ? ((const int8_t *)elements)[index] : ((const uint8_t *)elements)[index];
  return output->scale * (float)(code - output->zero_point);
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    fprintf(stderr, "usage: %s picture [labels.txt]\n", argv[0]);
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
    fprintf(stderr, "classify: %s must be " IMAGE_KINDS "\n", argv[1]);
    return 1;
  }
  const int is_read = output.type == NACRE_F32 || output.type == NACRE_U8 || output.type == NACRE_I8;
  if (prepare_center(&picture, &input, 0.5f, 0.5f, values) != 0 || !is_read) {
    fprintf(stderr,
            "classify: the network must take one picture and return probabilities, as floats or 8-bit integers\n");
    return 1;
  }
  image_free(&picture);
  if ((status = nacre_session_run(session)) != NACRE_OK)
    return explain(status, nacre_session_reason(session));

  int64_t best = 0, classes = 1;
  for (uint32_t axis = 0; axis < output.rank; axis++)
    classes *= output.dims[axis];
  for (int64_t i = 1; i < classes; i++)
    if (probability_of(&output, probabilities, i) > probability_of(&output, probabilities, best))
      best = i;
  char label[100] = "";
  if (argc == 3 && read_line(argv[2], best, label, sizeof label) != 0) {
    fprintf(stderr, "classify: %s must have one line for each of %lld classes\n", argv[2], (long long)classes);
    return 1;
  }
  printf("class %lld%s%s, %.1f %%\n", (long long)best, argc == 3 ? ": " : "", label,
         100.0 * (double)probability_of(&output, probabilities, best));
  nacre_session_destroy(session);
  return 0;
}
