/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * A recording for the samples: one channel of 16 bits at one rate, as floats from -1 to 1.
 *
 * A telephone records so if it is asked to; a file of another kind is turned into one by `sox in.wav -r 16000 -c 1 -b 16 out.wav`.
 */
#ifndef NACRE_SAMPLES_WAV_H
#define NACRE_SAMPLES_WAV_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The little-endian number of `count` bytes. */
static inline uint32_t wav_number(const uint8_t *bytes, int count) {
  uint32_t number = 0;
  for (int i = 0; i < count; i++)
    number |= (uint32_t)bytes[i] << (8 * i);
  return number;
}

/** The samples of a chunk of 16-bit numbers, after `silence` zeros and before as many; NULL where memory is short. */
static inline float *wav_samples(FILE *file, uint32_t bytes, size_t silence, size_t *count) {
  float *samples = (float *)calloc(bytes / 2 + 2 * silence, sizeof *samples);
  uint8_t two[2];
  *count = 2 * silence;
  for (uint32_t i = 0; samples && i < bytes / 2 && fread(two, 1, 2, file) == 2; i++, (*count)++)
    samples[silence + i] = (float)(int16_t)wav_number(two, 2) / 32768.0f;
  return samples;
}

/**
 * Reads a file of 16-bit PCM, one channel at `rate`, with `silence` zeros before and behind it. The caller frees the
 * samples; NULL where the file is no such recording.
 */
static inline float *wav_read(const char *path, uint32_t rate, size_t silence, size_t *count) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  uint8_t head[16];
  float *samples = NULL;
  int is_known = 0, is_wav = fread(head, 1, 12, file) == 12 && !memcmp(head, "RIFF", 4) && !memcmp(head + 8, "WAVE", 4);
  while (is_wav && !samples && fread(head, 1, 8, file) == 8) {
    uint32_t bytes = wav_number(head + 4, 4);
    if (!memcmp(head, "data", 4)) {
      samples = is_known && bytes < INT32_MAX ? wav_samples(file, bytes, silence, count) : NULL;
      break;
    }
    int is_format = !memcmp(head, "fmt ", 4) && bytes >= 16 && fread(head, 1, 16, file) == 16;
    if (is_format)
      is_known = wav_number(head, 2) == 1 && wav_number(head + 2, 2) == 1 && wav_number(head + 4, 4) == rate &&
                 wav_number(head + 14, 2) == 16;
    is_wav = bytes < INT32_MAX && fseek(file, (long)(bytes + bytes % 2) - (is_format ? 16 : 0), SEEK_CUR) == 0;
  }
  fclose(file);
  return samples;
}

#endif /* NACRE_SAMPLES_WAV_H */
