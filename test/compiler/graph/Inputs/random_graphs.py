# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random networks for a differential test: what a network computes must not change in the graph phase.

make COUNT SEED   writes networks of functions with arguments, split by `// -----`
bind              turns the arguments of the functions it reads into constants, so that folding them is running them

All numbers are small whole ones, so that no order of operations rounds; results are cast to integers, because the sign of
a zero is not part of a model's answer.
"""
import itertools
import random
import re
import sys


def tensor(shape, element="f32"):
    return f"tensor<{''.join(f'{d}x' for d in shape)}{element}>"


def ints(values):
    return f"array<i64{':' if values else ''} {', '.join(map(str, values))}>"


def dense(shape, numbers):
    if not shape:
        return next(numbers)
    return f"[{', '.join(dense(shape[1:], numbers) for _ in range(shape[0]))}]"


class Network:
    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.arguments = [self.shape() for _ in range(rng.randint(1, 2))]
        self.values = [(f"%a{i}", s) for i, s in enumerate(self.arguments)]

    def shape(self, rank=None):
        return [self.rng.choice([1, 2, 3, 4]) for _ in range(rank or self.rng.randint(3, 4))]

    def emit(self, text, shape):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        self.values.append((name, shape))
        return name, shape

    def constant(self, shape):
        numbers = (f"{self.rng.choice([-2, -1, 1, 2])}.0" for _ in itertools.count())
        return self.emit(f"nn.constant dense<{dense(shape, numbers)}> : {tensor(shape)}", shape)

    def binary(self, kind, a, b):
        rank = max(len(a[1]), len(b[1]))
        one = [1] * (rank - len(a[1])) + a[1]
        other = [1] * (rank - len(b[1])) + b[1]
        return self.emit(f"nn.binary {kind} {a[0]}, {b[0]} : {tensor(a[1])}, {tensor(b[1])}",
                         [max(x, y) for x, y in zip(one, other)])

    def clamp(self, value):
        low = self.emit("nn.constant dense<-8.0> : tensor<f32>", [])
        high = self.emit("nn.constant dense<8.0> : tensor<f32>", [])
        return self.binary("min", self.binary("max", value, low), high)

    def transpose(self, value):
        permutation = list(range(len(value[1])))
        self.rng.shuffle(permutation)
        return self.emit(f"nn.transpose {value[0]} {permutation} : {tensor(value[1])}", [value[1][i] for i in permutation])

    def reshape(self, value):
        """Splits or merges neighbours, or adds or drops ones."""
        shape = list(value[1])
        axis = self.rng.randrange(len(shape))
        choice = self.rng.randrange(4)
        if choice == 0 and shape[axis] == 4:
            shape[axis:axis + 1] = [2, 2]
        elif choice == 1 and len(shape) > 1:
            axis = self.rng.randrange(len(shape) - 1)
            shape[axis:axis + 2] = [shape[axis] * shape[axis + 1]]
        elif choice == 2:
            shape.insert(axis, 1)
        elif choice == 3 and shape[axis] == 1 and len(shape) > 1:
            del shape[axis]
        return self.emit(f"nn.reshape {value[0]} : {tensor(value[1])} to {tensor(shape)}", shape)

    def reduce(self, value):
        axes = sorted(self.rng.sample(range(len(value[1])), self.rng.randint(1, min(2, len(value[1])))))
        keep = self.rng.random() < 0.5
        shape = [1 if i in axes else d for i, d in enumerate(value[1]) if keep or i not in axes]
        kind = self.rng.choice(["sum", "max", "min"])
        return self.emit(f"nn.reduce {kind} {value[0]} {{axes = {ints(axes)}{', keep_dims' if keep else ''}}}"
                         f" : {tensor(value[1])}", shape)

    def slice(self, value):
        starts, sizes, steps = [], [], []
        for dim in value[1]:
            step = self.rng.choice([1, 1, 2, -1])
            size = self.rng.randint(1, (dim + abs(step) - 1) // abs(step))
            reach = (size - 1) * abs(step)
            start = self.rng.randint(0, dim - 1 - reach)
            starts.append(start if step > 0 else start + reach)
            sizes.append(size)
            steps.append(step)
        return self.emit(f"nn.slice {value[0]} {starts} {sizes} {steps} : {tensor(value[1])}", sizes)

    def pad(self, value):
        low = [self.rng.choice([0, 0, 1]) for _ in value[1]]
        high = [self.rng.choice([0, 0, 1]) for _ in value[1]]
        return self.emit(f"nn.pad constant {value[0]} {low} {high} 3.0 : f32 : {tensor(value[1])}",
                         [d + a + b for d, a, b in zip(value[1], low, high)])

    def concat(self, value):
        axis = self.rng.randrange(len(value[1]))
        shape = list(value[1])
        shape[axis] *= 2
        return self.emit(f"nn.concat {value[0]}, {value[0]} {{axis = {axis}}} : {tensor(value[1])}, {tensor(value[1])}",
                         shape)

    def gather(self, value):
        axis = self.rng.randrange(len(value[1]))
        indices = [self.rng.randrange(-value[1][axis], value[1][axis]) for _ in range(self.rng.randint(1, 3))]
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = nn.constant dense<{indices}> : tensor<{len(indices)}xi64>")
        shape = list(value[1])
        shape[axis] = len(indices)
        return self.emit(f"nn.gather {value[0]}, {name} {{axis = {axis}}} : {tensor(value[1])}, tensor<{len(indices)}xi64>",
                         shape)

    def matmul(self, value):
        """A product with constant weights, with a bias and a factor for each channel behind it."""
        weights = self.constant([value[1][-1], self.rng.randint(1, 4)])
        if len(value[1]) < 2:
            return value
        shape = value[1][:-1] + [weights[1][1]]
        value = self.emit(f"nn.matmul {value[0]}, {weights[0]} : {tensor(value[1])}, {tensor(weights[1])}", shape)
        for kind in self.rng.sample(["add", "mul", "sub"], 2):
            value = self.binary(kind, value, self.constant(self.rng.choice([[shape[-1]], [1, shape[-1]], [1]])))
        return self.clamp(value)

    def combine(self, value):
        """An elementwise operator with something that broadcasts: an earlier value, or a constant of any rank."""
        fitting = [v for v in self.values if 0 < len(v[1]) <= len(value[1])
                   and all(a == b or a == 1 or b == 1 for a, b in zip(reversed(v[1]), reversed(value[1])))]
        shape = value[1][self.rng.randrange(len(value[1])):]
        other = self.rng.choice(fitting) if self.rng.random() < 0.7 else self.constant([self.rng.choice([1, d]) for d in shape])
        pair = [value, other]
        self.rng.shuffle(pair)
        return self.clamp(self.binary(self.rng.choice(["add", "sub", "mul", "max"]), *pair))

    def unary(self, value):
        return self.emit(f"nn.unary {self.rng.choice(['relu', 'neg', 'abs'])} {value[0]} : {tensor(value[1])}", value[1])

    def grow(self, steps):
        makers = [self.transpose] * 4 + [self.unary, self.combine, self.combine, self.reshape, self.reshape, self.reduce,
                                         self.slice, self.pad, self.concat, self.gather, self.matmul]
        value = self.values[0]
        for _ in range(steps):
            maker = self.rng.choice(makers)
            size = 1
            for dim in value[1]:
                size *= dim
            # Small and of few axes, so that networks stay quick and interesting.
            if not value[1] or size > 500 or len(value[1]) > 6:
                value = self.values[self.rng.randrange(len(self.arguments))]
                continue
            value = maker(value)
            if maker in (self.reduce, self.pad):
                value = self.clamp(value)
        return value

    def text(self, name, steps):
        result, shape = self.grow(steps)
        arguments = ", ".join(f"%a{i}: {tensor(s)}" for i, s in enumerate(self.arguments))
        integers = tensor(shape, "i32")
        return "\n".join([f"func.func @{name}({arguments}) -> {integers} {{", *self.lines,
                          f"  %result = nn.cast {result} : {tensor(shape)} to {integers}",
                          f"  return %result : {integers}", "}"])


def make(count, seed):
    rng = random.Random(seed)
    print("\n// -----\n".join(Network(rng).text(f"network{i}", rng.randint(3, 14)) for i in range(count)))


def bind(text):
    def header(match):
        lines = []
        for i, (name, dims) in enumerate(re.findall(r"(%\w+): tensor<([\dx]*)f32>", match.group(2))):
            shape = [int(d) for d in dims.split("x") if d]
            numbers = (f"{n * (i + 3) % 7 - 3}.0" for n in itertools.count(1))
            lines.append(f"  {name} = nn.constant dense<{dense(shape, numbers)}> : {tensor(shape)}")
        return f"func.func @{match.group(1)}() {match.group(3)}\n" + "\n".join(lines)
    sys.stdout.write(re.sub(r"func\.func @(\w+)\((.*?)\) (-> .*\{)", header, text))


if sys.argv[1] == "make":
    make(int(sys.argv[2]), int(sys.argv[3]))
else:
    bind(sys.stdin.read())
