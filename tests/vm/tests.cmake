# SPDX-License-Identifier: Apache-2.0
# In a guest with a real PMU: programs for arm64 and the guest are made once, then each test boots
# for itself (ctest -L vm). Without qemu they are skipped; PMU_TEST_VM=required makes that a failure.
if(SANITIZE OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()

set(vm_environment "PMU_TEST_ARM64=${CMAKE_BINARY_DIR}/arm64;\
PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/vm:${CMAKE_CURRENT_SOURCE_DIR}/support")

add_test(NAME vm/prepare
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/vm/prepare.py)
set_tests_properties(vm/prepare PROPERTIES LABELS "vm;prepare" TIMEOUT 1800 SKIP_RETURN_CODE 77
  FIXTURES_SETUP vm_guest ENVIRONMENT "${vm_environment}")

function(add_vm_test name)
  add_test(NAME vm/${name}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/vm/test_${name}.py)
  set_tests_properties(vm/${name} PROPERTIES LABELS vm PROCESSORS 2 TIMEOUT 2700 SKIP_RETURN_CODE 77
    FIXTURES_REQUIRED vm_guest ENVIRONMENT "${vm_environment}")
endfunction()

# By direct, and by bpf.
function(add_vm_test_of_mechanisms name)
  add_vm_test(${name})
  add_test(NAME vm/${name}_bpf
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/vm/test_${name}.py)
  set_tests_properties(vm/${name}_bpf PROPERTIES LABELS vm PROCESSORS 2 TIMEOUT 2700 SKIP_RETURN_CODE 77
    FIXTURES_REQUIRED vm_guest ENVIRONMENT "${vm_environment};PMU_TEST_COUNTING=bpf")
endfunction()

add_vm_test_of_mechanisms(exact_counts)
add_vm_test_of_mechanisms(ratios)
add_vm_test_of_mechanisms(against_perf_stat)
add_vm_test(permissions)
add_vm_test(budget)
add_vm_test_of_mechanisms(multiplexing)
add_vm_test(never_scheduled)
add_vm_test_of_mechanisms(hotplug)
add_vm_test_of_mechanisms(reload)
add_vm_test_of_mechanisms(processes)
add_vm_test_of_mechanisms(pause)
add_vm_test_of_mechanisms(pmu_taken)
add_vm_test(neighbour)
add_vm_test(verifier)
add_vm_test(hostile_bpf)
add_vm_test(moves)
add_vm_test(switch_cost)
add_vm_test(service)
takes(50 vm/service)
takes(35 vm/hotplug vm/hotplug_bpf vm/switch_cost)
takes(25 vm/moves vm/multiplexing_bpf vm/reload_bpf vm/hostile_bpf)
takes(15 vm/multiplexing vm/neighbour vm/verifier)
add_vm_test(rare_events)
set_tests_properties(vm/rare_events PROPERTIES LABELS "vm;long" TIMEOUT 700)
