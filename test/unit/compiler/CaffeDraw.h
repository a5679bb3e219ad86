// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Networks of Caffe of one layer, drawn at random.

#ifndef NACRE_TEST_UNIT_COMPILER_CAFFEDRAW_H
#define NACRE_TEST_UNIT_COMPILER_CAFFEDRAW_H

#include "test/unit/compiler/Draw.h"

#include "caffe.pb.h"
#include "llvm/ADT/ArrayRef.h"

namespace nacre {

struct DrawnNetwork {
  caffe::NetParameter network, weights;
};

/// A network of one layer, whose bottoms and blobs `rules` describe.
DrawnNetwork drawNetwork(Draw &draw, llvm::StringRef type, llvm::ArrayRef<importer::OperandRule> rules);

} // namespace nacre

#endif // NACRE_TEST_UNIT_COMPILER_CAFFEDRAW_H
