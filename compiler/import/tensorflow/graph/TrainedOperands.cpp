// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/tensorflow/graph/TrainedOperands.h"

#include "llvm/ADT/StringSwitch.h"

namespace nacre::importer::tensorflow_format {

size_t countTrainedOperands(llvm::StringRef op) {
  op.consume_front("Resource");
  op.consume_front("Sparse");
  if (!op.consume_front("Apply"))
    return 0;
  // Optimizers without a handler are also listed, so that `--check` reports them like any missing operator.
  return llvm::StringSwitch<size_t>(op)
      .Cases({"GradientDescent", "ProximalGradientDescent"}, 1)
      .Cases({"Momentum", "KerasMomentum", "Adagrad", "AdagradV2", "ProximalAdagrad", "AddSign", "PowerSign"}, 2)
      .Cases({"Adam", "AdaMax", "Adadelta", "RMSProp", "Ftrl", "FtrlV2", "AdagradDA"}, 3)
      .Cases({"AdamWithAmsgrad", "CenteredRMSProp"}, 4)
      .Default(0);
}

} // namespace nacre::importer::tensorflow_format
