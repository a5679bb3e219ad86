// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The image classifier in C++: as classify.c, with the session cleaning up after itself.

#include "convnet.h"
#include "image.h"
#include "nacre/runtime.hpp"

#include <algorithm>

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s picture.ppm\n", argv[0]);
    return 2;
  }
  nacre::Session session;
  if (session.create(nacre_model_convnet) != NACRE_OK) {
    fprintf(stderr, "classify: %s\n", session.reason());
    return 1;
  }
  if (read_image(argv[1], session.input<float>("image")) != 0) {
    fprintf(stderr, "classify: %s must be a binary PPM of 8 bits\n", argv[1]);
    return 1;
  }
  if (session.run() != NACRE_OK) {
    fprintf(stderr, "classify: %s\n", session.reason());
    return 1;
  }
  const float *probabilities = session.output<float>("probabilities");
  const float *best = std::max_element(probabilities, probabilities + IMAGE_CLASSES);
  printf("class %td, %.1f %%\n", best - probabilities, 100.0 * double(*best));
  return 0;
}
