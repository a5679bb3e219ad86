// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of NnBuilder for shapes with sizes that are known only at run time. The parts of this file are:
// 1. Counts: equal ones are the same value, and each has a bound.
// 2. Sizes that a model computes, such as the shape of an Expand.
// 3. Reshapes.

#include "compiler/import/builder/LinearForms.h"
#include "compiler/import/builder/NnBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer {

//===----------------------------------------------------------------------===//
// 1. Counts
//===----------------------------------------------------------------------===//

const ImportState::KnownCount *NnBuilder::findCount(const LinearForm &form) const {
  Region *here = builder.getInsertionBlock()->getParent();
  auto known = llvm::find_if(shared.knownCounts, [&](const ImportState::KnownCount &known) {
    Value count = known.count;
    return form.constant == known.form.constant && form.terms.size() == known.form.terms.size() &&
           differenceOf(form, known.form) == 0 && count.getParentRegion()->isAncestor(here);
  });
  return known == shared.knownCounts.end() ? nullptr : &*known;
}

Value NnBuilder::noteCount(Value count, int64_t bound) { return noteCount(count, bound, formOf(count, 0)); }

Value NnBuilder::noteCount(Value count, int64_t bound, const LinearForm &form) {
  if (const ImportState::KnownCount *known = findCount(form)) {
    shared.knownCounts[known - shared.knownCounts.begin()].bound = std::min(known->bound, bound);
    return known->count;
  }
  shared.knownCounts.push_back({count, bound, form});
  return count;
}

/// True if `value` is made of booleans, so that it is 0 or 1.
static bool isBoolean(Value value) {
  auto cast = value.getDefiningOp<nn::CastOp>();
  return cast && getElementType(cast.getOperand()).isInteger(1);
}

/// Returns the largest value of element `index` of `tensor`, which is not a sum. Returns `nullopt` if it is unknown.
std::optional<int64_t> NnBuilder::boundOfElement(Value tensor, int64_t index, unsigned depth) const {
  using nn::BinaryKind;
  constexpr unsigned mostSteps = 4;
  if (const ImportState::KnownCount *known = findCount({0, {{tensor, index, 1}}}))
    return known->bound;
  if (auto given = shared.givenBounds.find(tensor); given != shared.givenBounds.end()) {
    shared.usedBounds.insert(given->second.tensor);
    return given->second.most;
  }
  if (isBoolean(tensor))
    return 1;
  if (depth >= mostSteps || !isa<IntegerType>(getElementType(tensor)))
    return std::nullopt;
  auto boundOfElse = [&](Value other, int64_t element) { return boundOf(formOf(other, element), depth + 1); };
  if (auto reduce = tensor.getDefiningOp<nn::ReduceOp>()) {
    const int64_t elements = getType(reduce.getOperand()).getNumElements();
    if (reduce.getKind() == nn::ReduceKind::Sum && isBoolean(reduce.getOperand())) // the number of true elements
      return elements / std::max<int64_t>(getType(tensor).getNumElements(), 1);
    // PyTorch's exporter writes the minimum of two sizes as that of a list.
    if (reduce.getKind() == nn::ReduceKind::Min && elements == 2 && getType(tensor).getNumElements() == 1) {
      const std::optional<int64_t> one = boundOfElse(reduce.getOperand(), 0),
                                   other = boundOfElse(reduce.getOperand(), 1);
      return one && other ? std::min(*one, *other) : one ? one : other;
    }
    return std::nullopt;
  }
  auto binary = tensor.getDefiningOp<nn::BinaryOp>();
  if (!binary || getType(tensor).getNumElements() != 1)
    return std::nullopt;
  const std::optional<int64_t> left = boundOfElse(binary.getLhs(), 0), right = boundOfElse(binary.getRhs(), 0);
  const LinearForm divisor = formOf(binary.getRhs(), 0);
  switch (binary.getKind()) {
  case BinaryKind::Min:
    return left && right ? std::min(*left, *right) : left ? left : right;
  case BinaryKind::Max:
    return left && right ? std::optional(std::max(*left, *right)) : std::nullopt;
  case BinaryKind::Div: // A dividend below 0 has a quotient of at most 0.
    return left && divisor.terms.empty() && divisor.constant > 0
               ? std::optional(std::max<int64_t>(*left, 0) / divisor.constant)
               : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> NnBuilder::boundOf(const LinearForm &form, unsigned depth) const {
  int64_t most = form.constant;
  for (const LinearForm::Term &term : form.terms) {
    // Only counts are known to be 0 or more.
    if (term.factor < 0 && findCount({0, {{term.tensor, term.index, 1}}}))
      continue;
    const std::optional<int64_t> bound = boundOfElement(term.tensor, term.index, depth);
    int64_t product;
    if (term.factor < 0 || !bound || llvm::MulOverflow(term.factor, *bound, product) ||
        llvm::AddOverflow(most, product, most))
      return std::nullopt;
  }
  return most;
}

Value NnBuilder::giveBound(Value size, const ImportState::GivenBound &given) {
  Value limited = binary(nn::BinaryKind::Min, size, static_cast<double>(given.most));
  if (limited)
    shared.givenBounds[limited] = given;
  return limited;
}

StringRef NnBuilder::nameUnbounded(Value tensor) const {
  if (!tensor || shared.unbounded.tensor != tensor || !shared.nameOf)
    return "";
  StringRef found = shared.nameOf(tensor);
  // The bound of the first tensor that has the size is a bound of all that are computed from it.
  for (std::optional<Element> element = shared.unbounded; element; element = findSource(*element))
    if (getType(element->tensor).getNumElements() == 1)
      if (StringRef name = shared.nameOf(element->tensor); !name.empty())
        found = name;
  return found;
}

//===----------------------------------------------------------------------===//
// 2. Sizes
//===----------------------------------------------------------------------===//

SmallVector<Size> NnBuilder::getSizes(Value value) const {
  SmallVector<Size> sizes;
  const nn::AxisCounts counts = getCounts(value);
  for (auto [axis, bound] : llvm::enumerate(getShape(value)))
    sizes.push_back({bound, counts.empty() ? Value() : counts[axis]});
  return sizes;
}

std::optional<SmallVector<Size>> NnBuilder::readSizes(Value tensor) {
  if (!tensor || isOpen(tensor) || getRank(tensor) > 1 || !isa<IntegerType>(getElementType(tensor)))
    return std::nullopt;
  SmallVector<Size> sizes;
  Value list = reshape(cast(tensor, builder.getI64Type()), getType(tensor).getNumElements());
  for (int64_t index = 0; index < getType(tensor).getNumElements(); ++index) {
    const LinearForm form = formOf(tensor, index);
    if (form.terms.empty()) {
      sizes.push_back({form.constant, Value()});
      continue;
    }
    const std::optional<int64_t> bound = boundOf(form);
    if (!bound) {
      shared.unbounded = {tensor, index};
      return std::nullopt;
    }
    const ImportState::KnownCount *known = findCount(form);
    // Shapes with the same element get the same count if that is computed from the element alone.
    const bool isElement =
        form.constant == 0 && form.terms.size() == 1 && form.terms[0].factor == 1 && !isOpen(form.terms[0].tensor);
    const Element source = isElement ? Element{form.terms[0].tensor, form.terms[0].index} : Element{list, index};
    auto takeSource = [&] {
      Value all = cast(reshape(source.tensor, getType(source.tensor).getNumElements()), builder.getI64Type());
      return reshape(slice(all, 0, source.index, 1), /*shape=*/{});
    };
    Value count = known ? known->count : takeSource();
    // Only a sum of counts is certain to be a size.
    auto isSumPart = [&](const LinearForm::Term &term) {
      return term.factor > 0 && findCount({0, {{term.tensor, term.index, 1}}});
    };
    const bool mayBeNegative = !known && (form.constant < 0 || !llvm::all_of(form.terms, isSumPart));
    if (mayBeNegative)
      count = binary(nn::BinaryKind::Max, count, 0.0);
    if (!count)
      return std::nullopt;
    const int64_t most = std::max<int64_t>(*bound, 0);
    sizes.push_back({most, mayBeNegative ? noteCount(count, most) : noteCount(count, most, form)});
  }
  return sizes;
}

Value NnBuilder::limitTo(Value value, ArrayRef<Size> sizes) {
  for (auto [axis, size] : llvm::enumerate(sizes))
    if (size.count)
      value = limit(value, static_cast<int64_t>(axis), size.count);
  return value;
}

Value NnBuilder::withoutCounts(Value value, llvm::function_ref<Value()> work) {
  const nn::AxisCounts counts = getCounts(value);
  setCounts(value, {});
  Value result = work();
  setCounts(value, counts);
  return result;
}

//===----------------------------------------------------------------------===//
// 3. Reshapes
//===----------------------------------------------------------------------===//

namespace {

SmallVector<int64_t> boundsOf(ArrayRef<Size> sizes) {
  return llvm::map_to_vector(sizes, [](const Size &size) { return size.bound; });
}

int64_t productOf(ArrayRef<Size> sizes) {
  int64_t product = 1;
  for (const Size &size : sizes)
    product *= size.bound;
  return product;
}

/// Returns the number of elements before the only open axis, all of fixed sizes. Returns `nullopt` if there are several
/// open axes, or none.
std::optional<int64_t> findLead(ArrayRef<Size> sizes) {
  auto isOpen = [](const Size &size) { return bool(size.count); };
  if (llvm::count_if(sizes, isOpen) != 1)
    return std::nullopt;
  return productOf(sizes.take_while([&](const Size &size) { return !isOpen(size); }));
}

bool haveSameCounts(ArrayRef<Size> a, ArrayRef<Size> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
           return std::get<0>(pair).count == std::get<1>(pair).count;
         });
}

} // namespace

std::optional<Size> NnBuilder::divideSizes(ArrayRef<Size> all, ArrayRef<Size> parts) {
  int64_t factor = 1, divisor = 1;
  SmallVector<Size> counts;
  bool overflows = false;
  // Splits a size into a factor and, if it is open, a count that is no multiple of another.
  auto split = [&](const Size &size, int64_t &product) -> std::optional<Size> {
    if (!size.count) {
      overflows |= llvm::MulOverflow(product, size.bound, product) != 0;
      return std::nullopt;
    }
    const LinearForm form = formOf(size.count, 0);
    if (form.constant == 0 && form.terms.size() == 1)
      if (const ImportState::KnownCount *known = findCount({0, {{form.terms[0].tensor, form.terms[0].index, 1}}})) {
        overflows |= llvm::MulOverflow(product, form.terms[0].factor, product) != 0;
        return Size{known->bound, known->count};
      }
    return size;
  };
  for (const Size &size : all)
    if (std::optional<Size> open = split(size, factor))
      counts.push_back(*open);
  for (const Size &size : parts)
    if (std::optional<Size> open = split(size, divisor)) {
      auto same = llvm::find_if(counts, [&](const Size &count) { return count.count == open->count; });
      if (same == counts.end())
        return std::nullopt;
      counts.erase(same);
    }
  int64_t bound = factor;
  for (const Size &size : counts)
    overflows |= llvm::MulOverflow(bound, size.bound, bound) != 0;
  if (overflows || divisor == 0 || (counts.empty() && factor % divisor != 0))
    return std::nullopt;
  if (counts.empty())
    return Size{factor / divisor, Value()};
  Size size = {bound / divisor, counts[0].count};
  for (const Size &other : ArrayRef(counts).drop_front())
    size.count = mul(size.count, other.count);
  if (factor != divisor)
    size.count = factor % divisor == 0
                     ? mul(size.count, static_cast<double>(factor) / static_cast<double>(divisor))
                     : div(mul(size.count, static_cast<double>(factor)), static_cast<double>(divisor));
  if (!size.count)
    return std::nullopt;
  size.count = noteCount(size.count, size.bound);
  return size;
}

Value NnBuilder::reshape(Value operand, Ints shape) {
  if (!operand || getShape(operand) == shape)
    return operand;
  OperationState state(loc, nn::ReshapeOp::getOperationName());
  nn::ReshapeOp::build(builder, state, RankedTensorType::get(shape, getElementType(operand)), operand);
  return finish(state, /*inferTypes=*/nullptr).front();
}

Value NnBuilder::reshapeTo(Value operand, ArrayRef<Size> sizes) {
  if (!operand)
    return {};
  const SmallVector<Size> from = getSizes(operand);
  if (haveSameCounts(from, sizes) && boundsOf(from) == boundsOf(sizes))
    return operand;
  const std::optional<int64_t> lead = findLead(from), newLead = findLead(sizes);
  if (lead && lead == newLead) {
    // Valid elements stay the first ones of each of the blocks before the open axis.
    const int64_t block = productOf(from) / std::max<int64_t>(*lead, 1),
                  newBlock = productOf(sizes) / std::max<int64_t>(*lead, 1);
    Value moved = withoutCounts(operand, [&] {
      Value blocks = operand;
      if (block > newBlock)
        blocks = slice(reshape(blocks, {*lead, block}), 1, 0, newBlock);
      if (block < newBlock)
        blocks = pad(nn::PadMode::Constant, reshape(blocks, {*lead, block}), {0, 0}, {0, newBlock - block}, 0);
      return reshape(blocks, boundsOf(sizes));
    });
    if (moved != operand) // which keeps its own counts
      return limitTo(moved, sizes);
  }
  return limitTo(gatherReshaped(operand, sizes), sizes);
}

/// Moves each element on its own: by its number among the valid ones in the new shape, and its place in the old one.
Value NnBuilder::gatherReshaped(Value operand, ArrayRef<Size> sizes) {
  const SmallVector<Size> from = getSizes(operand);
  const auto rank = static_cast<int64_t>(sizes.size());
  auto times = [&](Value value, const Size &size) {
    return size.count ? mul(value, size.count) : mul(value, static_cast<double>(size.bound));
  };
  Value number = reshape(integers(0), /*shape=*/{});
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    Value positions = counting(size.bound);
    if (!positions)
      return {};
    number = add(times(number, size), alignToAxis(positions, static_cast<int64_t>(axis), rank));
  }
  Value place = reshape(integers(0), /*shape=*/{});
  int64_t stride = 1;
  for (const Size &size : llvm::reverse(from)) {
    Value extent = size.count ? binary(nn::BinaryKind::Max, size.count, 1.0)
                              : scalar(number, static_cast<double>(std::max<int64_t>(size.bound, 1)));
    place = add(place, mul(binary(nn::BinaryKind::Mod, number, extent), static_cast<double>(stride)));
    number = div(number, extent);
    stride *= size.bound;
  }
  Value flat = withoutCounts(operand, [&] { return reshape(operand, getType(operand).getNumElements()); });
  return gather(flat, broadcast(place, boundsOf(sizes)), 0);
}

} // namespace nacre::importer
