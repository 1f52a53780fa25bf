"""Calls of every kind; each function has a name of its own."""

import asyncio
import threading


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def numbers(n):
    for i in range(n):
        yield i


def endless():
    try:
        while True:
            yield 1
    finally:
        cleaned()


def cleaned():
    pass


def outer():
    def inner(n):
        return [doubled(i) for i in range(n)]

    def doubled(i):
        return 2 * i

    return inner(5)


class Shape:
    def __init__(self, side):
        self.side = side

    @property
    def area(self):
        return self.side ** 2

    @classmethod
    def unit(cls):
        return cls(1)

    @staticmethod
    def corners():
        return 4

    def __eq__(self, other):
        return self.side == other.side


def fails(depth):
    if depth == 0:
        raise ValueError("at the bottom")
    fails(depth - 1)


def catches():
    try:
        fails(5)
    except ValueError:
        pass


def delegating():
    got = yield from numbers(3)
    return got


def thrown_into():
    try:
        yield 1
    except KeyError:
        yield 2


async def waits(n):
    for _ in range(n):
        await asyncio.sleep(0)
    return n


async def produces(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


async def gathers():
    results = await asyncio.gather(*(waits(i) for i in range(4)))
    return sum(results) + sum([i async for i in produces(3)])


def many_codes(n):
    """Code objects that come and go."""
    for i in range(n):
        names = {"__name__": "__main__"}
        exec(f"def made():\n    return {i}\nmade()", names)


def everything():
    total = fib(12) + sum(numbers(10))
    early = endless()
    total += next(early) + next(early)
    early.close()
    del early
    total += sum(outer())
    total += Shape(3).area + Shape.unit().area + Shape.corners() + (Shape(1) == Shape(2))
    catches()
    total += sum(delegating())
    thrown = thrown_into()
    next(thrown)
    total += thrown.throw(KeyError())
    thrown.close()
    never_started = numbers(3)
    never_started.close()
    total += asyncio.run(gathers())
    many_codes(50)
    total += (lambda n: fib(n))(3)
    return total


if __name__ == "__main__":
    print(everything())
