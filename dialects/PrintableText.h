// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  makes text that contains names from a model safe to print and to write into reports.
// Why:   names come from untrusted files. A control character moves a terminal's cursor or changes its colors. A
//        bidirectional override shows a name backwards. Invalid UTF-8 is not valid in JSON.
// How:   each byte of an unprintable character becomes \xNN. All other characters stay.

#ifndef NACRE_DIALECTS_PRINTABLETEXT_H
#define NACRE_DIALECTS_PRINTABLETEXT_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"
#include <string>

namespace nacre {

inline std::string toPrintable(llvm::StringRef text) {
  std::string result;
  const auto *next = text.bytes_begin(), *end = text.bytes_end();
  while (next != end) {
    const auto *begin = next;
    llvm::UTF32 character;
    bool isText = llvm::convertUTF8Sequence(&next, end, &character, llvm::strictConversion) == llvm::conversionOK;
    if (!isText)
      next = begin + 1;
    if (isText && llvm::sys::unicode::isPrintable(static_cast<int>(character)))
      result.append(begin, next);
    else
      for (; begin != next; ++begin)
        result += "\\x" + llvm::utohexstr(*begin, /*LowerCase=*/true, /*Width=*/2);
  }
  return result;
}

} // namespace nacre

#endif // NACRE_DIALECTS_PRINTABLETEXT_H
