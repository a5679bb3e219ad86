// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked view of one graph of a TensorFlow Lite model, whose tables are verified.
//
// In a checked graph, every index is valid, and constants have as many bytes as their shapes need. Each tensor has a
// name of its own and is computed once, before it is read. The verifier only checks that tables are inside the file.
// Tables may share the objects that they refer to, so a small file can describe a huge graph. So the numbers of tensors
// and of read operands are bounded by the size of the file.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_CHECKEDGRAPH_H
#define NACRE_COMPILER_IMPORT_TFLITE_CHECKEDGRAPH_H

#include "compiler/import/tflite/Schema.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/StringSaver.h"

namespace nacre::importer::tflite_format {

struct CheckedTensor {
  const schema::Tensor *table;
  llvm::ArrayRef<char> bytes; ///< elements of a constant
  llvm::StringRef name;       ///< unique in the graph; empty if the tensor is not used
  enum State : uint8_t {
    Unknown, ///< no value yet, and not a constant
    Constant,
    Variable, ///< keeps its value between runs
    Input,
    Handle,   ///< refers to a variable; has no value
    ItsShape, ///< a shape that converters made an input, though the model states it
    Computed
  } state = Unknown;

  /// Returns the shape in the file; its sizes are checked.
  llvm::SmallVector<int64_t> getShape() const { return llvm::to_vector_of<int64_t>(toArray(table->shape())); }
  /// Returns the shape with -1 for sizes that the user of the model chooses.
  llvm::SmallVector<int64_t> getOpenShape() const;
};

/// Key of a variable that has a handle: a container, which is usually empty, and the variable's name in it.
using VariableKey = std::pair<llvm::StringRef, llvm::StringRef>;

/// A value that is kept between runs: a variable tensor, or a variable with a handle. Each assignment gives it a new
/// name, which later operators read.
struct KeptVariable {
  size_t tensor;               ///< the variable tensor, or the tensor that the first operator reads from it or assigns
  llvm::StringRef name;        ///< unique among the variables of all graphs, except those with the same key
  llvm::StringRef first, last; ///< names of its value before and after the operators
  VariableKey key;             ///< empty without a handle

  bool hasHandle() const { return !key.second.empty(); }
  bool isAssigned() const { return first != last; }
};

/// An input or an output.
struct GraphPort {
  llvm::StringRef name, source; ///< the name for users of the model, and the name for operators
  size_t tensor;
};

class CheckedGraph {
public:
  /// The role of a graph in the model.
  struct Role {
    const schema::SignatureDef *signature = nullptr; ///< signature that names the inputs and outputs; may be null
    bool isBody = false;                             ///< true in a branch or loop: all its inputs are given
    bool runsOnce = false;                           ///< true if it initializes variables: it needs no outputs
    std::string suffix = {};                         ///< suffix for the names of its variables
  };

  /// Checks a graph of the model whose file is `file`. Errors are emitted at the value they concern, inside of `loc`.
  static mlir::FailureOr<std::unique_ptr<CheckedGraph>> read(const schema::Model &model, const schema::SubGraph &graph,
                                                             const Role &role, llvm::StringRef file,
                                                             mlir::Location loc);

  const CheckedTensor &getTensor(size_t index) const { return tensors[index]; }
  llvm::ArrayRef<const schema::Operator *> getOperators() const { return operators; }
  llvm::ArrayRef<KeptVariable> getVariables() const { return variables; }
  /// Returns the graphs that must run once, before the operators.
  llvm::ArrayRef<int32_t> getInitializers() const { return initializers; }
  /// Returns the names of an operator's operands; an omitted operand has the name "".
  llvm::SmallVector<llvm::StringRef> getOperands(size_t op) const {
    llvm::SmallVector<llvm::StringRef> result;
    for (auto [place, tensor] : llvm::enumerate(toArray(operators[op]->inputs()))) {
      auto variable = reads.find({op, place});
      result.push_back(variable != reads.end() ? variable->second : tensor < 0 ? "" : tensors[tensor].name);
    }
    return result;
  }
  /// Returns the names of an operator's results, followed by the new values of variables that it assigns.
  llvm::SmallVector<llvm::StringRef> getResults(size_t op) const {
    llvm::SmallVector<llvm::StringRef> result;
    for (int32_t tensor : toArray(operators[op]->outputs()))
      result.push_back(tensors[tensor].name);
    llvm::append_range(result, assigned.lookup(op));
    return result;
  }
  llvm::ArrayRef<GraphPort> getInputs() const { return inputs; }
  llvm::ArrayRef<GraphPort> getOutputs() const { return outputs; }
  /// True if the model leaves sizes of its inputs open.
  bool isOpen() const { return hasOpenInputs; }
  /// Returns the key of the variable that the operator reads or assigns by a handle.
  VariableKey getKey(size_t op) const { return variables[named.find(op)->second].key; }
  /// Returns the variable with a handle of which `name` is a value, or null.
  const KeptVariable *findVariable(llvm::StringRef name) const {
    auto found = valueNames.find(name);
    return found == valueNames.end() ? nullptr : &variables[found->second];
  }
  /// Returns the tensor of that name, or null.
  const CheckedTensor *find(llvm::StringRef name) const {
    auto found = names.find(name);
    return found == names.end() ? nullptr : &tensors[found->second];
  }
  /// Returns the index of one of the graph's tensors.
  size_t numberOf(const CheckedTensor &tensor) const { return &tensor - tensors.data(); }

private:
  friend class GraphReader;

  std::vector<CheckedTensor> tensors;
  llvm::SmallVector<const schema::Operator *, 0> operators;
  llvm::SmallVector<GraphPort> inputs, outputs;
  llvm::SmallVector<KeptVariable> variables;
  llvm::SmallVector<int32_t> initializers;
  llvm::DenseMap<std::pair<size_t, size_t>, llvm::StringRef> reads;    ///< names of values by operator and operand
  llvm::DenseMap<size_t, llvm::SmallVector<llvm::StringRef>> assigned; ///< new values of variables, by operator
  llvm::DenseMap<size_t, size_t> named;                                ///< variables with handles, by operator
  llvm::DenseMap<llvm::StringRef, size_t> valueNames;                  ///< these variables, by names of their values
  llvm::DenseMap<llvm::StringRef, size_t> names;
  llvm::BumpPtrAllocator allocator; ///< memory of names that the file does not have
  bool hasOpenInputs = false;
};

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_CHECKEDGRAPH_H
