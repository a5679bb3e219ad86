/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Pictures for the samples: read from a file, laid out as a network wants them, and written.
 *
 * Shared by samples in C and in C++, so that those show Nacre and nothing else. Binary PPM (P6, 8 bits) needs no library, and any
 * tool writes it (`magick picture.jpg picture.ppm`). If SAMPLES_JPEG is defined, it reads JPEG, too, with libjpeg (`-ljpeg`).
 */
#ifndef NACRE_SAMPLES_IMAGE_H
#define NACRE_SAMPLES_IMAGE_H

#include "nacre/runtime.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { IMAGE_CHANNELS = 3, IMAGE_LARGEST = 16384 };

/** Rows of pixels from the top; a pixel is its red, green and blue. */
typedef struct image {
  int width, height;
  uint8_t *pixels;
} image;

static inline void image_free(image *picture) {
  free(picture->pixels);
  picture->pixels = NULL;
}

/** The next number of a picture's head, and the byte behind it; -1 where there is none, or it is beyond all pictures. */
static inline int image_number(FILE *file) {
  int byte = fgetc(file), number = -1, in_comment = 0;
  for (; in_comment || byte == '#' || byte == ' ' || (byte >= '\t' && byte <= '\r'); byte = fgetc(file)) {
    if (byte == EOF)
      return -1;
    in_comment = (in_comment || byte == '#') && byte != '\n';
  }
  for (; byte >= '0' && byte <= '9' && number <= IMAGE_LARGEST; byte = fgetc(file))
    number = 10 * (number < 0 ? 0 : number) + byte - '0';
  return number;
}

#ifdef SAMPLES_JPEG
#include "jpeg.h"
#define IMAGE_KINDS "a JPEG or 8-bit binary PPM file"
#else
#define IMAGE_KINDS "an 8-bit binary PPM file"
#endif

/** Returns 0, or -1 where the file is no such picture. */
static inline int image_read(const char *path, image *picture) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return -1;
  picture->pixels = NULL;
  unsigned char kind[2];
  int is_known = fread(kind, 1, 2, file) == 2;
#ifdef SAMPLES_JPEG
  if (is_known && kind[0] == 0xff && kind[1] == 0xd8) {
    int read = fseek(file, 0, SEEK_SET) == 0 ? image_read_jpeg(file, picture) : -1;
    fclose(file);
    return read;
  }
#endif
  is_known = is_known && kind[0] == 'P' && kind[1] == '6';
  picture->width = image_number(file);
  picture->height = image_number(file);
  if (is_known && image_number(file) == 255 && picture->width > 0 && picture->height > 0 &&
      picture->width <= IMAGE_LARGEST && picture->height <= IMAGE_LARGEST) {
    size_t bytes = (size_t)picture->width * (size_t)picture->height * IMAGE_CHANNELS;
    picture->pixels = (uint8_t *)malloc(bytes);
    if (picture->pixels && fread(picture->pixels, 1, bytes, file) != bytes)
      image_free(picture);
  }
  fclose(file);
  return picture->pixels ? 0 : -1;
}

/** Returns 0, or -1 where the file cannot be written. */
static inline int image_write(const char *path, const image *picture) {
  FILE *file = fopen(path, "wb");
  if (!file)
    return -1;
  size_t bytes = (size_t)picture->width * (size_t)picture->height * IMAGE_CHANNELS;
  int written = fprintf(file, "P6 %d %d 255\n", picture->width, picture->height) > 0 &&
                fwrite(picture->pixels, 1, bytes, file) == bytes;
  return fclose(file) == 0 && written ? 0 : -1;
}

/** The mean of the pixels from (left, top) to before (right, bottom), at least of one. */
static inline float image_mean(const image *picture, int channel, int left, int top, int right, int bottom) {
  int64_t sum = 0, count = 0;
  for (int y = top; y == top || y < bottom; y++)
    for (int x = left; x == left || x < right; x++, count++)
      sum += picture->pixels[((size_t)y * (size_t)picture->width + (size_t)x) * IMAGE_CHANNELS + (size_t)channel];
  return (float)sum / (float)count;
}

/**
 * Scales the picture to the size of an input of floats and writes it there: (value - middle) / range of each pixel, as
 * planes [1][3][height][width] or as pixels [1][height][width][3]. Returns 0, or -1 where the input is neither.
 */
static inline int image_to_input(const image *picture, const nacre_tensor_info *info, float middle, float range,
                                 void *input) {
  if (info->type != NACRE_F32 || info->rank != 4 || info->dims[0] != 1)
    return -1;
  int planes = info->dims[1] == IMAGE_CHANNELS;
  if (!planes && info->dims[3] != IMAGE_CHANNELS)
    return -1;
  int height = (int)info->dims[planes ? 2 : 1], width = (int)info->dims[planes ? 3 : 2];
  size_t pixel_step = planes ? 1 : IMAGE_CHANNELS, plane_step = planes ? (size_t)width * (size_t)height : 1;
  float *values = (float *)input;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++, values += pixel_step)
      for (int channel = 0; channel < IMAGE_CHANNELS; channel++)
        values[(size_t)channel * plane_step] =
            (image_mean(picture, channel, x * picture->width / width, y * picture->height / height,
                        (x + 1) * picture->width / width, (y + 1) * picture->height / height) -
             middle) /
            range;
  return 0;
}

#endif /* NACRE_SAMPLES_IMAGE_H */
