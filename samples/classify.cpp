// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The image classifier in C++: as classify.c, with the session cleaning up after itself.

#include "classifier.h"
#include "image.h"
#include "nacre/runtime.hpp"

#include <algorithm>

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s picture.ppm\n", argv[0]);
    return 2;
  }
  nacre::Session session;
  if (session.create(nacre_model_classifier) != NACRE_OK) {
    fprintf(stderr, "classify: %s\n", session.reason());
    return 1;
  }
  nacre_tensor_info input, output;
  const float *probabilities = session.output<float>(0u);
  if (nacre_input_describe(&nacre_model_classifier, 0, 0, &input) != NACRE_OK || !probabilities ||
      nacre_output_describe(&nacre_model_classifier, 0, 0, &output) != NACRE_OK) {
    fprintf(stderr, "classify: the network must return probabilities as floats\n");
    return 1;
  }
  image picture;
  if (image_read(argv[1], &picture) != 0) {
    fprintf(stderr, "classify: %s must be an 8-bit binary PPM file\n", argv[1]);
    return 1;
  }
  const int laid_out = image_to_input(&picture, &input, 127.5f, 127.5f, session.input<float>(0u));
  image_free(&picture);
  if (laid_out != 0 || session.run() != NACRE_OK) {
    fprintf(stderr, "classify: %s\n", laid_out == 0 ? session.reason() : "the network must take one colour picture");
    return 1;
  }
  const size_t classes = output.bytes / sizeof(float);
  const float *best = std::max_element(probabilities, probabilities + classes);
  printf("class %td, %.1f %%\n", best - probabilities, 100.0 * double(*best));
  return 0;
}
