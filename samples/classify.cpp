// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies images in C++, as classify.c does in C. The session frees itself, and nacre/image.hpp prepares the
// picture.

#include "classifier.h"
#include "image.h"
#include "nacre/image.hpp"
#include "nacre/runtime.hpp"

#include <algorithm>
#include <vector>

namespace {

int explain(const char *reason) {
  fprintf(stderr, "classify: %s\n", reason);
  return 1;
}

/// Returns the length of the shorter side of a picture that just covers so many pixels.
uint32_t coveringSide(const image &picture, int64_t wide, int64_t high) {
  const int64_t width = picture.width, height = picture.height;
  return uint32_t(width <= height ? std::max(wide, (high * width + height - 1) / height)
                                  : std::max(high, (wide * height + width - 1) / width));
}

/// Writes the center of the picture to the input, with values from -1 to 1.
nacre_status prepare(nacre::PictureWriter &writer, const image &from, const nacre_tensor_info &input, void *values) {
  const bool planes = input.rank == 4 && (input.dims[1] == 3 || input.dims[1] == 1);
  nacre::PictureOptions options;
  options.layout = planes ? nacre::PictureLayout::Nchw : nacre::PictureLayout::Nhwc;
  if (input.rank == 4)
    options.resize_shorter = coveringSide(from, input.dims[planes ? 3 : 2], input.dims[planes ? 2 : 1]);
  options.crop = true;
  options.set_mean(0.5f, 0.5f, 0.5f).set_std(0.5f, 0.5f, 0.5f);
  return writer.write({from.pixels, uint32_t(from.width), uint32_t(from.height)}, options, input, values);
}

/// Returns the output as floats; empty if it holds neither floats nor 8-bit integers.
std::vector<float> readScores(nacre::Session &session, const nacre_tensor_info &output) {
  size_t classes = 1;
  for (uint32_t axis = 0; axis < output.rank; ++axis)
    classes *= size_t(output.dims[axis]);
  std::vector<float> scores;
  if (const float *reals = session.output<float>(0u))
    scores.assign(reals, reals + classes);
  else if (const int8_t *codes = session.output<int8_t>(0u))
    for (size_t i = 0; i < classes; ++i)
      scores.push_back(output.scale * float(codes[i] - output.zero_point));
  else if (const uint8_t *bytes = session.output<uint8_t>(0u))
    for (size_t i = 0; i < classes; ++i)
      scores.push_back(output.scale * float(bytes[i] - output.zero_point));
  return scores;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s picture\n", argv[0]);
    return 2;
  }
  nacre::Session session;
  if (session.create(nacre_model_classifier) != NACRE_OK)
    return explain(session.reason());
  nacre_tensor_info input, output;
  void *values = nullptr;
  if (nacre_input_describe(&nacre_model_classifier, 0, 0, &input) != NACRE_OK ||
      nacre_output_describe(&nacre_model_classifier, 0, 0, &output) != NACRE_OK ||
      nacre_session_input(session.get(), 0, &values) != NACRE_OK)
    return explain("the network must have an input and an output");
  image picture;
  if (image_read(argv[1], &picture) != 0) {
    fprintf(stderr, "classify: %s must be " IMAGE_KINDS "\n", argv[1]);
    return 1;
  }
  nacre::PictureWriter writer;
  const nacre_status prepared = prepare(writer, picture, input, values);
  image_free(&picture);
  if (prepared != NACRE_OK)
    return explain(writer.reason());
  if (session.run() != NACRE_OK)
    return explain(session.reason());
  const std::vector<float> scores = readScores(session, output);
  if (scores.empty())
    return explain("the network must return probabilities as floats or 8-bit integers");
  const auto best = std::max_element(scores.begin(), scores.end());
  printf("class %td, %.1f %%\n", best - scores.begin(), 100.0 * double(*best));
  return 0;
}
