// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  LLVM's reader of JSON, for files that strangers wrote.
// Why:   it calls itself for each array in an array: a file of brackets alone ends the program for want of stack.
// How:   brackets that are no text are counted first. What Nacre reads has a handful in one another.

#ifndef NACRE_DIALECTS_NESTEDJSON_H
#define NACRE_DIALECTS_NESTEDJSON_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace nacre {

inline llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text) {
  constexpr unsigned most = 100;
  unsigned depth = 0;
  bool isText = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"')
      isText = !isText;
    else if (isText)
      at += c == '\\';
    else if ((c == '[' || c == '{') && ++depth > most)
      return llvm::createStringError("more than " + llvm::Twine(most) + " nested arrays and objects");
    else if ((c == ']' || c == '}') && depth != 0)
      --depth;
  }
  return llvm::json::parse(text);
}

} // namespace nacre

#endif // NACRE_DIALECTS_NESTEDJSON_H
