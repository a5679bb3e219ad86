// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes the kind of a file that is not a supported model.
//
// 1. Signatures: bytes at a position that no other format has.
// 2. Text, recognized by words in it.
// 3. Protobuf files, which have no signature, recognized by their first fields.
// 4. Other files, recognized by the end of the name.

#include "compiler/import/model/FileKind.h"

#include "compiler/import/protobuf/WireScan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using llvm::StringLiteral;
using llvm::StringRef;

namespace nacre::importer {
namespace {

constexpr const char *fromPyTorch = "export the model to ONNX with torch.onnx.export";
constexpr const char *giveGraph = "pass the graph (.pb or .meta), and this file with --checkpoint";
constexpr const char *fromKeras =
    "save the model as a TensorFlow SavedModel with model.export('folder'), and pass that folder";
constexpr const char *fromOrigin = "export the model to ONNX from the framework that made it";
constexpr const char *unpack = "unpack it and pass the model inside";
constexpr const char *download = "download the file again";
constexpr const char *isTensor = "pass the model; tensors are for --set and nacre-run";

struct Kind {
  StringLiteral mark; ///< bytes of a signature, a word, or the end of a name
  const char *what;
  const char *advice;
};

//===----------------------------------------------------------------------===//
// 1. Signatures
//===----------------------------------------------------------------------===//

struct FileSignature : Kind {
  size_t at = 0;
};

constexpr FileSignature signatures[] = {
    {{"ORTM", "an ONNX Runtime model (.ort)", "pass the ONNX file it was made from"}, 4},
    {{"\x89HDF\r\n\x1a\n", "an HDF5 file, as Keras writes them", fromKeras}},
    {{"PK\x03\x04", "a zip archive", unpack}},
    {{"\x1f\x8b", "a file packed with gzip", unpack}},
    {{"BZh", "a file packed with bzip2", unpack}},
    {{"\xfd"
      "7zXZ",
      "a file packed with xz", unpack}},
    {{"\x28\xb5\x2f\xfd", "a file packed with zstd", unpack}},
    {{"ustar", "a tar archive", unpack}, 257},
    {{"ET12", "an ExecuTorch program (.pte)", fromPyTorch}, 4},
    {{"GGUF", "a GGUF file of llama.cpp", fromOrigin}},
    {{"\x93NUMPY", "a NumPy array (.npy)", isTensor}},
    {{"\x7f"
      "ELF",
      "a program or a library for Linux", "pass the model it was made from"}},
    {{"MZ", "a program for Windows", "pass the model it was made from"}},
};

/// True if the file begins with the protocol version of a pickle.
bool isPickle(StringRef bytes) { return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5; }

/// True if the file begins with the length of a header, followed by JSON.
bool isSafetensors(StringRef bytes) {
  return bytes.size() > 9 && bytes[8] == '{' && llvm::support::endian::read64le(bytes.data()) <= uint64_t(100) << 20 &&
         llvm::support::endian::read64le(bytes.data()) >= 2;
}

/// Recognizes the zip archives of torch.jit.save, torch.export.save and torch.save by the names of the files in them.
/// The zip directory at the end of the archive has these names.
FileKind recognizePyTorch(StringRef bytes) {
  constexpr size_t directoryBytes = size_t(1) << 20;
  StringRef directory = bytes.take_back(directoryBytes);
  if (directory.contains("/constants.pkl"))
    return {"a TorchScript module",
            "load it with torch.jit.load, and export it to ONNX with torch.onnx.export and dynamo=False", true};
  if (directory.contains("exported_program.json") || directory.contains("/models/model.json"))
    return {"a program of torch.export (.pt2)",
            "load it with torch.export.load, and export it to ONNX with torch.onnx.export", true};
  if (directory.contains("/data.pkl"))
    return {"a file of torch.save, which holds weights or a pickled module but no graph",
            "load it into its module, and export that to ONNX with torch.onnx.export", true};
  return {"", "", false};
}

FileKind recognizeZip(StringRef bytes, StringRef name) {
  if (FileKind kind = recognizePyTorch(bytes); !kind.what.empty())
    return kind;
  if (name.ends_with_insensitive(".keras"))
    return {"a Keras model", fromKeras, true};
  if (name.ends_with_insensitive(".npz"))
    return {"a file of NumPy arrays (.npz)", isTensor, true};
  for (const char *end : {".pt", ".pth", ".ckpt", ".bin"})
    if (name.ends_with_insensitive(end))
      return {"a PyTorch file", fromPyTorch, true};
  return {"a zip archive (PyTorch writes these, too)",
          "unpack it and pass the model inside; a PyTorch model must be exported with torch.onnx.export", true};
}

//===----------------------------------------------------------------------===//
// 2. Text
//===----------------------------------------------------------------------===//

constexpr Kind words[] = {
    {"version https://git-lfs", "a git-lfs pointer", "fetch the file with git lfs pull"},
    {"<!DOCTYPE html", "an HTML page, which servers send instead of a missing file", download},
    {"<html", "an HTML page, which servers send instead of a missing file", download},
    {"<net", "an OpenVINO model", fromOrigin},
    {"7767517", "an ncnn model", fromOrigin},
    {"ir_version:", "an ONNX model in text form", "convert it to binary with onnx.save"},
    {"\"irVersion\"", "an ONNX model as JSON", "convert it to binary with onnx.save"},
    {"ir_version", "an ONNX model in text form", "convert it to binary with onnx.save"},
    {"[convolutional]", "a Darknet network (.cfg)", fromOrigin},
};

FileKind recognizeText(StringRef head) {
  for (const Kind &word : words)
    if (head.contains_insensitive(word.mark))
      return {word.what, word.advice, false};
  return {"a text file", "pass the model itself", false};
}

//===----------------------------------------------------------------------===//
// 3. Protobuf
//===----------------------------------------------------------------------===//

/// Removes the tag (one byte) and the length of a field from the front of `bytes`. Returns false if `bytes` does not
/// begin with this tag.
bool enterField(StringRef &bytes, char tag) {
  uint64_t length;
  if (!bytes.consume_front(StringRef(&tag, 1)) || !takeVarint(bytes, length) || length > bytes.size())
    return false;
  bytes = bytes.take_front(length);
  return true;
}

/// True if the file begins like a SavedModel: the version 1, and then a graph with information about it.
bool isSavedModel(StringRef bytes) {
  return bytes.consume_front("\x08\x01") && enterField(bytes, 0x12) && enterField(bytes, 0x0a);
}

/// True if the file begins like a Core ML model: the version of its specification, and then a description that begins
/// with inputs. A model of version 1 looks like a SavedModel, except for its file name.
bool isCoreMl(StringRef bytes, StringRef name) {
  uint64_t version;
  constexpr uint64_t newest = 64;
  return bytes.consume_front("\x08") && takeVarint(bytes, version) && version <= newest && enterField(bytes, 0x12) &&
         bytes.starts_with("\x0a") && (version > 1 || name.ends_with_insensitive(".mlmodel"));
}

//===----------------------------------------------------------------------===//
// 4. Names
//===----------------------------------------------------------------------===//

constexpr Kind names[] = {
    {".pb", "an ONNX tensor or a TensorFlow file (.pb)", isTensor},
    {".index", "the index of a TensorFlow checkpoint", giveGraph},
    {".caffemodel", "the weights of a Caffe network", "pass the network (.prototxt), and this file with --weights"},
    {".msg", "the parameters of a layer of a CNNdroid network",
     "pass the network's definition, and the folder of this file with --weights"},
    {".mlmodel", "a Core ML model", fromOrigin},
    {".pdmodel", "a PaddlePaddle model", "export the model to ONNX with paddle2onnx"},
    {".mnn", "an MNN model", fromOrigin},
    {".engine", "a TensorRT engine", "pass the model it was made from"},
    {".plan", "a TensorRT engine", "pass the model it was made from"},
    {".tflite", "a damaged TensorFlow Lite model", download},
    {".pt", "a PyTorch file", fromPyTorch},
    {".pth", "a PyTorch file", fromPyTorch},
};

} // namespace

bool isText(StringRef bytes) {
  constexpr size_t headBytes = 4096;
  bytes = bytes.take_front(headBytes);
  // A character of several bytes may be cut at the end of `bytes`.
  constexpr size_t longest = 4;
  size_t cut = 0;
  while (cut < longest && cut < bytes.size() && static_cast<uint8_t>(bytes[bytes.size() - 1 - cut]) >= 128)
    ++cut;
  bytes = bytes.drop_back(cut);
  return !bytes.empty() && llvm::json::isUTF8(bytes) && llvm::all_of(bytes, [](char c) {
    return llvm::isPrint(c) || static_cast<uint8_t>(c) >= 128 || c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
}

FileKind recognizeFile(StringRef bytes, StringRef name) {
  if (bytes.empty())
    return {"an empty file", "export or download it again", true};
  if (bytes.starts_with("PK\x03\x04"))
    return recognizeZip(bytes, name);
  for (const FileSignature &signature : signatures)
    if (bytes.substr(signature.at).starts_with(signature.mark))
      return {signature.what, signature.advice, true};
  if (isPickle(bytes))
    return {"a Python pickle, as written by PyTorch and scikit-learn",
            "export the model to ONNX with torch.onnx.export or skl2onnx", true};
  if (isSafetensors(bytes))
    return {"a safetensors file, which holds only weights", fromPyTorch, true};
  if (isText(bytes))
    return recognizeText(bytes.take_front(4096));
  if (isCoreMl(bytes, name))
    return {"a Core ML model", fromOrigin, true};
  if (isSavedModel(bytes))
    return {"a TensorFlow SavedModel", "pass the folder that contains it", false};
  for (const Kind &kind : names)
    if (name.ends_with_insensitive(kind.mark))
      return {kind.what, kind.advice, false};
  return {"an unknown format", "check that this is the right file and that it is complete", false};
}

FileKind recognizeFolder(StringRef path) {
  auto has = [&](StringRef name) {
    llvm::SmallString<256> file(path);
    llvm::sys::path::append(file, name);
    return llvm::sys::fs::exists(file);
  };
  if (has("Manifest.json"))
    return {"a Core ML package", fromOrigin, true};
  if (has("model.onnx"))
    return {"a folder", "pass the file model.onnx in it", true};
  return {"a folder", "pass the model's file", true};
}

} // namespace nacre::importer
