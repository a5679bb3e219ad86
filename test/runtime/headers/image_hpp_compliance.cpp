/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * nacre/image.hpp alone, compiled without exceptions, RTTI and the C++ library's headers, as it promises.
 */
#include "nacre/image.hpp"

bool write_picture(const uint8_t *pixels, const nacre_tensor_info &info, float *data);
bool write_picture(const uint8_t *pixels, const nacre_tensor_info &info, float *data) {
  nacre::PictureOptions options;
  options.resize_shorter = 256;
  options.crop = true;
  options.set_mean(0.485f, 0.456f, 0.406f).set_std(0.229f, 0.224f, 0.225f);
  nacre::PictureWriter writer;
  const nacre::Picture picture = {pixels, 640, 480, nacre::PixelFormat::Bgra, 640 * 4};
  return writer.write(picture, options, info, data) == NACRE_OK || writer.problem() != nacre::PictureProblem::None ||
         writer.reason()[0] != 0;
}
