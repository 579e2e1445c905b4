# SPDX-License-Identifier: Apache-2.0
add_unit_test(profile changed_processes)
add_unit_test(profile extents)
add_unit_test(profile kernel_names)
add_unit_test(profile jit_maps)
add_unit_test(profile known_files)
add_unit_test(profile known_files_choice)
add_unit_test(profile known_files_room)
add_unit_test(profile open_object)
add_unit_test(profile sample_list)
add_unit_test(profile places)
add_unit_test(profile recorded m)
add_unit_test(profile seconds)
add_unit_test(profile unwind_pool)
add_unit_test(profile store)
add_unit_test(profile store_memory)
add_unit_test(profile store_model)
add_unit_test(profile store_pack)
add_unit_test(profile tree)
add_unit_test(profile difference m)
add_unit_test(profile names_work)
add_unit_test(profile annotation)
add_unit_test(profile code_work)
add_unit_test(profile object_reader)
add_unit_test(profile object_table)
add_unit_test(profile perf_map)
add_unit_test(profile table_work)
add_unit_test(profile targets Threads::Threads)
in_kernel(profile/object_reader)
add_unit_test(profile address_spaces)
foreach(function arrays list_mappings find_process set_process clear_process visit)
  target_link_options(test_profile_address_spaces PRIVATE -Wl,--wrap=profile_program_${function})
endforeach()
add_unit_test(profile sampler_looks)
foreach(function profile_program_next_mapped address_spaces_look_at_all address_spaces_look
    clock_thread_cpu_ns)
  target_link_options(test_profile_sampler_looks PRIVATE -Wl,--wrap=${function})
endforeach()
add_unit_test(profile sampler_jobs)
foreach(function known_files_settle known_files_next_job known_files_take known_files_figures
    jit_maps_next_job jit_maps_take jit_maps_sweep jit_maps_bytes jit_maps_without_room
    code_desk_next_job code_desk_take
    object_reader_begin object_reader_finish address_spaces_sweep address_spaces_figures
    unwind_pool_bytes profile_program_read profile_program_figures profile_store_tick sampler_look
    sampler_process)
  target_link_options(test_profile_sampler_jobs PRIVATE -Wl,--wrap=${function})
endforeach()
add_unit_test(profile sampler_cpus)
foreach(function profile_program_begin_cpu profile_program_end_cpu profile_program_samples_cpu
    nanosleep)
  target_link_options(test_profile_sampler_cpus PRIVATE -Wl,--wrap=${function})
endforeach()
add_unit_test(profile object_memory)
foreach(function malloc calloc realloc reallocarray strdup strndup)
  target_link_options(test_profile_object_memory PRIVATE -Wl,--wrap=${function})
endforeach()

# Rows of tables beside those of readelf, of some files and, in the long mode, of all.
add_executable(object_rows profile/object_rows.c)
target_include_directories(object_rows PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(object_rows PRIVATE profile)
add_test(NAME profile/object_rows
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/profile/test_object_rows.py
          $<TARGET_FILE:object_rows>)
set_tests_properties(profile/object_rows PROPERTIES LABELS unit TIMEOUT 600)
takes(10 profile/object_rows)
add_test(NAME long/object_rows
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/profile/test_object_rows.py
          $<TARGET_FILE:object_rows> all)
set_tests_properties(long/object_rows PROPERTIES LABELS long TIMEOUT 7200)

# Allocations can be made to fail (support/failing_memory.h).
foreach(function malloc calloc realloc reallocarray strdup strndup)
  target_link_options(test_profile_store_memory PRIVATE -Wl,--wrap=${function})
endforeach()
