"""Regions of the user in every form; the same output with and without a recorder."""

import asyncio

import popinjay


def work():
    return 1


def nested():
    with popinjay.region("outer"):
        with popinjay.region("inner"):
            work()
        popinjay.begin("begun")
        work()
        popinjay.end("begun")


@popinjay.region("decorated")
def decorated(n):
    "What it does."
    return n + work()


@popinjay.region()
def unnamed():
    return work()


class Solver:
    @popinjay.region("method")
    def solve(self, n):
        return n

    @popinjay.region("generator")
    def values(self):
        yield 1
        yield 2


@popinjay.region("coroutine")
async def waits():
    await asyncio.sleep(0)
    return 3


def leaves_by_exception():
    try:
        with popinjay.region("failing"):
            raise KeyError("x")
    except KeyError as error:
        return str(error)


def taken_back():
    with popinjay.rewind("mark") as mark:
        with popinjay.region("taken back"):
            work()
        mark.discard()


def switched():
    with popinjay.instrument(False, "switched off"):
        hidden()
    with popinjay.instrument(True, "not written"):
        work()


def hidden():
    with popinjay.region("in hidden"):
        pass


nested()
print(decorated(1), decorated.__name__, decorated.__doc__, unnamed())
print(Solver().solve(2), list(Solver().values()), asyncio.run(waits()))
print(leaves_by_exception())
taken_back()
switched()
popinjay.parameter("size", 12)
popinjay.parameter("name", "text")
popinjay.parameter("huge", 10 ** 30)
popinjay.off()
work()
popinjay.on()
popinjay.finish()
nested()
