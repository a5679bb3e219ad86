// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options for reading a model: --shape, --set, --bound, and options for saved models and for networks of Caffe and
// CNNdroid. All programs that import models have the same options. `input=value` is split at the first `=`, because the
// value may be a path that contains `=`.

#ifndef NACRE_TOOLS_MODELINPUTS_H
#define NACRE_TOOLS_MODELINPUTS_H

#include "dialects/NamedFiles.h"
#include "tools/InputShapes.h"
#include "tools/PixelInputs.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace nacre::tools {

class ModelInputs {
public:
  using Values = std::map<std::string, std::string>; ///< Unparsed values.

  /// A program whose own option is called `bound` has another name for that of sizes.
  explicit ModelInputs(llvm::cl::OptionCategory &category, llvm::StringRef boundOption = "bound")
      : category(category), boundOption(boundOption) {}

  /// Stores the values of the parsed options. Errors contain the wrong text and the expected form. `Options` is the
  /// struct of the compiler or of the import; their members for shapes and values have different names. `Shapes` is
  /// InputShapes if each input must have one shape, or a vector of ShapedEntry.
  template <typename Options, typename Shapes> llvm::Error read(Options &options, Shapes &toShapes, Values &toValues) {
    options.signatures = signatures;
    options.tag = tag;
    options.checkpoint = checkpoint;
    options.weights = weights;
    if (randomWeights.getNumOccurrences() > 0)
      options.randomWeights = randomWeights;
    llvm::Expected<std::vector<importer::PixelInput>> pixels = parsePixelInputs(pixelInputs);
    if (!pixels)
      return pixels.takeError();
    options.pixelInputs = std::move(*pixels);
    return llvm::joinErrors(llvm::joinErrors(readShapes(toShapes), readValues(toValues)), readBounds(options.bounds));
  }
  /// Adds the files that the options name.
  void addFiles(NamedFiles &files) const;
  size_t signatureCount() const { return signatures.size(); }

private:
  llvm::Error readShapes(std::vector<importer::ShapedEntry> &to) const;
  llvm::Error readShapes(importer::InputShapes &to) const;
  llvm::Error readValues(Values &to) const;
  llvm::Error readBounds(std::map<std::string, int64_t> &to) const;

  llvm::cl::OptionCategory &category;
  const llvm::StringRef boundOption;
  llvm::cl::list<std::string> shapes{
      "shape", llvm::cl::value_desc("input=1x3x224x224"), llvm::cl::cat(category),
      llvm::cl::desc(
          "Shape of an input: sizes that the model leaves open, or another batch (input=scalar: no axes); "
          "repeatable. 'input=1x{16,64}' makes an entry for each shape (see SHAPES in nacre-compile --help)")};
  llvm::cl::list<std::string> values{
      "set", llvm::cl::value_desc("input=value|file"), llvm::cl::cat(category),
      llvm::cl::desc("Value of an input that decides a shape: numbers, .npy or TensorProto .pb; repeatable")};
  llvm::cl::list<std::string> bounds{
      boundOption, llvm::cl::CommaSeparated, llvm::cl::value_desc("tensor=N"), llvm::cl::cat(category),
      llvm::cl::desc("Largest value of a tensor that decides a size in each run; repeatable (see BOUNDS in "
                     "nacre-compile --help)")};
  llvm::cl::list<std::string> pixelInputs{"preprocess", llvm::cl::value_desc("input[:key=value...]"),
                                          llvm::cl::cat(category),
                                          llvm::cl::desc("Input that takes the pixels of a picture, which the model "
                                                         "scales (see PIXELS in nacre-compile --help); repeatable")};
  llvm::cl::list<std::string> signatures{
      "signature", llvm::cl::value_desc("name"), llvm::cl::cat(category),
      llvm::cl::desc(
          "Function of a saved model; several become entries; repeatable (default: serving_default, or the only one)")};
  llvm::cl::opt<std::string> tag{"tag", llvm::cl::value_desc("name"), llvm::cl::cat(category),
                                 llvm::cl::desc("Graph of a saved model (default: serve, or the only one)")};
  llvm::cl::opt<std::string> checkpoint{
      "checkpoint", llvm::cl::value_desc("prefix|folder"), llvm::cl::cat(category),
      llvm::cl::desc("TensorFlow checkpoint with the values of variables (default: next to the model)")};
  llvm::cl::opt<std::string> weights{
      "weights", llvm::cl::value_desc("file.caffemodel|folder"), llvm::cl::cat(category),
      llvm::cl::desc("Weights of a Caffe network, or folder of a CNNdroid network's parameters (default: next to it)")};
  llvm::cl::opt<unsigned> randomWeights{
      "random-weights", llvm::cl::value_desc("seed"), llvm::cl::cat(category),
      llvm::cl::desc("Draw missing weights of a Caffe network from this seed, to measure its speed")};
};

} // namespace nacre::tools

#endif // NACRE_TOOLS_MODELINPUTS_H
