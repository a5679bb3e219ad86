// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the column of a pass for the engines whose operations it changes.
// Why:   the rule is in one place, and dialects/plan/EnginePass.h applies it. The pass itself tests no engine.

#ifndef NACRE_DIALECTS_PLAN_ENGINEPASS
#define NACRE_DIALECTS_PLAN_ENGINEPASS

include "mlir/Pass/PassBase.td"

/// A pass on `operation` that changes only what one of `engines` computes. These are enumerators of plan::Engine. With
/// `Any`, it also changes operations whose engine is not decided.
class EnginePass<string flag, string operation, list<string> engines>
    : PassBase<flag, "::nacre::plan::EnginePass<" # operation # ", " #
                     !interleave(!foreach(engine, engines, "::nacre::plan::Engine::" # engine), ", ") # ">">;

#endif // NACRE_DIALECTS_PLAN_ENGINEPASS
