"""Functions that are entered again and again: generators, coroutines. Their regions are those
times in which they run."""

import functools
import inspect
import types


def steps(context, generator):
    """Drives a generator, with the context around each of its steps."""
    method, value = generator.send, None
    while True:
        with context:
            try:
                given = method(value)
            except StopIteration as end:
                return end.value
        try:
            value = yield given
            method = generator.send
        except GeneratorExit:
            with context:
                generator.close()
            raise
        except BaseException as error:
            method, value = generator.throw, error


coroutine_steps = types.coroutine(steps)


async def async_steps(context, generator):
    """The same for an asynchronous generator."""
    method, value = generator.asend, None
    while True:
        try:
            given = await coroutine_steps(context, method(value).__await__())
        except StopAsyncIteration:
            return
        try:
            value = yield given
            method = generator.asend
        except GeneratorExit:
            await generator.aclose()
            raise
        except BaseException as error:
            method, value = generator.athrow, error


def within(context, function):
    """The function with a context around it, of whatever kind it is."""
    if inspect.iscoroutinefunction(function):
        async def inner(*args, **kwargs):
            return await coroutine_steps(context, function(*args, **kwargs))
    elif inspect.isasyncgenfunction(function):
        async def inner(*args, **kwargs):
            generator = async_steps(context, function(*args, **kwargs))
            try:
                value = None
                while True:
                    value = yield await generator.asend(value)
            except StopAsyncIteration:
                return
            finally:
                await generator.aclose()
    elif inspect.isgeneratorfunction(function):
        def inner(*args, **kwargs):
            return (yield from steps(context, function(*args, **kwargs)))
    else:
        def inner(*args, **kwargs):
            with context:
                return function(*args, **kwargs)
    return functools.wraps(function)(inner)


def wrap(region, function):
    """What `@region(name)` leaves of a generator or a coroutine; without a name it is recorded as
    every function is."""
    return within(region, function) if region.named else function
