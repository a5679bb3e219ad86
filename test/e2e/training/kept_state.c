/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An app that feeds a model step by step. Lines of standard input: `run NUMBERS...` for all inputs, one behind the other,
 * prints the outputs and then the state; `write NAME NUMBERS...` and `reset` change the state. All elements are f32.
 */
#include MODEL_HEADER

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(nacre_status status, const char *what) {
  if (status == NACRE_OK)
    return;
  printf("failed: %s\n", what);
  exit(1);
}

static void read_numbers(float *into, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes / sizeof *into; ++i)
    if (scanf("%f", &into[i]) != 1)
      check(NACRE_FAILED, "numbers");
}

static void print_numbers(const char *name, const float *from, uint64_t bytes) {
  printf("%s", name);
  for (uint64_t i = 0; i < bytes / sizeof *from; ++i)
    printf(" %g", (double)from[i]);
  printf("\n");
}

static void run(nacre_session *session, nacre_state *state) {
  nacre_entry_info entry;
  nacre_tensor_info tensor;
  nacre_state_info info;
  void *data;
  float copy[256];
  check(nacre_entry_describe(&MODEL, 0, &entry), "entry");
  for (uint32_t i = 0; i < entry.input_count; ++i) {
    check(nacre_input_describe(&MODEL, 0, i, &tensor), "input");
    check(nacre_session_input(session, i, &data), "input");
    read_numbers((float *)data, tensor.bytes);
  }
  check(nacre_session_run(session), "run");
  for (uint32_t i = 0; i < entry.output_count; ++i) {
    check(nacre_output_describe(&MODEL, 0, i, &tensor), "output");
    check(nacre_session_output(session, i, &data), "output");
    print_numbers(tensor.name, (const float *)data, tensor.bytes);
  }
  for (uint32_t i = 0; nacre_state_describe(&MODEL, i, &info) == NACRE_OK; ++i) {
    check(info.bytes <= sizeof copy ? NACRE_OK : NACRE_FAILED, "state");
    check(nacre_state_read(state, i, copy, info.bytes), "state");
    print_numbers(info.name, copy, info.bytes);
  }
}

int main(void) {
  nacre_session *session;
  nacre_state *state;
  char command[64], name[64];
  check(nacre_session_create(&MODEL, NULL, &session), "create");
  check(nacre_session_state(session, &state), "state");
  while (scanf("%63s", command) == 1) {
    if (strcmp(command, "run") == 0) {
      run(session, state);
    } else if (strcmp(command, "reset") == 0) {
      check(nacre_state_reset(state, NACRE_STATE_RECURRENT), "reset");
    } else {
      nacre_state_info info;
      uint32_t index;
      float numbers[256];
      if (scanf("%63s", name) != 1)
        check(NACRE_FAILED, "name");
      check(nacre_state_find(state, name, &index), "find");
      check(nacre_state_describe(&MODEL, index, &info), "describe");
      read_numbers(numbers, info.bytes);
      check(nacre_state_write(state, index, numbers, info.bytes), "write");
    }
  }
  nacre_session_destroy(session);
  return 0;
}
