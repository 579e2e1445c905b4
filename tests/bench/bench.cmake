# SPDX-License-Identifier: Apache-2.0
# What the benchmarks run beside the service itself; none is a test.
add_executable(serve_static bench/serve_static.c)
target_link_libraries(serve_static PRIVATE web)
