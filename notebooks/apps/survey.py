#!/usr/bin/env python3
"""survey.py DIR: 32 processes search images for stars; each leaves its cProfile file in DIR.

The images are dealt out one by one, but there are fewer of them than processes: the last 12 have
nothing to do. All meet at a barrier after every image. One image is far more crowded than others.
"""
import cProfile
import multiprocessing
import os
import sys

RANKS, IMAGES, ROUNDS, SIZE = 32, 20, 3, 120


def pixel(image, x, y):
    """The brightness of a made-up sky."""
    return (x * 7919 + y * 104729 + image * 31) % 1009


def crowded(image):
    return 8 if image == 13 else 1


def centroid(image, x, y):
    """The middle of what lies around a bright pixel."""
    weight = moment = 0
    for dx in range(-3, 4):
        for dy in range(-3, 4):
            value = pixel(image, x + dx, y + dy)
            weight += value
            moment += value * dx
    return moment / weight


def find_stars(image, limit):
    stars = []
    for x in range(SIZE):
        for y in range(SIZE):
            if pixel(image, x, y) > limit:
                stars.append(centroid(image, x, y))
    return stars


def search(image):
    stars = find_stars(image, 1008 - 6 * crowded(image) ** 2)
    return sum(stars) / max(1, len(stars))


def meet(barrier):
    barrier.wait()


def run(rank, barrier):
    for _ in range(ROUNDS):
        if rank < IMAGES:
            search(rank)
        meet(barrier)


def work(rank, barrier, folder):
    barrier.wait()  # all processes are there
    profile = cProfile.Profile()
    profile.runcall(run, rank, barrier)
    profile.dump_stats(os.path.join(folder, f"cpu_{rank}.prof"))


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(RANKS)
    processes = [context.Process(target=work, args=(rank, barrier, folder))
                 for rank in range(RANKS)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


if __name__ == "__main__":
    main()
