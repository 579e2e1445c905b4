# SPDX-License-Identifier: Apache-2.0
# What the benchmarks run beside the service itself; none is a test.
function(add_benchmark name library)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${library})
endfunction()

add_benchmark(serve_static web bench/serve_static.c)
add_benchmark(bench_render expose bench/render.c)
add_benchmark(bench_cycle cycle bench/cycle.c bench/bare_reads.c)
add_benchmark(bench_process_cycle cycle bench/process_cycle.c bench/bare_reads.c)
add_benchmark(bench_processes target bench/processes.c)
add_benchmark(bench_switch count bench/switch.c)
add_benchmark(bench_system_call count bench/system_call.c)
add_benchmark(bench_latency count bench/latency.c)
add_benchmark(bench_keyed sys bench/keyed.c)
add_benchmark(bench_history history bench/history.c)
add_benchmark(bench_profile_store "expose;m" bench/profile_store.c)
