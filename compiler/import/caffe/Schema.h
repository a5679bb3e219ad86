// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schema for the wire scan: the fields of Caffe's weight files that the reader needs.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_SCHEMA_H
#define NACRE_COMPILER_IMPORT_CAFFE_SCHEMA_H

#include "compiler/import/protobuf/WireScan.h"

namespace nacre::importer::caffe_format {

/// Scans `file`, a serialized network, for names, types and blobs of its layers. The field `payloads`, which Nacre adds
/// to blobs, refers to the elements.
llvm::Expected<WireSkeleton> scanWeights(llvm::StringRef file, uint64_t memoryBudget);

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_SCHEMA_H
