"""Many short calls and a few long ones, some of them recursive; its argument says how many."""

import json
import sys


class Grid:
    def cell(self, i):
        return i * 2

    def row(self, n):
        return sum(self.cell(i) for i in range(n))


def tiny(n):
    return n


def down(n):
    return n and down(n - 1) + tiny(0)


def busy():
    total = 0
    for i in range(20000):
        total += i * i
    return total


def main(rounds):
    grid, total = Grid(), 0
    for _ in range(rounds):
        total += grid.row(50) + down(20) + busy() % 7
        total += len(json.dumps({"a": [1, 2, 3]}))
    return total


print(main(int(sys.argv[1])))
