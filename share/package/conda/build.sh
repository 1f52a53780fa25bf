#!/bin/bash
set -e
cmake -G Ninja -B build $CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DPJ_TESTS=OFF
cmake --build build --parallel "$CPU_COUNT"
cmake --install build
