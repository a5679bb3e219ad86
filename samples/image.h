/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Reads a picture into the layout the sample network wants: planes of red, green and blue, values from -1 to 1.
 *
 * Shared by the C and the C++ sample, so that both show Nacre and nothing else. Binary PPM only (P6, 8 bits): any tool
 * writes it, and it needs no library.
 */
#ifndef NACRE_SAMPLES_IMAGE_H
#define NACRE_SAMPLES_IMAGE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { IMAGE_SIZE = 96, IMAGE_CHANNELS = 3, IMAGE_CLASSES = 10 };

/** Fills `planes` [3][96][96] with the nearest pixels of the picture. Returns 0, or -1 where the file is no such
 * picture. */
static inline int read_image(const char *path, float *planes) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return -1;
  int width = 0, height = 0, status = -1;
  char end = 0;
  uint8_t *pixels = NULL;
  if (fscanf(file, "P6 %d %d 255%c", &width, &height, &end) == 3 && width > 0 && height > 0 && width <= 16384 &&
      height <= 16384) {
    size_t bytes = (size_t)width * (size_t)height * IMAGE_CHANNELS;
    pixels = (uint8_t *)malloc(bytes);
    if (pixels && fread(pixels, 1, bytes, file) == bytes) {
      for (int channel = 0; channel < IMAGE_CHANNELS; channel++)
        for (int y = 0; y < IMAGE_SIZE; y++)
          for (int x = 0; x < IMAGE_SIZE; x++) {
            size_t source = (size_t)(y * height / IMAGE_SIZE) * (size_t)width + (size_t)(x * width / IMAGE_SIZE);
            *planes++ = (float)pixels[source * IMAGE_CHANNELS + (size_t)channel] / 127.5f - 1.0f;
          }
      status = 0;
    }
  }
  free(pixels);
  fclose(file);
  return status;
}

#endif /* NACRE_SAMPLES_IMAGE_H */
