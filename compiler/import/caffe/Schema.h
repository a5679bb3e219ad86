// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reader wants of a file of Caffe's weights, for the wire scan.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_SCHEMA_H
#define NACRE_COMPILER_IMPORT_CAFFE_SCHEMA_H

#include "compiler/import/protobuf/WireScan.h"

namespace nacre::importer::caffe_format {

/// Scans `file`, a serialized network, for names, types and blobs of its layers. A blob with elements names them by its field
/// `payloads`, which is ours.
llvm::Expected<WireSkeleton> scanWeights(llvm::StringRef file, uint64_t memoryBudget);

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_SCHEMA_H
