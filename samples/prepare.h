/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Pictures as inputs of classifiers, for samples in C: the center, resized, normalized and quantized. The numbers equal those of
 * nacre/image.hpp in C++, dev.nacre.Images in Java and nacre.image in Python: Pillow's filter BILINEAR in fixed point.
 */
#ifndef NACRE_SAMPLES_PREPARE_H
#define NACRE_SAMPLES_PREPARE_H

#include "image.h"

#include <string.h>

enum { PREPARE_WEIGHT_BITS = 22 };

/** One axis of a picture: `size` pixels become `resized`, of which `count` are kept, from number `first` on. */
typedef struct prepare_axis {
  int size, resized, first, count;
} prepare_axis;

/** Finds the source pixels of a result and their weights. Returns how many there are. */
static inline int prepare_taps(const prepare_axis *axis, int result, int *begin, double *exact, int32_t *weights) {
  const double scale = (double)axis->size / axis->resized, support = scale < 1 ? 1 : scale, inverse = 1 / support;
  volatile const double center = (axis->first + result + 0.5) * scale; /* volatile: not fused with what is added */
  const double middle = center, low = middle - support + 0.5, high = middle + support + 0.5;
  *begin = low < 0 ? 0 : (int)low;
  const int count = (high > axis->size ? axis->size : (int)high) - *begin;
  double total = 0;
  for (int tap = 0; tap < count; tap++) {
    volatile const double product = (*begin + tap - middle + 0.5) * inverse;
    const double distance = product < 0 ? -product : product;
    exact[tap] = distance < 1 ? 1 - distance : 0;
    total += exact[tap];
  }
  for (int tap = 0; tap < count; tap++) {
    const double above = 0.5 + exact[tap] / total * (1 << PREPARE_WEIGHT_BITS);
    weights[tap] = (int32_t)above;
  }
  return count;
}

/** Resizes each row of `rows` along an axis whose pixels are `lanes` bytes. Returns memory for free(), or NULL. */
static inline uint8_t *prepare_resize(const uint8_t *from, int rows, size_t lanes, const prepare_axis *axis) {
  const size_t from_row = (size_t)axis->size * lanes, to_row = (size_t)axis->count * lanes;
  const size_t most = ((size_t)axis->size / (size_t)axis->resized + 2) * 2 + 1;
  uint8_t *made = (uint8_t *)malloc(to_row * (size_t)rows);
  double *exact = (double *)malloc(most * sizeof(double));
  int32_t *weights = (int32_t *)malloc(most * sizeof(int32_t));
  const int has_memory = made && exact && weights;
  if (has_memory) {
    for (int result = 0; result < axis->count; result++) {
      int begin;
      const int count = prepare_taps(axis, result, &begin, exact, weights);
      for (size_t row = 0; row < (size_t)rows; row++)
        for (size_t lane = 0; lane < lanes; lane++) {
          const uint8_t *source = from + row * from_row + (size_t)begin * lanes + lane;
          int32_t sum = 1 << (PREPARE_WEIGHT_BITS - 1);
          for (int tap = 0; tap < count; tap++)
            sum += source[(size_t)tap * lanes] * weights[tap];
          sum >>= PREPARE_WEIGHT_BITS;
          made[row * to_row + (size_t)result * lanes + lane] = (uint8_t)(sum > 255 ? 255 : sum);
        }
    }
  }
  free(exact);
  free(weights);
  if (!has_memory) {
    free(made);
    return NULL;
  }
  return made;
}

/** The code of a quantized input: the nearest integer, of two the even one, and clamped. */
static inline int prepare_code(float value, const nacre_tensor_info *info) {
  const int least = info->type == NACRE_I8 ? -128 : 0;
  const float steps = value / info->scale;
  if (!(steps > -100000 && steps < 100000)) /* beyond all codes */
    return steps > 0 ? least + 255 : least;
  int code = (int)steps;
  code -= steps < (float)code;
  const float above = steps - (float)code;
  code += above > 0.5f || (above == 0.5f && code % 2 != 0);
  code += info->zero_point;
  return code < least ? least : code > least + 255 ? least + 255 : code;
}

static inline int prepare_half(int rest) { return rest / 2 + (rest % 4 == 3); } /* as Python rounds */

/**
 * Scales the picture until it just covers the input, keeps its center, and writes (pixel / 255 - mean) / deviation. The input is
 * planes or pixels of three channels or of gray, as floats, or quantized to 8 bits. Returns 0, or -1 where it is something else.
 */
static inline int prepare_center(const image *picture, const nacre_tensor_info *info, float mean, float deviation,
                                 void *input) {
  if (info->rank != 4 || info->dims[0] != 1 || info->channels)
    return -1;
  const int planes = info->dims[1] == IMAGE_CHANNELS || info->dims[1] == 1, lanes = (int)info->dims[planes ? 1 : 3];
  const size_t bytes = info->type == NACRE_F32 ? 4 : info->type == NACRE_U8 || info->type == NACRE_I8 ? 1 : 0;
  if ((lanes != IMAGE_CHANNELS && lanes != 1) || bytes == 0)
    return -1;
  const int height = (int)info->dims[planes ? 2 : 1], width = (int)info->dims[planes ? 3 : 2];
  prepare_axis across = {picture->width, width, 0, width}, down = {picture->height, height, 0, height};
  if (picture->width <= picture->height) {
    const int64_t least = ((int64_t)height * picture->width + picture->height - 1) / picture->height;
    across.resized = width > least ? width : (int)least;
    down.resized = (int)((int64_t)across.resized * picture->height / picture->width);
  } else {
    const int64_t least = ((int64_t)width * picture->height + picture->width - 1) / picture->width;
    down.resized = height > least ? height : (int)least;
    across.resized = (int)((int64_t)down.resized * picture->width / picture->height);
  }
  across.first = prepare_half(across.resized - width);
  down.first = prepare_half(down.resized - height);

  const size_t pixels = (size_t)picture->width * (size_t)picture->height;
  uint8_t *source = (uint8_t *)malloc(pixels * (size_t)lanes);
  for (size_t i = 0; source && i < pixels; i++) {
    const uint8_t *pixel = picture->pixels + i * IMAGE_CHANNELS;
    if (lanes == 1) /* ITU-R 601, in fixed point */
      source[i] = (uint8_t)((pixel[0] * 19595u + pixel[1] * 38470u + pixel[2] * 7471u + 0x8000u) >> 16);
    else
      memcpy(source + i * IMAGE_CHANNELS, pixel, IMAGE_CHANNELS);
  }
  uint8_t *wide = source ? prepare_resize(source, picture->height, (size_t)lanes, &across) : NULL;
  uint8_t *made = wide ? prepare_resize(wide, 1, (size_t)width * (size_t)lanes, &down) : NULL;
  for (size_t i = 0; made && i < (size_t)width * (size_t)height * (size_t)lanes; i++) {
    const size_t channel = i % (size_t)lanes, pixel = i / (size_t)lanes;
    const size_t at = planes ? channel * (size_t)width * (size_t)height + pixel : i;
    const float value = ((float)made[i] / 255.0f - mean) / deviation;
    if (bytes == 4)
      ((float *)input)[at] = value;
    else
      ((uint8_t *)input)[at] = (uint8_t)prepare_code(value, info);
  }
  const int result = made ? 0 : -1;
  free(source);
  free(wide);
  free(made);
  return result;
}

#endif /* NACRE_SAMPLES_PREPARE_H */
