// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  options of passes whose values are choices of a user: engines, accuracy, types.
// Why:   pipelines hand passes the choice itself; only nacre-opt spells it, and it refuses other words.

#ifndef NACRE_DIALECTS_PLAN_PASSOPTIONS
#define NACRE_DIALECTS_PLAN_PASSOPTIONS

include "mlir/Pass/PassBase.td"

/// `words` are pairs of an enumerator and its word.
class WordOption<string member, string flag, string type, string default, string help, list<list<string>> words>
    : Option<member, flag, type, type # "::" # default, help,
             "::llvm::cl::values(" #
             !interleave(!foreach(word, words, "clEnumValN(" # type # "::" # word[0] # ", \"" # word[1] # "\", \"\")"), ", ") # ")">;

def AccuracyOption : WordOption<"accuracy", "accuracy", "::nacre::Accuracy", "Fast", "fast or strict: whether Winograd is taken",
                                [["Fast", "fast"], ["Strict", "strict"]]>;
class GpuPrecisionOption<string flag, string help>
    : WordOption<"precision", flag, "::nacre::GpuPrecision", "F32", help, [["F32", "fp32"], ["F16", "fp16"]]>;

#endif // NACRE_DIALECTS_PLAN_PASSOPTIONS
