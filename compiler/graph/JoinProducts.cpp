// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins products of one value with several constant matrices to one product with all their columns. Queries, keys and
// values of attention would be three launches on the same rows. One launch with three times the work uses the whole
// GPU, and needs only one start and one barrier.
//
// 1. Members: a product, its bias, and the reshape that turns its columns into heads.
// 2. The joined product has all heads side by side. A slice of its heads, which is a view, replaces each member.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"

#include "dialects/StoredBytes.h"
#include "dialects/TensorTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

namespace nacre::graph {
#define GEN_PASS_DEF_JOINPRODUCTSPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

//===----------------------------------------------------------------------===//
// 1. Members
//===----------------------------------------------------------------------===//

/// Product whose columns are reshaped to heads: [.., heads, size].
struct Member {
  nn::MatMulOp product;
  nn::ConstantOp matrix, bias; ///< `bias` may be null.
  nn::ReshapeOp heads;

  ArrayRef<int64_t> shape() const { return nn::ReshapeOp(heads).getType().getShape(); }
  int64_t numHeads() const { return shape()[shape().size() - 2]; }
};

/// Returns the constant that `sum` adds to each row of `product`, or null.
nn::ConstantOp matchBias(nn::BinaryOp sum, Value product) {
  if (!sum || sum.getKind() != nn::BinaryKind::Add || sum.getType() != product.getType())
    return {};
  Value other = sum.getLhs() == product ? sum.getRhs() : sum.getLhs();
  const int64_t columns = typeOf(product).getShape().back();
  const bool isRow = typeOf(other).getRank() > 0 && typeOf(other).getNumElements() == columns &&
                     typeOf(other).getShape().back() == columns;
  return isRow ? other.getDefiningOp<nn::ConstantOp>() : nn::ConstantOp();
}

/// True if only separate kernels read `heads`. A view of one part would have to be copied. An operator in the product's
/// kernel would have to move to a separate kernel.
bool isReadByKernels(nn::ReshapeOp heads) {
  return !heads->use_empty() && llvm::all_of(heads->getUsers(), [](Operation *user) {
    auto known = dyn_cast<nn::OperatorInterface>(user);
    return known && known.getWorkKind() != nn::WorkKind::Boundary;
  });
}

std::optional<Member> matchMember(nn::MatMulOp product) {
  Member member;
  member.product = product;
  member.matrix = product.getRhs().getDefiningOp<nn::ConstantOp>();
  if (!member.matrix || !member.matrix->hasOneUse() || typeOf(product.getRhs()).getRank() != 2 || !product->hasOneUse())
    return std::nullopt;
  Operation *user = *product->user_begin();
  member.bias = matchBias(dyn_cast<nn::BinaryOp>(user), product);
  if (member.bias) {
    if (!user->hasOneUse())
      return std::nullopt;
    user = *user->user_begin();
  }
  member.heads = dyn_cast<nn::ReshapeOp>(user);
  if (!member.heads || !isReadByKernels(member.heads) || member.shape().size() < 3)
    return std::nullopt;
  // The last two axes must consist exactly of the columns.
  const int64_t columns = typeOf(product.getResult()).getShape().back();
  return member.numHeads() * member.shape().back() == columns ? std::optional(member) : std::nullopt;
}

/// True if the heads of both members can be concatenated.
bool agree(const Member &a, const Member &b) {
  auto withoutHeads = [](const Member &member) {
    SmallVector<int64_t> shape(member.shape());
    shape.erase(shape.end() - 2);
    return shape;
  };
  return a.product->getBlock() == b.product->getBlock() && withoutHeads(a) == withoutHeads(b);
}

/// Returns the size of all matrices in bytes.
int64_t countBytes(ArrayRef<Member> members) {
  int64_t bytes = 0;
  for (nn::MatMulOp product : llvm::map_range(members, [](const Member &member) { return member.product; }))
    bytes += storedBytes(typeOf(product.getRhs()));
  return bytes;
}

//===----------------------------------------------------------------------===//
// 2. Joining
//===----------------------------------------------------------------------===//

/// Returns the concatenated biases of all members, or null if no member has a bias.
Value joinBiases(IRRewriter &rewriter, Location loc, ArrayRef<Member> members) {
  if (llvm::none_of(members, [](const Member &member) { return bool(member.bias); }))
    return {};
  SmallVector<Value> parts;
  for (Member member : members) {
    RankedTensorType product = typeOf(member.product.getResult());
    RankedTensorType type = product.clone(ArrayRef(product.getShape().back()));
    parts.push_back(member.bias
                        ? rewriter.createOrFold<nn::ReshapeOp>(loc, type, member.bias.getResult())
                        : nn::ConstantOp::create(rewriter, loc, cast<ElementsAttr>(rewriter.getZeroAttr(type))));
  }
  return nn::ConcatOp::create(rewriter, loc, parts, /*axis=*/0);
}

void join(IRRewriter &rewriter, ArrayRef<Member> members) {
  Member first = members.front();
  SmallVector<Location> locations;
  SmallVector<Value> matrices;
  int64_t numHeads = 0;
  for (Member member : members) {
    locations.push_back(member.product.getLoc());
    if (member.bias)
      locations.push_back((*member.product->user_begin())->getLoc());
    matrices.push_back(member.matrix);
    numHeads += member.numHeads();
    for (nn::ConstantOp constant : {member.matrix, member.bias})
      if (constant && constant->getBlock() == first.product->getBlock() && first.product->isBeforeInBlock(constant))
        rewriter.moveOpBefore(constant, first.product);
  }

  rewriter.setInsertionPoint(first.product);
  Location loc = rewriter.getFusedLoc(locations);
  Value matrix = nn::ConcatOp::create(rewriter, loc, matrices, /*axis=*/1);
  Value all = nn::MatMulOp::create(rewriter, loc, first.product.getLhs(), matrix);
  if (Value bias = joinBiases(rewriter, loc, members))
    all = nn::BinaryOp::create(rewriter, loc, nn::BinaryKind::Add, all, bias);
  SmallVector<int64_t> shape(first.shape());
  const size_t axis = shape.size() - 2;
  shape[axis] = numHeads;
  all = nn::ReshapeOp::create(rewriter, loc, typeOf(all).clone(shape), all);

  SmallVector<int64_t> starts(shape.size(), 0), steps(shape.size(), 1);
  for (Member member : members) {
    Value part = nn::SliceOp::create(rewriter, loc, all, starts, member.shape(), steps);
    starts[axis] += member.numHeads();
    Operation *columns = member.heads.getOperand().getDefiningOp();
    rewriter.replaceOp(member.heads, part);
    rewriter.eraseOp(columns);
    if (columns != member.product)
      rewriter.eraseOp(member.product);
  }
}

struct JoinProducts : impl::JoinProductsPassBase<JoinProducts> {
  using JoinProductsPassBase::JoinProductsPassBase;

  void runOnOperation() override {
    SmallVector<SmallVector<Member>> groups;
    llvm::MapVector<Value, SmallVector<size_t>> groupsOf; // Members by left operand.
    getOperation().walk([&](nn::MatMulOp product) {
      std::optional<Member> member = matchMember(product);
      if (!member)
        return;
      SmallVector<size_t> &candidates = groupsOf[product.getLhs()];
      auto *found = llvm::find_if(candidates, [&](size_t group) { return agree(groups[group].front(), *member); });
      if (found != candidates.end())
        return groups[*found].push_back(*member);
      candidates.push_back(groups.size());
      groups.push_back({*member});
    });
    IRRewriter rewriter(&getContext());
    for (ArrayRef<Member> members : groups) {
      // A constant larger than the limit would not be folded, so the matrices would be joined in every run.
      if (members.size() < 2 || countBytes(members) > maxConstantBytes)
        continue;
      join(rewriter, members);
      numJoined += members.size();
    }
  }
};

} // namespace

} // namespace nacre::graph
