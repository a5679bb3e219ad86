// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of TensorFlow's operators that are control flow.

#include "compiler/import/tensorflow/control/ControlGraph.h"

#include "llvm/ADT/StringSwitch.h"

namespace nacre::importer::tensorflow_format {

ControlKind getControlKind(llvm::StringRef op) {
  return llvm::StringSwitch<ControlKind>(op)
      .Cases({"Identity", "RefIdentity"}, ControlKind::Identity)
      .Cases({"Switch", "RefSwitch"}, ControlKind::Switch)
      .Cases({"Merge", "RefMerge"}, ControlKind::Merge)
      .Cases({"Enter", "RefEnter"}, ControlKind::Enter)
      .Cases({"Exit", "RefExit"}, ControlKind::Exit)
      .Cases({"NextIteration", "RefNextIteration"}, ControlKind::NextIteration)
      .Case("LoopCond", ControlKind::LoopCond)
      .Cases({"Stack", "StackV2", "StackPush", "StackPushV2"}, ControlKind::GradientStack)
      .Cases({"StackPop", "StackPopV2", "StackClose", "StackCloseV2"}, ControlKind::GradientStack)
      .Cases({"TensorArrayGrad", "TensorArrayGradV2", "TensorArrayGradV3"}, ControlKind::GradientStack)
      .Case("TensorArrayGradWithShape", ControlKind::GradientStack)
      .Default(ControlKind::None);
}

} // namespace nacre::importer::tensorflow_format
