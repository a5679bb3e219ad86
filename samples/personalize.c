/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * An app that learns from its user: it fine-tunes the last layers of a network on the device, and may be killed at any time.
 *
 * The network is strokes.onnx, compiled with --train --trainable='fc*' --place=gpu while this program is built
 * (CMakeLists.txt). After each epoch its state is saved: weights, what the optimizer keeps, and how many steps there were. A
 * program that starts again goes on from there; what it learns is, to the last bit, what it would have learned without the
 * interruption.
 *
 * With --gpu, the GPU computes the steps and keeps the state between them; the host gets a copy when an epoch is checked and
 * saved. Without a GPU, the program says so and the CPU computes. A file of either continues on the other.
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

/** Whether the GPU computes: --gpu was given, and no session has found that there is none. */
static int uses_gpu;

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

/**
 * Creates a session of an entry. If it cannot have a GPU, the CPU computes in it and in all later ones.
 *
 * An app that may use what there is leaves options.gpu as it is. This one requires the GPU, to be able to say that it has none.
 */
static nacre_status create_session(const char *entry, nacre_state *state, char *reason, size_t reason_capacity,
                                   nacre_session **session) {
  nacre_session_options options = nacre_session_options_default();
  options.entry = entry;
  options.state = state;
  options.reason = reason;
  options.reason_capacity = reason_capacity;
  options.gpu = uses_gpu ? NACRE_GPU_REQUIRED : NACRE_GPU_NEVER;
  nacre_status status = nacre_session_create(&nacre_model_strokes, &options, session);
  if (status != NACRE_UNSUPPORTED || !uses_gpu)
    return status;
  fprintf(stderr, "personalize: no GPU can be used, so the CPU computes: %s\n", reason);
  uses_gpu = 0;
  options.gpu = NACRE_GPU_NEVER;
  return nacre_session_create(&nacre_model_strokes, &options, session);
}

/** Says once if the GPU has failed in a run. The session has then continued on the CPU. */
static void tell_lost_gpu(nacre_session *session) {
  nacre_session_info info;
  if (uses_gpu && nacre_session_describe(session, &info) == NACRE_OK && !info.device[0]) {
    fprintf(stderr, "personalize: the CPU continues: %s\n", nacre_session_reason(session));
    uses_gpu = 0;
  }
}

/** Trains from step number `step` to the end of its epoch; the mean loss, or a negative number where a step failed. */
static float train_epoch(nacre_session *session, int count, int64_t step) {
  void *images, *labels, *rate, *loss;
  if (nacre_session_input_named(session, "image", &images) != NACRE_OK ||
      nacre_session_input_named(session, "label", &labels) != NACRE_OK ||
      nacre_session_input_named(session, "learning_rate", &rate) != NACRE_OK ||
      nacre_session_output_named(session, "loss", &loss) != NACRE_OK)
    return -1.0f;
  static int order[MOST_EXAMPLES];
  const int steps = count / BATCH, first = (int)(step % steps);
  shuffle(order, count, step / steps);
  float sum = 0.0f;
  for (int batch = first; batch < steps; batch++) {
    for (int i = 0; i < BATCH; i++) {
      const struct example *example = &examples[order[batch * BATCH + i]];
      memcpy((float *)images + i * PIXELS, example->pixels, sizeof example->pixels);
      ((int64_t *)labels)[i] = example->class_number;
    }
    *(float *)rate = 0.01f;
    if (nacre_session_run(session) != NACRE_OK)
      return -1.0f;
    sum += *(const float *)loss;
  }
  return sum / (float)(steps - first);
}

/** How many examples the network recognizes with the weights of `state`; negative where a run failed. */
static int recognize(nacre_state *state, int count) {
  char reason[200] = "";
  nacre_session *session;
  void *image, *logits;
  if (create_session("main", state, reason, sizeof reason, &session) != NACRE_OK) /* the network as it was exported */
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

/** How many steps made this state; negative if that cannot be read. */
static int64_t count_steps(nacre_state *state) {
  uint32_t index;
  int64_t steps;
  return nacre_state_find(state, "#step", &index) == NACRE_OK &&
                 nacre_state_read(state, index, &steps, sizeof steps) == NACRE_OK
             ? steps
             : -1;
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

/** Trains up to an epoch. Where to continue is read from the state each time: a GPU that is lost may have taken steps with it. */
static int train(nacre_state *state, int count, int64_t epochs, const char *path) {
  char reason[200] = "";
  nacre_session *session;
  nacre_status status = create_session("train", state, reason, sizeof reason, &session);
  if (status != NACRE_OK)
    return explain("train", status, reason);
  int failed = 0;
  const int64_t steps = count / BATCH;
  int64_t step = count_steps(state);
  while (!failed && step >= 0 && step < epochs * steps) {
    const int64_t epoch = step / steps + 1;
    float loss = train_epoch(session, count, step);
    tell_lost_gpu(session);
    const int finite = is_finite(state);
    if (loss < 0.0f) {
      failed = explain("train", NACRE_FAILED, nacre_session_reason(session));
    } else if (finite < 0) {
      failed = explain("weights", NACRE_FAILED, nacre_state_reason(state));
    } else if (!finite) { /* the file keeps what was saved last */
      fprintf(stderr, "personalize: training diverged in epoch %lld; lower the learning rate\n", (long long)epoch);
      failed = 1;
    } else if ((status = nacre_state_save(state, path, NACRE_STATE_ALL)) != NACRE_OK) {
      failed = explain(path, status, nacre_state_reason(state));
    } else {
      printf("epoch %lld: loss %.4f\n", (long long)epoch, (double)loss);
      fflush(stdout);
    }
    step = count_steps(state);
  }
  if (!failed && step < 0)
    failed = explain("steps", NACRE_FAILED, nacre_state_reason(state));
  nacre_session_destroy(session);
  return failed;
}

static void print_usage(FILE *file, const char *program) {
  fprintf(file,
          "usage: %s [--gpu] examples.txt learned.safetensors epochs\n\n"
          "Learns from the examples until as many epochs have been made, and continues from the second file if it "
          "exists.\n\n"
          "  --gpu   train and recognize on the GPU, or on the CPU if no GPU can be used\n"
          "  --help  print this and end\n",
          program);
}

int main(int argc, char **argv) {
  const char *program = argv[0];
  for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
    if (!strcmp(argv[1], "--help")) {
      print_usage(stdout, program);
      return 0;
    }
    if (strcmp(argv[1], "--gpu")) {
      fprintf(stderr, "personalize: unknown option %s; --help lists the options\n", argv[1]);
      return 2;
    }
    uses_gpu = 1;
  }
  if (argc != 4) {
    print_usage(stderr, program);
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
  if (!failed) {
    const int right = recognize(state, count);
    if (right < 0)
      failed = explain("main", NACRE_FAILED, nacre_state_reason(state));
    else
      printf("recognizes %d of %d\n", right, count);
  }
  nacre_state_destroy(state);
  return failed;
}
