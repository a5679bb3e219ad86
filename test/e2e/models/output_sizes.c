/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An app that runs a model of one f32 input several times, and prints after each run what there is of every output: a line
 * `name dims...: elements...`. The input of a run is a line of numbers on standard input.
 */
#include MODEL_HEADER

#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what) {
  printf("failed: %s\n", what);
  exit(1);
}

static void check(nacre_status status, const char *what) {
  if (status != NACRE_OK)
    fail(what);
}

static void print_element(const nacre_tensor_info *info, const void *data, int64_t at) {
  switch (info->type) {
  case NACRE_F32:
    printf(" %g", (double)((const float *)data)[at]);
    break;
  case NACRE_I64:
    printf(" %lld", (long long)((const int64_t *)data)[at]);
    break;
  default:
    fail("an element type");
  }
}

/* Elements lie where they would be if all were there: strides are those of info->dims. */
static void print_output(nacre_session *session, uint32_t index) {
  nacre_tensor_info info;
  int64_t dims[8], count = 1;
  void *data;
  check(nacre_output_describe(&MODEL, 0, index, &info), "describe");
  check(nacre_session_output(session, index, &data), "output");
  check(nacre_session_output_dims(session, index, dims), "output_dims");
  printf("%s", info.name);
  for (uint32_t axis = 0; axis < info.rank; ++axis) {
    printf(" %lld", (long long)dims[axis]);
    count *= dims[axis];
    if (!(info.open_axes >> axis & 1) && dims[axis] != info.dims[axis])
      fail("an axis that is not open");
  }
  printf(":");
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = 0, rest = i, stride = 1;
    for (uint32_t axis = info.rank; axis-- > 0; stride *= info.dims[axis]) {
      at += rest % dims[axis] * stride;
      rest /= dims[axis];
    }
    print_element(&info, data, at);
  }
  printf("\n");
}

int main(void) {
  nacre_session *session;
  nacre_tensor_info info;
  nacre_entry_info entry;
  void *input;
  float value;
  int64_t dims[8];
  check(nacre_session_create(&MODEL, NULL, &session), "create");
  check(nacre_entry_describe(&MODEL, 0, &entry), "entry");
  check(nacre_input_describe(&MODEL, 0, 0, &info), "input");
  check(nacre_session_input(session, 0, &input), "input");
  if (nacre_session_output_dims(session, 0, dims) != NACRE_BAD_ARGUMENT)
    fail("sizes before a run");
  if (nacre_session_output_dims(session, entry.output_count, dims) != NACRE_BAD_ARGUMENT)
    fail("an output that is not there");
  for (uint64_t i = 0; scanf("%f", &value) == 1;) {
    ((float *)input)[i] = value;
    if (++i * sizeof value < info.bytes)
      continue;
    i = 0;
    check(nacre_session_run(session), "run");
    for (uint32_t output = 0; output < entry.output_count; ++output)
      print_output(session, output);
  }
  nacre_session_destroy(session);
  return 0;
}
