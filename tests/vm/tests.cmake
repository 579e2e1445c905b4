# SPDX-License-Identifier: Apache-2.0
# In a guest with a real PMU (ctest -L vm): programs for arm64 and the guest are made once, then tests
# boot it, one for itself or several together. Without qemu they are skipped;
# PMU_TEST_VM=required makes that a failure.
if(SANITIZE OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()

set(vm_environment "PMU_TEST_ARM64=${CMAKE_BINARY_DIR}/arm64;\
PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/vm:${CMAKE_CURRENT_SOURCE_DIR}/support")

add_test(NAME vm/prepare
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/vm/prepare.py)
set_tests_properties(vm/prepare PROPERTIES LABELS "vm;prepare" TIMEOUT 1800 SKIP_RETURN_CODE 77
  FIXTURES_SETUP vm_guest ENVIRONMENT "${vm_environment}")
takes(100 vm/prepare)

# add_in_guest(TEST COUNTING SCRIPT [ARGUMENT...]): by one mechanism of counting
function(add_in_guest test counting script)
  add_test(NAME vm/${test}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/vm/${script}.py ${ARGN})
  set_tests_properties(vm/${test} PROPERTIES LABELS vm PROCESSORS 4 TIMEOUT 2700 SKIP_RETURN_CODE 77
    FIXTURES_REQUIRED vm_guest ENVIRONMENT "${vm_environment};PMU_TEST_COUNTING=${counting}")
endfunction()

function(add_vm_test name)
  add_in_guest(${name} direct test_${name})
endfunction()

# By direct, and by bpf.
function(add_vm_test_of_mechanisms name)
  add_vm_test(${name})
  add_in_guest(${name}_bpf bpf test_${name})
endfunction()

# add_vm_tests_of_one_boot(GUEST COUNTING NAME...): scenarios that leave the guest as it was run in
# one guest, which is a test of its own and boots before theirs.
function(add_vm_tests_of_one_boot guest counting)
  add_in_guest(${guest} ${counting} shared_boot ${ARGN})
  set_tests_properties(vm/${guest} PROPERTIES FIXTURES_SETUP vm_${guest})
  takes(40 vm/${guest})
  foreach(name ${ARGN})
    set(test ${name})
    if(counting STREQUAL "bpf")
      set(test ${name}_bpf)
    endif()
    add_in_guest(${test} ${counting} test_${name})
    set_tests_properties(vm/${test} PROPERTIES PROCESSORS 1 FIXTURES_REQUIRED "vm_guest;vm_${guest}")
    set_property(TEST vm/${test} APPEND PROPERTY ENVIRONMENT PMU_TEST_SHARED_BOOT=1)
  endforeach()
endfunction()

# Those of one guest have one shift (guest.py).
set(exact exact_counts ratios against_perf_stat processes probes runs)
set(slow multiplexing reload pause pmu_taken)
add_vm_tests_of_one_boot(boot_exact direct ${exact} budget stat encodings pmutool)
add_vm_tests_of_one_boot(boot_exact_bpf bpf ${exact})
add_vm_tests_of_one_boot(boot_slow direct ${slow} never_scheduled neighbour)
add_vm_tests_of_one_boot(boot_slow_bpf bpf ${slow})
add_vm_test(permissions)
add_vm_test_of_mechanisms(hotplug)
add_vm_test_of_mechanisms(latency)
add_vm_test(preempted)
add_vm_test(profile)
add_vm_test(profile_record)
add_vm_test(block_requests)
add_vm_test(verifier)
add_vm_test(observers)
add_vm_test(kvm)
add_vm_test(hostile_bpf)
add_vm_test(moves)
add_vm_test(switch_cost)
add_vm_test(system_call_cost)
add_vm_test(system_call_times)
add_vm_test(service)
takes(60 vm/profile_record)
takes(100 vm/service)
takes(35 vm/hotplug vm/hotplug_bpf vm/switch_cost)
takes(30 vm/latency)
takes(90 vm/latency_bpf)
takes(25 vm/moves vm/hostile_bpf)
takes(15 vm/verifier vm/block_requests)
takes(120 vm/observers)
takes(60 vm/kvm)
add_vm_test(rare_events)
set_tests_properties(vm/rare_events PROPERTIES LABELS "vm;long" TIMEOUT 700)
