/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: from_c INPUT.npy ANSWER.npy; says whether the only output of the model convnet is the answer, to the last bit.
 */
#include "convnet.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/** Reads the elements of an array, behind a header that says how long it is. */
static int read_array(const char *path, void *data, size_t bytes) {
  FILE *file = fopen(path, "rb");
  uint8_t head[10];
  const int is_read = file && fread(head, 1, sizeof head, file) == sizeof head &&
                      fseek(file, head[8] + 256L * head[9], SEEK_CUR) == 0 && fread(data, 1, bytes, file) == bytes;
  if (file)
    fclose(file);
  return is_read;
}

int main(int count, char **arguments) {
  nacre_session *session = NULL;
  nacre_tensor_info input, output;
  void *to = NULL, *from = NULL;
  static char expected[1 << 16];
  if (count != 3 || nacre_session_create(&nacre_model_convnet, NULL, &session) != NACRE_OK ||
      nacre_input_describe(&nacre_model_convnet, 0, 0, &input) != NACRE_OK ||
      nacre_output_describe(&nacre_model_convnet, 0, 0, &output) != NACRE_OK || output.bytes > sizeof expected ||
      nacre_session_input(session, 0, &to) != NACRE_OK || !read_array(arguments[1], to, input.bytes) ||
      nacre_session_run(session) != NACRE_OK || nacre_session_output(session, 0, &from) != NACRE_OK ||
      !read_array(arguments[2], expected, output.bytes))
    return 1;
  puts(memcmp(from, expected, output.bytes) == 0 ? "equal" : "not equal");
  nacre_session_destroy(session);
  return 0;
}
