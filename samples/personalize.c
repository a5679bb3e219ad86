/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * An app that learns from its user: it fine-tunes the last layers of a network on the device, and may be killed at any time.
 *
 * The network is strokes.onnx, compiled with --train --trainable='fc*' while this program is built (CMakeLists.txt). After each
 * epoch its state is saved: weights, what the optimizer keeps, and how many steps there were. A program that starts again goes
 * on from there; what it learns is, to the last bit, what it would have learned without the interruption.
 *
 * A line of the examples is a class from 0 to 2 and 64 digits, the pixels.
 */
#include "strokes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 64, CLASSES = 3, BATCH = 8, MOST_EXAMPLES = 1000, MOST_WEIGHTS = 2048 };

struct example {
  int64_t class_number;
  float pixels[PIXELS];
};

static struct example examples[MOST_EXAMPLES];

static int explain(const char *what, nacre_status status, const char *reason) {
  fprintf(stderr, "personalize: %s: %s: %s\n", what, nacre_status_text(status), reason);
  return 1;
}

/** How many examples the file has. */
static int read_examples(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file)
    return 0;
  int count = 0, class_number;
  char digits[PIXELS + 1];
  while (count < MOST_EXAMPLES && fscanf(file, "%d %64[0-9]", &class_number, digits) == 2 && strlen(digits) == PIXELS &&
         class_number >= 0 && class_number < CLASSES) {
    struct example *example = &examples[count++];
    example->class_number = class_number;
    for (int i = 0; i < PIXELS; i++)
      example->pixels[i] = (float)(digits[i] - '0') / 9.0f;
  }
  fclose(file);
  return count;
}

/** The order of an epoch follows from its number alone, so that one that is begun again is the same again. */
static void shuffle(int *order, int count, int64_t epoch) {
  uint64_t bits = (uint64_t)epoch * 2654435769u + 1;
  for (int i = 0; i < count; i++)
    order[i] = i;
  for (int last = count - 1; last > 0; last--) {
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    int place = (int)(bits % (uint64_t)(last + 1)), kept = order[last];
    order[last] = order[place];
    order[place] = kept;
  }
}

/** One pass over the examples; the mean loss of its steps, or a negative number where a step failed. */
static float train_epoch(nacre_session *session, int count, int64_t epoch) {
  void *images, *labels, *rate, *loss;
  if (nacre_session_input_named(session, "image", &images) != NACRE_OK ||
      nacre_session_input_named(session, "label", &labels) != NACRE_OK ||
      nacre_session_input_named(session, "learning_rate", &rate) != NACRE_OK ||
      nacre_session_output_named(session, "loss", &loss) != NACRE_OK)
    return -1.0f;
  static int order[MOST_EXAMPLES];
  shuffle(order, count, epoch);
  float sum = 0.0f;
  int steps = count / BATCH;
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < BATCH; i++) {
      const struct example *example = &examples[order[step * BATCH + i]];
      memcpy((float *)images + i * PIXELS, example->pixels, sizeof example->pixels);
      ((int64_t *)labels)[i] = example->class_number;
    }
    *(float *)rate = 0.01f;
    if (nacre_session_run(session) != NACRE_OK)
      return -1.0f;
    sum += *(const float *)loss;
  }
  return sum / (float)steps;
}

/** How many examples the network recognizes with the weights of `state`; negative where a run failed. */
static int recognize(nacre_state *state, int count) {
  nacre_session_options options = nacre_session_options_default();
  options.state = state; /* the entry is main, the network as it was exported */
  nacre_session *session;
  void *image, *logits;
  if (nacre_session_create(&nacre_model_strokes, &options, &session) != NACRE_OK)
    return -1;
  int right = 0;
  if (nacre_session_input_named(session, "image", &image) != NACRE_OK ||
      nacre_session_output_named(session, "logits", &logits) != NACRE_OK)
    right = -1;
  for (int i = 0; right >= 0 && i < count; i++) {
    memcpy(image, examples[i].pixels, sizeof examples[i].pixels);
    if (nacre_session_run(session) != NACRE_OK) {
      right = -1;
      break;
    }
    const float *of_class = (const float *)logits;
    int best = 0;
    for (int c = 1; c < CLASSES; c++)
      if (of_class[c] > of_class[best])
        best = c;
    right += best == examples[i].class_number;
  }
  nacre_session_destroy(session);
  return right;
}

/** Goes on where the file ends, if there is one. */
static int resume(nacre_state *state, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return 0;
  fclose(file);
  nacre_status status = nacre_state_load(state, path, NACRE_STATE_ALL);
  return status == NACRE_OK ? 0 : explain(path, status, nacre_state_reason(state));
}

static int64_t count_steps(nacre_state *state) {
  uint32_t index;
  int64_t steps = 0;
  if (nacre_state_find(state, "#step", &index) == NACRE_OK)
    nacre_state_read(state, index, &steps, sizeof steps);
  return steps;
}

/**
 * 1 if all weights are finite, 0 if one is not, -1 if one cannot be read. The loss of a step is that of the weights before
 * its update, so only this finds an update that has spoiled them.
 */
static int is_finite(nacre_state *state) {
  static float values[MOST_WEIGHTS]; /* of one tensor */
  nacre_state_info tensor;
  for (uint32_t index = 0; nacre_state_describe(&nacre_model_strokes, index, &tensor) == NACRE_OK; index++) {
    if (tensor.type != NACRE_F32)
      continue;
    if (tensor.bytes > sizeof values || nacre_state_read(state, index, values, tensor.bytes) != NACRE_OK)
      return -1;
    for (size_t i = 0; i < tensor.bytes / sizeof *values; i++)
      if (!isfinite(values[i]))
        return 0;
  }
  return 1;
}

static int train(nacre_state *state, int count, int64_t epochs, const char *path) {
  char reason[200] = "";
  nacre_session_options options = nacre_session_options_default();
  options.entry = "train";
  options.state = state;
  options.reason = reason;
  options.reason_capacity = sizeof reason;
  nacre_session *session;
  nacre_status status = nacre_session_create(&nacre_model_strokes, &options, &session);
  if (status != NACRE_OK)
    return explain("train", status, reason);
  int failed = 0;
  for (int64_t epoch = count_steps(state) / (count / BATCH); !failed && epoch < epochs; epoch++) {
    float loss = train_epoch(session, count, epoch);
    const int finite = is_finite(state);
    if (loss < 0.0f) {
      failed = explain("train", NACRE_FAILED, nacre_session_reason(session));
    } else if (finite < 0) {
      failed = explain("weights", NACRE_FAILED, nacre_state_reason(state));
    } else if (!finite) { /* the file keeps what was saved last */
      fprintf(stderr, "personalize: training diverged in epoch %lld; lower the learning rate\n", (long long)epoch + 1);
      failed = 1;
    } else if ((status = nacre_state_save(state, path, NACRE_STATE_ALL)) != NACRE_OK) {
      failed = explain(path, status, nacre_state_reason(state));
    } else {
      printf("epoch %lld: loss %.4f\n", (long long)epoch + 1, (double)loss);
      fflush(stdout);
    }
  }
  nacre_session_destroy(session);
  return failed;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s examples.txt learned.safetensors epochs\n", argv[0]);
    return 2;
  }
  int count = read_examples(argv[1]);
  if (count < BATCH) {
    fprintf(stderr, "personalize: %s must have at least %d examples\n", argv[1], BATCH);
    return 1;
  }
  nacre_state *state;
  nacre_status status = nacre_state_create(&nacre_model_strokes, NULL, &state);
  if (status != NACRE_OK)
    return explain("state", status, "");
  int failed = resume(state, argv[2]);
  if (!failed)
    failed = train(state, count, strtoll(argv[3], NULL, 10), argv[2]);
  if (!failed)
    printf("recognizes %d of %d\n", recognize(state, count), count);
  nacre_state_destroy(state);
  return failed;
}
