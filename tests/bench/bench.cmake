# SPDX-License-Identifier: Apache-2.0
# What the benchmarks run beside the service itself; none is a test.
add_executable(serve_static bench/serve_static.c)
target_link_libraries(serve_static PRIVATE web)
add_executable(bench_render bench/render.c)
target_link_libraries(bench_render PRIVATE expose)
add_executable(bench_cycle bench/cycle.c)
target_include_directories(bench_cycle PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(bench_cycle PRIVATE app)
add_executable(bench_processes bench/processes.c)
target_include_directories(bench_processes PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(bench_processes PRIVATE target)
