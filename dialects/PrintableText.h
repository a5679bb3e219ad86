// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  text that holds names of a model, as it may be shown to people and written into reports.
// Why:   names come from strangers' files: a control character moves a terminal's cursor or colours what follows, an
//        override of the direction of writing shows a name backwards, and bytes that are no UTF-8 are not valid in JSON.
// How:   what has no shape of its own on a screen becomes \xNN, byte by byte; the rest stays.

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
