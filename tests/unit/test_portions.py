"""Portions of a batch: cutting, halving, and how few requests find the refused ones."""

import random
from collections.abc import Iterable

from notifications.portions import Portions


def send(portions: Portions[int], bad: set[int]) -> tuple[list[list[int]], list[int]]:
    """What a provider took, request by request, that refuses whatever holds a bad one; the dead."""
    taken: list[list[int]] = []
    dead: list[int] = []
    requests = 0
    while portions:
        portion = portions.take()
        requests += 1
        if not bad & set(portion):
            taken.append(portion)
            portions.was_accepted()
        elif len(portion) == 1:
            dead += portion
            portions.has_ended()
        else:
            portions.was_refused(portion)
    taken.append([requests])
    return taken, dead


def requests_for(count: int, bad: Iterable[int]) -> int:
    *taken, [requests] = send(Portions([list(range(count))]), set(bad))[0]
    good = sorted(item for portion in taken for item in portion)
    assert good == sorted(set(range(count)) - set(bad))
    return requests


def test_a_batch_without_refusal_is_one_request() -> None:
    assert requests_for(500, []) == 1


def test_one_refused_among_five_hundred_takes_about_ten_requests() -> None:
    assert max(requests_for(500, [bad]) for bad in range(500)) <= 12


def test_three_refused_among_five_hundred_take_about_thirty_requests() -> None:
    rolls = random.Random(7)
    numbers = [requests_for(500, rolls.sample(range(500), 3)) for _ in range(500)]
    assert sum(numbers) / len(numbers) < 31.5
    assert max(numbers) <= 35


def test_a_batch_of_refused_ones_ends() -> None:
    assert requests_for(500, range(500)) <= 1040
    assert send(Portions([list(range(16))]), set(range(16)))[1] == list(range(16))


def test_requests_are_never_mixed() -> None:
    taken, _dead = send(Portions([[1, 2, 3, 4], [5, 6, 7, 8]]), {1, 2, 8})
    for portion in taken[:-1]:
        assert max(portion) <= 4 or min(portion) >= 5


def test_what_is_cut_off_comes_next() -> None:
    portions = Portions([[1, 2, 3, 4, 5], [6]])
    assert portions.only(portions.take(), 2) == [1, 2]
    portions.was_accepted()
    assert portions.only(portions.take(), 9) == [3, 4, 5]
    portions.was_accepted()
    assert portions.rest() == [6]
    assert not portions


def test_a_cut_half_leaves_the_suspicion_on_all_the_others() -> None:
    portions = Portions([[1, 2, 3, 4, 5, 6, 7, 8]])
    portions.was_refused(portions.take())
    assert portions.only(portions.take(), 2) == [1, 2]
    portions.was_accepted()
    # 3 to 8 hold the refused one: halved without being asked as a whole.
    assert portions.take() == [3, 4, 5]


def test_the_rest_holds_everything_not_handed_out_in_order() -> None:
    portions = Portions([[1, 2, 3, 4], [5, 6]])
    portions.was_refused(portions.take())
    assert portions.take() == [1, 2]
    assert portions.rest() == [3, 4, 5, 6]


def test_those_that_come_alone_are_named_up_to_the_first_that_come_together() -> None:
    portions = Portions([[1], [2], [3], [4, 5], [6]])
    assert portions.take() == [1]
    assert portions.coming_alone(9) == [2, 3]
    assert portions.coming_alone(1) == [2]
    assert portions.coming_alone(0) == []
    assert portions.rest() == [2, 3, 4, 5, 6]


def test_nobody_comes_alone_before_the_other_half_of_a_refused_portion() -> None:
    portions = Portions([[1, 2], [3]])
    portions.was_refused(portions.take())
    assert portions.take() == [1]
    assert portions.coming_alone(9) == []
