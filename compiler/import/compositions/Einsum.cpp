// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Einstein's summation: labels name the axes of the operands. Axes whose label is not in the result are summed.
//
// The parts of this file are the equation, one operand, two operands, and all operands.

#include "compiler/import/compositions/Einsum.h"

#include "compiler/import/messages/TypeNames.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;

namespace nacre::importer {

using nn::ReduceKind;

namespace {

llvm::Error reject(const llvm::Twine &words) { return llvm::createStringError(words); }

/// Returns the name of a label for messages, such as `'i'`.
std::string quote(int label) {
  return label > 0 ? std::string("'") + static_cast<char>(label) + "'" : std::string("an axis of the ellipsis");
}

//===----------------------------------------------------------------------===//
// 1. The equation
//===----------------------------------------------------------------------===//

/// Term in the form of the equation: its labels, and the position of the ellipsis among them.
struct Term {
  EinsumLabels labels;
  std::optional<size_t> ellipsis;
};

llvm::Expected<Term> parseTerm(StringRef text) {
  Term term;
  while (!(text = text.ltrim(' ')).empty()) {
    if (text.consume_front("...")) {
      if (term.ellipsis)
        return reject("must have at most one ellipsis per term, but has two");
      term.ellipsis = term.labels.size();
    } else if (llvm::isAlpha(text.front())) {
      term.labels.push_back(text.front());
      text = text.drop_front();
    } else {
      return reject("must consist of letters, commas, '...' and one '->', but has other characters");
    }
  }
  return term;
}

/// Returns the labels of `term`, whose ellipsis stands for `count` axes.
EinsumLabels expand(const Term &term, int64_t count) {
  EinsumLabels labels = term.labels;
  for (int64_t axis = 1; term.ellipsis && axis <= count; ++axis)
    labels.insert(labels.begin() + *term.ellipsis, -static_cast<int>(axis));
  return labels;
}

/// Returns the labels of a result that the equation does not state: the ellipsis, and then the labels that occur once,
/// sorted.
EinsumLabels implyResult(ArrayRef<EinsumLabels> operands, int64_t ellipsis) {
  std::map<int, int> counts;
  for (const EinsumLabels &labels : operands)
    for (int label : labels)
      ++counts[label];
  EinsumLabels result;
  for (int64_t axis = ellipsis; axis > 0; --axis)
    result.push_back(-static_cast<int>(axis));
  for (auto [label, count] : counts)
    if (label > 0 && count == 1)
      result.push_back(label);
  return result;
}

/// Determines the shape of the result. Reports an error unless all axes with the same label have the same size, or size
/// 1.
llvm::Error settleSizes(EinsumTerms &terms, ArrayRef<Ints> shapes) {
  std::map<int, int64_t> sizes;
  for (auto [labels, shape] : llvm::zip_equal(terms.operands, shapes)) {
    std::map<int, int64_t> own;
    for (auto [label, size] : llvm::zip_equal(labels, shape)) {
      if (auto [known, isNew] = own.try_emplace(label, size); !isNew && known->second != size)
        return reject("must repeat a label only for axes of equal size, but " + quote(label) + " is " +
                      llvm::Twine(known->second) + " and " + llvm::Twine(size) + " in one operand");
      auto [known, isNew] = sizes.try_emplace(label, size);
      if (!isNew && known->second != size && known->second != 1 && size != 1)
        return reject("must use a label only for axes of equal size, but " + quote(label) + " is " +
                      llvm::Twine(known->second) + " and " + llvm::Twine(size));
      if (known->second == 1)
        known->second = size;
    }
  }
  for (auto [index, label] : llvm::enumerate(terms.result)) {
    if (!sizes.count(label))
      return reject("must use only labels of the operands in the result, but " + quote(label) + " is in none of them");
    if (llvm::is_contained(ArrayRef<int>(terms.result).take_front(index), label))
      return reject("must name each axis of the result once, but repeats one");
    terms.shape.push_back(sizes[label]);
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<EinsumTerms> parseEinsum(StringRef equation, ArrayRef<Ints> shapes) {
  auto [left, right] = equation.split("->");
  bool saysResult = left.size() != equation.size();
  SmallVector<StringRef> texts;
  left.split(texts, ',');
  if (texts.size() != shapes.size())
    return reject("must have one term for each of " + llvm::Twine(shapes.size()) + " operands, but has " +
                  llvm::Twine(texts.size()));
  SmallVector<Term> terms;
  int64_t ellipsis = 0;
  for (auto [index, text, shape] : llvm::enumerate(texts, shapes)) {
    llvm::Expected<Term> term = parseTerm(text);
    if (!term)
      return term.takeError();
    int64_t rest = static_cast<int64_t>(shape.size()) - static_cast<int64_t>(term->labels.size());
    if (term->ellipsis ? rest < 0 : rest != 0)
      return reject("must have a label for each axis, but operand " + llvm::Twine(index) + " has " +
                    llvm::Twine(shape.size()) + " axes and " + llvm::Twine(term->labels.size()) + " labels");
    ellipsis = std::max(ellipsis, rest);
    terms.push_back(std::move(*term));
  }
  EinsumTerms result;
  for (auto [term, shape] : llvm::zip_equal(terms, shapes))
    result.operands.push_back(expand(term, static_cast<int64_t>(shape.size() - term.labels.size())));
  if (saysResult) {
    llvm::Expected<Term> term = parseTerm(right);
    if (!term)
      return term.takeError();
    if (ellipsis && !term->ellipsis)
      return reject("must have the ellipsis of its operands in the result, but does not");
    result.result = expand(*term, ellipsis);
  } else {
    result.result = implyResult(result.operands, ellipsis);
  }
  if (llvm::Error error = settleSizes(result, shapes))
    return error;
  return result;
}

namespace {

//===----------------------------------------------------------------------===//
// 2. One operand
//===----------------------------------------------------------------------===//

/// Value, and the labels of its axes.
struct Labelled {
  Value value;
  EinsumLabels labels;

  int64_t sizeOf(int label) const { return getShape(value)[llvm::find(labels, label) - labels.begin()]; }
  bool has(int label) const { return llvm::is_contained(labels, label); }
};

Labelled reorder(NnBuilder &nn, const Labelled &x, ArrayRef<int> labels) {
  SmallVector<int64_t> permutation =
      llvm::map_to_vector(labels, [&](int label) -> int64_t { return llvm::find(x.labels, label) - x.labels.begin(); });
  return {nn.transpose(x.value, permutation), llvm::to_vector(labels)};
}

/// Takes the diagonal of axes with equal labels. Two axes of size n are reshaped to one axis of n * n elements. Every
/// (n + 1)-th element is on the diagonal.
Labelled takeDiagonals(NnBuilder &nn, Labelled x) {
  for (size_t second = 1; x.value && second < x.labels.size();) {
    size_t first = llvm::find(x.labels, x.labels[second]) - x.labels.begin();
    if (first == second) {
      ++second;
      continue;
    }
    SmallVector<int64_t> permutation;
    SmallVector<int64_t> shape;
    for (int64_t axis = 0; axis < getRank(x.value); ++axis)
      if (axis != static_cast<int64_t>(first) && axis != static_cast<int64_t>(second)) {
        permutation.push_back(axis);
        shape.push_back(getShape(x.value)[axis]);
      }
    int64_t size = getShape(x.value)[first], last = static_cast<int64_t>(shape.size());
    permutation.append({static_cast<int64_t>(first), static_cast<int64_t>(second)});
    shape.push_back(size * size);
    Value square = nn.reshape(nn.transpose(x.value, permutation), shape);
    SmallVector<int64_t> starts(shape.size(), 0), steps(shape.size(), 1);
    shape.back() = size;
    steps[last] = size + 1;
    int label = x.labels[first];
    x.value = nn.slice(square, starts, shape, steps);
    x.labels.erase(x.labels.begin() + second);
    x.labels.erase(x.labels.begin() + first);
    x.labels.push_back(label);
    second = 1;
  }
  return x;
}

/// Returns `x` summed over the axes whose labels are not needed, as `isNeeded` tells.
template <typename IsNeeded> Labelled sumOthers(NnBuilder &nn, const Labelled &x, IsNeeded isNeeded) {
  SmallVector<int64_t> axes;
  EinsumLabels kept;
  for (auto [axis, label] : llvm::enumerate(x.labels)) {
    if (isNeeded(label))
      kept.push_back(label);
    else
      axes.push_back(static_cast<int64_t>(axis));
  }
  return {axes.empty() ? x.value : nn.reduce(ReduceKind::Sum, x.value, axes, /*keepDims=*/false), kept};
}

/// Removes the axes of size 1 for which `other` has another size, because `x` is broadcast along them.
Labelled dropRepeated(NnBuilder &nn, const Labelled &x, const Labelled &other) {
  Labelled result{{}, {}};
  SmallVector<int64_t> shape;
  for (auto [label, size] : llvm::zip_equal(x.labels, getShape(x.value))) {
    if (size == 1 && other.has(label) && other.sizeOf(label) != 1)
      continue;
    result.labels.push_back(label);
    shape.push_back(size);
  }
  result.value = nn.reshape(x.value, shape);
  return result;
}

//===----------------------------------------------------------------------===//
// 3. Two operands
//===----------------------------------------------------------------------===//

/// Labels of two operands by their role. `batch` labels are in both operands and in the result. `left` and `right`
/// labels are in one operand. `summed` labels are in both operands, but not in the result.
struct Roles {
  EinsumLabels batch, left, right, summed;
};

template <typename IsNeeded> Roles assignRoles(const Labelled &lhs, const Labelled &rhs, IsNeeded isNeeded) {
  Roles roles;
  for (int label : lhs.labels)
    (!rhs.has(label) ? roles.left : isNeeded(label) ? roles.batch : roles.summed).push_back(label);
  for (int label : rhs.labels)
    if (!lhs.has(label))
      roles.right.push_back(label);
  return roles;
}

EinsumLabels join(std::initializer_list<ArrayRef<int>> parts) {
  EinsumLabels result;
  for (ArrayRef<int> part : parts)
    result.append(part.begin(), part.end());
  return result;
}

int64_t countElements(const Labelled &x, ArrayRef<int> labels) {
  int64_t count = 1;
  for (int label : labels)
    count *= x.sizeOf(label);
  return count;
}

/// Multiplies two operands by one matrix product, or element by element if no label is summed. First sums over labels
/// that neither `isNeeded` nor the other operand has.
template <typename IsNeeded>
Labelled multiply(NnBuilder &nn, const Labelled &givenLhs, const Labelled &givenRhs, IsNeeded isNeeded) {
  auto drop = [&](const Labelled &x, const Labelled &other) {
    Labelled dropped = dropRepeated(nn, x, other);
    return sumOthers(nn, dropped, [&](int label) { return isNeeded(label) || other.has(label); });
  };
  Labelled lhs = dropRepeated(nn, givenLhs, givenRhs), rhs = drop(givenRhs, lhs);
  lhs = drop(lhs, rhs);
  Roles roles = assignRoles(lhs, rhs, isNeeded);
  Labelled result{{}, join({roles.batch, roles.left, roles.right})};
  SmallVector<int64_t> shape;
  for (int label : result.labels)
    shape.push_back((lhs.has(label) ? lhs : rhs).sizeOf(label));
  if (!nn::countElements(shape)) {
    nn.error() << "an intermediate product must fit into memory, but has the shape " << describeShape(shape);
    return result;
  }
  int64_t batch = countElements(lhs, roles.batch), rows = countElements(lhs, roles.left),
          columns = countElements(rhs, roles.right), depth = countElements(lhs, roles.summed);
  Value left = reorder(nn, lhs, join({roles.batch, roles.left, roles.summed})).value;
  bool isOuter = roles.summed.empty();
  Value right = isOuter ? reorder(nn, rhs, join({roles.batch, roles.right})).value
                        : reorder(nn, rhs, join({roles.batch, roles.summed, roles.right})).value;
  SmallVector<int64_t> lhsShape{rows, depth}, rhsShape{isOuter ? 1 : depth, columns};
  if (!roles.batch.empty()) {
    lhsShape.insert(lhsShape.begin(), batch);
    rhsShape.insert(rhsShape.begin(), batch);
  }
  left = nn.reshape(left, lhsShape);
  right = nn.reshape(right, rhsShape);
  result.value = nn.reshape(isOuter ? nn.mul(left, right) : nn.matmul(left, right), shape);
  return result;
}

} // namespace

//===----------------------------------------------------------------------===//
// 4. All of them
//===----------------------------------------------------------------------===//

Value einsum(NnBuilder &nn, const EinsumTerms &terms, ValueRange operands) {
  auto isNeededFrom = [&](size_t next) {
    return [&terms, next](int label) {
      return llvm::is_contained(terms.result, label) ||
             llvm::any_of(ArrayRef(terms.operands).drop_front(next),
                          [&](const EinsumLabels &labels) { return llvm::is_contained(labels, label); });
    };
  };
  Labelled product;
  for (size_t index = 0; index < operands.size(); ++index) {
    Labelled x = takeDiagonals(nn, {operands[index], terms.operands[index]});
    if (!x.value)
      return {};
    auto isNeeded = isNeededFrom(index + 1);
    x = sumOthers(nn, x, [&](int label) { return isNeeded(label) || (index && product.has(label)); });
    product = index ? multiply(nn, product, x, isNeeded) : x;
    if (!product.value)
      return {};
  }
  return reorder(nn, product, terms.result).value;
}

} // namespace nacre::importer
