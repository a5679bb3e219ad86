// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Face detection in C++: reads a picture, prints where faces are in it, and writes it with boxes around them.
//
// The network is Ultra-Light-Fast-Generic-Face-Detector, compiled into libface_net.so. For each of some thousand
// places, it returns the probability of a face and its box. If the boxes of a face overlap, the one with the highest
// probability is kept.

#include "face_net.h"
#include "image.h"
#include "nacre/runtime.hpp"

#include <algorithm>
#include <vector>

namespace {

constexpr float kSure = 0.7f, kSameFace = 0.3f;

/// Box in fractions of the picture's width and height. It may extend beyond the picture.
struct Box {
  float left, top, right, bottom;
  float probability;

  float area() const { return std::max(0.0f, right - left) * std::max(0.0f, bottom - top); }
};

/// Returns the area that two boxes share, divided by the area that they cover together.
float overlap(const Box &a, const Box &b) {
  const Box both = {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
                    std::min(a.bottom, b.bottom), 0};
  const float together = a.area() + b.area() - both.area();
  return together > 0 ? both.area() / together : 0;
}

/// Returns the faces, highest probability first. Each place has two scores, for "no face" and "face", and the two
/// corners of a box.
std::vector<Box> findFaces(const float *scores, const float *corners, int64_t places) {
  std::vector<Box> candidates;
  for (int64_t i = 0; i < places; ++i)
    if (scores[2 * i + 1] >= kSure)
      candidates.push_back(
          {corners[4 * i], corners[4 * i + 1], corners[4 * i + 2], corners[4 * i + 3], scores[2 * i + 1]});
  std::sort(candidates.begin(), candidates.end(),
            [](const Box &a, const Box &b) { return a.probability > b.probability; });
  std::vector<Box> faces;
  for (const Box &candidate : candidates)
    if (std::none_of(faces.begin(), faces.end(), [&](const Box &face) { return overlap(face, candidate) > kSameFace; }))
      faces.push_back(candidate);
  return faces;
}

/// Draws the edge of a rectangle in green, clipped to the picture.
void draw(const image &picture, int left, int top, int right, int bottom) {
  const int thickness = std::max(1, picture.width / 200);
  for (int y = std::max(0, top); y < std::min(picture.height, bottom); ++y)
    for (int x = std::max(0, left); x < std::min(picture.width, right); ++x)
      if (std::min(std::min(x - left, right - 1 - x), std::min(y - top, bottom - 1 - y)) < thickness) {
        uint8_t *pixel = picture.pixels + (size_t(y) * size_t(picture.width) + size_t(x)) * IMAGE_CHANNELS;
        pixel[0] = pixel[2] = 0;
        pixel[1] = 255;
      }
}

int explain(const char *reason) {
  fprintf(stderr, "faces: %s\n", reason);
  return 1;
}

int markFaces(image &picture, const char *path) {
  nacre::Session session;
  if (session.create(nacre_model_face_net) != NACRE_OK)
    return explain(session.reason());
  nacre_tensor_info input, output;
  const float *scores = session.output<float>("scores"), *corners = session.output<float>("boxes");
  if (!scores || !corners || nacre_input_describe(&nacre_model_face_net, 0, 0, &input) != NACRE_OK ||
      nacre_output_describe(&nacre_model_face_net, 0, 0, &output) != NACRE_OK ||
      image_to_input(&picture, &input, 127.0f, 128.0f, session.input<float>(0u)) != 0)
    return explain("the network must take one colour picture and return scores and boxes, all as floats");
  if (session.run() != NACRE_OK)
    return explain(session.reason());

  for (const Box &face : findFaces(scores, corners, output.dims[1])) {
    const auto width = float(picture.width), height = float(picture.height);
    const int left = int(face.left * width), top = int(face.top * height);
    const int right = int(face.right * width), bottom = int(face.bottom * height);
    printf("face %.1f %%: %d %d to %d %d\n", 100.0 * double(face.probability), left, top, right, bottom);
    draw(picture, left, top, right, bottom);
  }
  if (image_write(path, &picture) == 0)
    return 0;
  fprintf(stderr, "faces: %s cannot be written\n", path);
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s picture marked.ppm\n", argv[0]);
    return 2;
  }
  image picture;
  if (image_read(argv[1], &picture) != 0) {
    fprintf(stderr, "faces: %s must be " IMAGE_KINDS "\n", argv[1]);
    return 1;
  }
  const int status = markFaces(picture, argv[2]);
  image_free(&picture);
  return status;
}
