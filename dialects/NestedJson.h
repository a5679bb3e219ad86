// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a call of LLVM's JSON parser that is safe for untrusted files.
// Why:   the parser recurses into nested arrays, so a file of only brackets would overflow the stack.
// How:   nested brackets outside of strings are counted first. Files that Nacre reads have only a few levels.

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
