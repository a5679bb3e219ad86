// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random weights for layers without weights in a file, as the network initializes them for training.

#include "compiler/import/caffe/Fillers.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

/// Fields of a filler, with Caffe's defaults for missing fields.
class Fields {
public:
  explicit Fields(DictionaryAttr said) : said(said) {}

  double getNumber(StringRef name, double missing) const {
    auto number = said.getAs<FloatAttr>(name);
    return number ? number.getValueAsDouble() : missing;
  }
  StringRef getWord(StringRef name, StringRef missing) const {
    auto word = said.getAs<StringAttr>(name);
    return word ? word.getValue() : missing;
  }

private:
  DictionaryAttr said;
};

/// Returns the number of weights per sum in the way that the filler states: for one output, for one input, or their
/// mean.
double countTerms(const Fields &fields, Ints shape) {
  double elements = 1;
  for (int64_t size : shape)
    elements *= static_cast<double>(std::max<int64_t>(size, 1));
  auto withoutAxis = [&](size_t axis) {
    return axis < shape.size() ? elements / static_cast<double>(std::max<int64_t>(shape[axis], 1)) : elements;
  };
  StringRef norm = fields.getWord("variance_norm", "FAN_IN");
  if (norm == "AVERAGE")
    return (withoutAxis(0) + withoutAxis(1)) / 2;
  return withoutAxis(norm == "FAN_OUT" ? 1 : 0);
}

} // namespace

Value fill(NnBuilder &nn, RankedTensorType type, DictionaryAttr said, const Filler &filler, RandomKey key) {
  if (!said && filler.constant)
    return nn.splat(type, *filler.constant);
  Fields fields(said ? said : nn.types().getDictionaryAttr({}));
  StringRef kind = fields.getWord("type", said ? "constant" : "xavier");
  double terms = countTerms(fields, type.getShape());
  if (kind == "constant")
    return nn.splat(type, fields.getNumber("value", 0));
  if (kind == "gaussian")
    return normal(nn, type, key, fields.getNumber("mean", 0), fields.getNumber("std", 1));
  if (kind == "msra")
    return normal(nn, type, key, 0, std::sqrt(2 / terms));
  if (kind == "uniform")
    return uniform(nn, type, key, fields.getNumber("min", 0), fields.getNumber("max", 1));
  if (kind == "positive_unitball")
    return uniform(nn, type, key, 0, 2 / terms);
  double width = std::sqrt(3 / terms); // used for `xavier`, and for kinds that are not random
  return uniform(nn, type, key, -width, width);
}

} // namespace nacre::importer::caffe_format
