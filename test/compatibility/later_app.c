/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An app whose headers are of a later version than the model: it runs, and what asks for the later version is refused.
 */
#include "nacre/runtime.h"

#include <stdio.h>
#include <string.h>

extern const nacre_model nacre_model_strokes;

int main(void) {
  nacre_model_info info;
  memset(&info, 0xff, sizeof info);
  nacre_session *session = NULL;
  nacre_session_options options = nacre_session_options_default();
  if (nacre_model_describe(&nacre_model_strokes, &info) != NACRE_OK ||
      nacre_session_create(&nacre_model_strokes, &options, &session) != NACRE_OK ||
      nacre_session_run(session) != NACRE_OK)
    return 1;
  printf("ran; what was added is %d\n", (int)info.added);
  nacre_session_destroy(session);
  session = NULL;

  char reason[256] = "";
  options.reason = reason;
  options.reason_capacity = sizeof reason;
  const nacre_status status =
      nacre_model_strokes.functions->session_create(&nacre_model_strokes, NACRE_API_VERSION, &options, &session);
  if (status == NACRE_UNSUPPORTED && !session && strstr(reason, "compile the model with the newer Nacre"))
    puts("refused what is newer");
  return 0;
}
