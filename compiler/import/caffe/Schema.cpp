// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schema for the wire scan: the fields of Caffe's weight files that the reader needs.

#include "compiler/import/caffe/Schema.h"

namespace nacre::importer::caffe_format {
namespace {

enum Message : uint8_t { Net, Layer, OldLayer, FirstLayer, Blob, Shape };

/// Fields to keep. The network itself is read from the text.
constexpr WireField fields[] = {
    {Net, 2, WireKeep::Enter, OldLayer},        // layers
    {Net, 100, WireKeep::Enter, Layer},         // layer
    {Layer, 1, WireKeep::Copy},                 // name
    {Layer, 7, WireKeep::Enter, Blob},          // blobs
    {OldLayer, 1, WireKeep::Enter, FirstLayer}, // layer
    {OldLayer, 4, WireKeep::Copy},              // name
    {OldLayer, 6, WireKeep::Enter, Blob},       // blobs
    {FirstLayer, 1, WireKeep::Copy},            // name
    {FirstLayer, 50, WireKeep::Enter, Blob},    // blobs
    {Blob, 1, WireKeep::Copy},                  // num
    {Blob, 2, WireKeep::Copy},                  // channels
    {Blob, 3, WireKeep::Copy},                  // height
    {Blob, 4, WireKeep::Copy},                  // width
    {Blob, 5, WireKeep::Leave},                 // data
    {Blob, 7, WireKeep::Enter, Shape},          // shape
    {Blob, 8, WireKeep::Leave},                 // double_data
    {Shape, 1, WireKeep::Numbers},              // dim
};

/// Size of protobuf's class for each message in bytes, in the order of Message.
constexpr uint16_t costs[] = {512, 1024, 1024, 512, 256, 128};

} // namespace

llvm::Expected<WireSkeleton> scanWeights(llvm::StringRef file, uint64_t memoryBudget) {
  constexpr WireSchema schema = {fields, costs, "a Caffe weights file", /*payloadsField=*/1000};
  return scanWire(file, schema, Net, memoryBudget);
}

} // namespace nacre::importer::caffe_format
