"""Neurons, layers and multilayer perceptrons, out of single numbers.

>>> model = MLP(2, (3, 1), seed=1)
>>> score, = model([0.5, -1.0])
>>> score.backward()
>>> len(model.parameters()), score.op
(13, '+')
"""

from collections.abc import Callable, Sequence
from random import Random

from engine.numbers import whole
from engine.recording import scope
from engine.text import number_of, shown
from engine.value import Parameter, Value

ACTIVATIONS: dict[str, Callable[[Value], Value]] = {
    "tanh": Value.tanh,
    "relu": Value.relu,
    "linear": lambda number: number,
}
Numbers = Sequence[Value | float]


class Neuron:
    """Multiply each input by a weight, add the products and a bias, and bend the sum.

    Args:
        inputs: how many numbers it takes.
        activation: what bends the sum: ``"tanh"``, ``"relu"`` or ``"linear"`` (nothing).
        chance: where the weights come from: normal, of standard deviation 1 / sqrt(inputs), so
            that the sum is as large as one input, however many there are. The bias begins at 0.
            None stands for a new ``Random(0)``: the same weights each time. For neurons that
            differ make one ``Random``, and give it to each of them, as a layer does.

    Raises:
        TypeError: the number of inputs is no whole number, or ``chance`` no ``Random``.
        ValueError: there is no input, or no activation of this name.

    >>> import math
    >>> neuron = Neuron(2)
    >>> neuron.weights[0].data, neuron.weights[1].data, neuron.bias.data = 2.0, -3.0, 0.5
    >>> neuron([1.0, 0.25]).data == math.tanh(1.75)
    True
    """

    def __init__(self, inputs: int, activation: str = "tanh", chance: Random | None = None) -> None:
        _require_activation(activation)
        if whole(inputs, "the number of inputs") < 1:
            raise ValueError(f"a neuron needs at least one input, got {inputs}.")
        chance = _chance(chance)
        deviation = inputs**-0.5
        self.weights = [Parameter(chance.gauss(0, deviation), f"w[{i}]") for i in range(inputs)]
        self.bias = Parameter(0.0, "b")
        self.activation = activation

    def __call__(self, inputs: Numbers) -> Value:
        """Record the neuron's answer to these inputs, a list of numbers."""
        if not hasattr(inputs, "__len__"):
            raise TypeError(f"a neuron takes a list of numbers, got {shown(inputs)}.")
        if len(inputs) != len(self.weights):
            takes = number_of(len(self.weights), "input")
            raise ValueError(f"this neuron takes {takes}, got {len(inputs)}.")
        products = [weight * x for weight, x in zip(self.weights, inputs, strict=True)]
        return ACTIVATIONS[self.activation](sum(products[1:], products[0]) + self.bias)

    def parameters(self) -> list[Parameter]:
        """The weights, then the bias."""
        return [*self.weights, self.bias]

    def __repr__(self) -> str:
        return f"Neuron({number_of(len(self.weights), 'input')}, {self.activation})"


class Layer:
    """A list of neurons that all read the same inputs; its answer is a list, one number each.

    Args:
        inputs: how many numbers it takes.
        outputs: how many neurons it has.
        activation: of each neuron.
        chance: where the weights come from, one neuron after the other. None stands for a new
            ``Random(0)``: the same weights each time.

    Raises:
        TypeError: a count is no whole number, or ``chance`` no ``Random``.
        ValueError: there is no input, no neuron, or no activation of this name.

    >>> layer = Layer(2, 3, "relu")
    >>> len(layer([1.0, 2.0])), len(layer.parameters())
    (3, 9)
    """

    def __init__(
        self, inputs: int, outputs: int, activation: str = "tanh", chance: Random | None = None
    ) -> None:
        if whole(outputs, "the number of neurons") < 1:
            raise ValueError(f"a layer needs at least one neuron, got {outputs}.")
        chance = _chance(chance)
        self.neurons = [Neuron(inputs, activation, chance) for _ in range(outputs)]
        for place, neuron in enumerate(self.neurons):
            neuron.bias.label = f"b[{place}]"
            for column, weight in enumerate(neuron.weights):
                weight.label = f"w[{place}][{column}]"

    def __call__(self, inputs: Numbers) -> list[Value]:
        """Record the answer of each neuron, in order."""
        answers = []
        for place, neuron in enumerate(self.neurons):
            with scope(f"neuron{place}"):
                answers.append(neuron(inputs))
        return answers

    def parameters(self) -> list[Parameter]:
        """Those of the first neuron, then of the second, and so on."""
        return [parameter for neuron in self.neurons for parameter in neuron.parameters()]

    def __repr__(self) -> str:
        return f"Layer({len(self.neurons)} x {self.neurons[0]!r})"


class MLP:
    """A multilayer perceptron: each layer reads the answers of the one before.

    Args:
        inputs: how many numbers it takes.
        sizes: how many neurons each layer has; the last is the number of outputs.
        activation: of every layer but the last, whose neurons are linear.
        seed: of the initial weights; the same seed gives the same model.

    Raises:
        TypeError: ``sizes`` is no list, or a count is no whole number.
        ValueError: there is no layer, no input, or no activation of this name; or a layer has no
            neuron.

    >>> MLP(2, (16, 16, 1))
    MLP(2-16-16-1, tanh, 337 parameters)
    """

    def __init__(
        self, inputs: int, sizes: Sequence[int], activation: str = "tanh", seed: int = 0
    ) -> None:
        _require_activation(activation)
        if not hasattr(sizes, "__len__"):
            raise TypeError(
                f"the sizes are a list, one for each layer, got {shown(sizes)}. Try MLP(2, (3, 1))."
            )
        if not len(sizes):
            raise ValueError("a multilayer perceptron needs at least one layer, got no size.")
        chance = Random(seed)
        bends = [activation] * (len(sizes) - 1) + ["linear"]
        widths = [inputs, *sizes]
        self.activation = activation
        self.layers: list[Layer] = []
        for depth, (width, size, bend) in enumerate(zip(widths[:-1], sizes, bends, strict=True)):
            self.layers.append(Layer(width, size, bend, chance))
            for parameter in self.layers[depth].parameters():
                parameter.label = f"layer{depth}.{parameter.label}"

    def __call__(self, inputs: Numbers) -> list[Value]:
        """Record the answers of the last layer."""
        numbers = inputs
        for depth, layer in enumerate(self.layers):
            with scope(f"layer{depth}"):
                numbers = layer(numbers)
        return list(numbers)  # type: ignore[arg-type]  # there is a layer, so these are Values

    def parameters(self) -> list[Parameter]:
        """All weights and biases, layer by layer."""
        return [parameter for layer in self.layers for parameter in layer.parameters()]

    def __repr__(self) -> str:
        first = len(self.layers[0].neurons[0].weights)
        sizes = "-".join(str(len(layer.neurons)) for layer in self.layers)
        count = len(self.parameters())
        return f"MLP({first}-{sizes}, {self.activation}, {count} parameters)"


def _require_activation(activation: str) -> None:
    if not isinstance(activation, str) or activation not in ACTIVATIONS:
        names = ", ".join(ACTIVATIONS)
        raise ValueError(f"an activation is one of {names}, got {shown(activation)}.")


def _chance(chance: Random | None) -> Random:
    if chance is None:
        return Random(0)
    if not hasattr(chance, "gauss"):
        raise TypeError(f"chance is a Random of Python, such as Random(1), got {shown(chance)}.")
    return chance
