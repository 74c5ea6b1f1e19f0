# SPDX-License-Identifier: BSD-3-Clause
"""The operands of matrix products: the published example, and random sizes."""

from __future__ import annotations

from regression.support.matmul import SIZE, operands


def test_the_first_product_is_the_known_one() -> None:
    left, right = operands(seed=7, index=0)
    product = left @ right
    assert (product[0, 0], product[-1, -1], product.sum()) == (250, 330, 81_240)


def test_other_products_have_sizes_and_elements_by_the_seed() -> None:
    pairs = [operands(3, index) for index in range(1, 40)]
    assert all(left.shape[1] == right.shape[0] for left, right in pairs)
    sizes = {size for pair in pairs for one in pair for size in one.shape}
    assert min(sizes) >= 1 and max(sizes) == SIZE and len(sizes) > 10
    again = operands(3, 5)
    assert all((one == other).all() for one, other in zip(again, pairs[4], strict=True))
    assert operands(4, 5)[0].shape != operands(3, 5)[0].shape
