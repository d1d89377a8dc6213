"""What a replay computes together: sums as one step, and alike nodes on one level."""

from collections.abc import Sequence

import numpy as np

from engine import Parameter, Value
from engine.gpt import GPT, Shape, dot, encode
from engine.replay.cells import Choice, read_cells
from engine.replay.groups import Dot, Group, Single, Sum
from engine.replay.levels import Levels
from engine.replay.plan import Plan
from engine.training import choices_of


def planned(output: Value, choices: Sequence[Choice] = ()) -> Plan:
    return Plan(read_cells(output, (), choices, {}))


def kinds(output: Value) -> list[tuple[type[Group], int]]:
    return [(type(group), len(group.cells)) for group in planned(output).groups]


def numbers(count: int) -> list[Value]:
    return [Parameter(place + 0.5) for place in range(count)]


def added(terms: Sequence[Value]) -> Value:
    return sum(terms[1:], terms[0])


def test_a_chain_of_additions_is_one_step_however_long_it_is() -> None:
    assert kinds(added(numbers(1000))) == [(Sum, 1)]


def test_products_that_are_used_only_in_a_sum_are_part_of_its_step() -> None:
    assert kinds(dot(numbers(64), numbers(64))) == [(Dot, 1)]


def test_one_addition_is_no_chain() -> None:
    a, b = numbers(2)
    assert kinds(a + b) == [(Single, 1)]


def test_a_product_that_is_used_elsewhere_is_a_step_of_its_own() -> None:
    products = [a * b for a, b in zip(numbers(3), numbers(3), strict=True)]
    assert kinds(added(products) * products[1]) == [(Single, 3), (Sum, 1), (Single, 1)]


def test_a_product_with_a_constant_is_a_step_of_its_own_since_a_constant_has_no_gradient() -> None:
    assert kinds(added([number * 2 for number in numbers(3)])) == [(Single, 3), (Sum, 1)]


def test_a_sum_on_the_way_that_is_used_elsewhere_ends_a_chain() -> None:
    inner = added(numbers(3))
    outer = inner + numbers(1)[0] + numbers(1)[0]
    assert kinds(outer * inner) == [(Sum, 1), (Sum, 1), (Single, 1)]


def test_sums_of_about_the_same_length_are_one_group_and_others_are_not() -> None:
    short = [added(numbers(length)) for length in (3, 5, 8)]
    long = [added(numbers(length)) for length in (60, 64)]
    total = (short[0] * short[1] + short[2] * long[0]) * long[1]
    sums = [count for kind, count in kinds(total) if kind is Sum]
    assert sorted(sums) == [1, 1, 3]


def test_what_is_alike_meets_on_one_level_although_one_way_to_it_is_shorter() -> None:
    a, b = numbers(2)
    early = a.tanh()
    late = (b.exp().log() * 2).tanh()
    assert kinds((early - late).exp())[-3:] == [(Single, 2), (Single, 1), (Single, 1)]


def test_every_cell_of_a_gpt_has_a_slot_of_its_own_in_few_groups() -> None:
    gpt = GPT(Shape(width=8, heads=2), seed=1)
    reading = gpt.read(encode("emma"))
    cells = read_cells(reading.loss, gpt.parameters(), choices_of(gpt, reading), {})
    plan = Plan(cells)
    assert len(np.unique(plan.slot)) == len(cells)
    assert plan.slot.min() == 0
    assert plan.slot.max() < plan.size
    assert len(plan.groups) < 60 < len(cells) / 100


def test_nothing_flows_into_the_zero_that_fills_up_short_sums() -> None:
    left, right = numbers(3), numbers(3)
    output = dot(left, right) * dot(left[:2], right[:2])
    cells = read_cells(output, (*left, *right), (), {})
    levels = Levels(cells, leaves=6)
    values = np.array([number.data for number in (*left, *right)])
    for _ in range(2):
        levels.forward(values)
        gradients = levels.backward().copy()
    output.backward()
    assert gradients.tolist() == [number.grad for number in (*left, *right)]
