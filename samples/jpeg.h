/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** JPEG files for samples/image.h, by libjpeg: colors, or gray as three equal channels. */
#ifndef NACRE_SAMPLES_JPEG_H
#define NACRE_SAMPLES_JPEG_H

#include "image.h"

#include <jpeglib.h>
#include <setjmp.h>

/** libjpeg reports errors by a function that must not return. */
static inline void image_jpeg_fail(j_common_ptr decoder) {
  jmp_buf *place = (jmp_buf *)decoder->client_data;
  longjmp(*place, 1);
}

/** A warning about damaged data is an error: the decoder would invent the rest of the picture. */
static inline void image_jpeg_warn(j_common_ptr decoder, int level) {
  if (level < 0)
    image_jpeg_fail(decoder);
}

/** Returns 0, or -1 where the file is no such picture. */
static inline int image_read_jpeg(FILE *file, image *picture) {
  struct jpeg_decompress_struct decoder;
  struct jpeg_error_mgr errors;
  jmp_buf place;
  decoder.err = jpeg_std_error(&errors);
  errors.error_exit = image_jpeg_fail;
  errors.emit_message = image_jpeg_warn;
  decoder.client_data = &place; /* jpeg_create_decompress leaves it as it is. */
  if (setjmp(place)) {
    jpeg_destroy_decompress(&decoder);
    image_free(picture);
    return -1;
  }
  jpeg_create_decompress(&decoder);
  jpeg_stdio_src(&decoder, file);
  jpeg_read_header(&decoder, TRUE);
  decoder.out_color_space = JCS_RGB;
  jpeg_start_decompress(&decoder);
  picture->width = (int)decoder.output_width;
  picture->height = (int)decoder.output_height;
  size_t row = (size_t)picture->width * IMAGE_CHANNELS;
  if (picture->width <= IMAGE_LARGEST && picture->height <= IMAGE_LARGEST)
    picture->pixels = (uint8_t *)malloc(row * (size_t)picture->height);
  while (picture->pixels && decoder.output_scanline < decoder.output_height) {
    JSAMPROW next = picture->pixels + decoder.output_scanline * row;
    jpeg_read_scanlines(&decoder, &next, 1);
  }
  jpeg_destroy_decompress(&decoder);
  return picture->pixels ? 0 : -1;
}

#endif /* NACRE_SAMPLES_JPEG_H */
