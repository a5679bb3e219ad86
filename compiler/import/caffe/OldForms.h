// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts networks in the two forms that Caffe had before the present one.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_OLDFORMS_H
#define NACRE_COMPILER_IMPORT_CAFFE_OLDFORMS_H

#include "caffe.pb.h"
#include "mlir/IR/Location.h"

namespace nacre::importer::caffe_format {

/// Adds the layers of `net` that have an old form to its layers, in the present form. Emits errors at `loc`.
mlir::LogicalResult upgradeLayers(caffe::NetParameter &net, mlir::Location loc);

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_OLDFORMS_H
