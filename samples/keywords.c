/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Keyword spotting in C: reads a recording, prints the words that are said in it, and when.
 *
 * The network is one of ARM's, trained on Google's speech commands, compiled into libkeyword_net.so with its front end: it
 * takes a second of samples, and what an ear hears of them (AudioSpectrogram, Mfcc) is computed inside. It looks at a second
 * every tenth of a second. A word counts where the mean of three looks is sure of it; the same second is not heard twice.
 */
#include "keyword_net.h"
#include "wav.h"

enum { RATE = 16000, WINDOW = RATE, HOP = RATE / 10, LOOKS = 3, REST = 8, MOST_WORDS = 64, FIRST_WORD = 2 };
static const float kSure = 0.8f;

static int explain(const char *what) {
  fprintf(stderr, "keywords: %s\n", what);
  return 1;
}

/** Reads a label a line; how many there are. The first two are those of silence and of any other word. */
static int read_labels(const char *path, char labels[MOST_WORDS][32]) {
  FILE *file = fopen(path, "r");
  int count = 0;
  while (file && count < MOST_WORDS && fscanf(file, "%31s", labels[count]) == 1)
    count++;
  if (file)
    fclose(file);
  return count;
}

/** Runs the network on each window of the recording and prints the words; a status, explained where it is not OK. */
static nacre_status listen(nacre_session *session, const float *samples, size_t count, int words,
                           char labels[MOST_WORDS][32]) {
  void *input, *output;
  nacre_status status;
  if ((status = nacre_session_input(session, 0, &input)) != NACRE_OK ||
      (status = nacre_session_output(session, 0, &output)) != NACRE_OK)
    return status;

  float looks[LOOKS][MOST_WORDS] = {{0}};
  int rest = 0, number = 0;
  for (size_t begin = 0; begin + WINDOW <= count; begin += HOP, number++) {
    memcpy(input, samples + begin, WINDOW * sizeof *samples);
    if ((status = nacre_session_run(session)) != NACRE_OK)
      return status;
    memcpy(looks[number % LOOKS], output, (size_t)words * sizeof(float));
    if (rest-- > 0)
      continue;
    for (int word = FIRST_WORD; word < words; word++) {
      float mean = 0;
      for (int i = 0; i < LOOKS; i++)
        mean += looks[i][word] / (float)LOOKS;
      if (mean >= kSure) {
        /* The middle of the window before this one; half a window of silence was put before the recording. */
        printf("%.1f s: %s, %.0f %%\n", (double)(begin - HOP) / (double)RATE, labels[word], 100.0 * (double)mean);
        rest = REST;
      }
    }
  }
  return NACRE_OK;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s recording.wav labels.txt\n", argv[0]);
    return 2;
  }

  nacre_tensor_info input, output;
  if (nacre_input_describe(&nacre_model_keyword_net, 0, 0, &input) != NACRE_OK ||
      nacre_output_describe(&nacre_model_keyword_net, 0, 0, &output) != NACRE_OK || input.type != NACRE_F32 ||
      input.bytes != WINDOW * sizeof(float) || output.type != NACRE_F32)
    return explain("the network must take 16000 samples and return probabilities, both as floats");
  static char labels[MOST_WORDS][32];
  int words = read_labels(argv[2], labels);
  if ((uint64_t)words * sizeof(float) != output.bytes) {
    fprintf(stderr, "keywords: %s must have %d labels, one per line, but has %d\n", argv[2],
            (int)(output.bytes / sizeof(float)), words);
    return 1;
  }
  size_t count;
  float *samples = wav_read(argv[1], RATE, WINDOW / 2, &count);
  if (!samples) {
    fprintf(stderr, "keywords: %s must be a 16-bit mono WAV file at %d Hz\n", argv[1], RATE);
    return 1;
  }

  char reason[200] = "";
  nacre_session_options options = nacre_session_options_default();
  options.reason = reason;
  options.reason_capacity = sizeof reason;
  nacre_session *session;
  nacre_status status = nacre_session_create(&nacre_model_keyword_net, &options, &session);
  if (status == NACRE_OK) {
    status = listen(session, samples, count, words, labels);
    if (status != NACRE_OK)
      snprintf(reason, sizeof reason, "%s", nacre_session_reason(session));
    nacre_session_destroy(session);
  }
  free(samples);
  if (status == NACRE_OK)
    return 0;
  fprintf(stderr, "keywords: %s: %s\n", nacre_status_text(status), reason);
  return 1;
}
