# SPDX-License-Identifier: Apache-2.0
# What draws flame graphs on the page: d3-flame-graph and what it needs, fetched by npm with the
# versions and hashes of package-lock.json, and bundled into one file. That is done once for all
# build directories of a checkout: the bundle lies in build/flame-HASH/, HASH being that of its
# sources. Without npm, or without a network, the program is built with absent.js in its place, and
# each later run of cmake tries again.
#
# Sets FLAME_FOLDER: where flame.js is.
option(FLAME_GRAPHS "Fetch and bundle d3-flame-graph for the page, by npm" ON)
find_program(NPM npm)
find_program(NODE node)

set(flame_sources .npmrc package.json package-lock.json entry.js bundle.mjs)
set(FLAME_FOLDER ${CMAKE_CURRENT_BINARY_DIR}/flame)
set(flame_hashes "")
foreach(name ${flame_sources})
  set(source ${CMAKE_CURRENT_LIST_DIR}/${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(SHA256 ${source} hash)
  string(APPEND flame_hashes ${hash})
endforeach()
string(SHA256 flame_hash "${flame_hashes}")
string(SUBSTRING ${flame_hash} 0 16 flame_hash)

# The checkout may be read-only: then the bundle is made for this build directory alone.
set(flame_cache ${PROJECT_SOURCE_DIR}/build/flame-${flame_hash})
execute_process(COMMAND ${CMAKE_COMMAND} -E make_directory ${flame_cache}
                RESULT_VARIABLE failed ERROR_QUIET)
if(NOT failed)
  execute_process(COMMAND ${CMAKE_COMMAND} -E touch ${flame_cache}/lock
                  RESULT_VARIABLE failed ERROR_QUIET)
endif()
if(failed)
  set(flame_cache ${CMAKE_CURRENT_BINARY_DIR}/flame-${flame_hash})
  file(MAKE_DIRECTORY ${flame_cache})
endif()

# Makes the bundle; ret_wrong is empty, or why there is none.
function(make_flame_bundle ret_wrong)
  set(${ret_wrong} "" PARENT_SCOPE)
  foreach(name ${flame_sources})
    file(COPY ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name} DESTINATION ${flame_cache})
  endforeach()
  execute_process(COMMAND ${NPM} ci --prefer-offline --no-audit --no-fund --ignore-scripts
                          --fetch-retries=1 --fetch-timeout=30000
                  WORKING_DIRECTORY ${flame_cache} TIMEOUT 300
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE said)
  if(NOT failed)
    execute_process(COMMAND ${NODE} bundle.mjs . flame.new.js WORKING_DIRECTORY ${flame_cache}
                    TIMEOUT 120 RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE said)
  endif()
  if(failed)
    string(SUBSTRING "${said}" 0 400 said)
    set(${ret_wrong} "${failed}: ${said}" PARENT_SCOPE)
    return()
  endif()
  file(RENAME ${flame_cache}/flame.new.js ${flame_cache}/flame.js)
  file(REMOVE_RECURSE ${flame_cache}/node_modules)
endfunction()

set(flame_wrong "")
file(LOCK ${flame_cache}/lock GUARD FILE TIMEOUT 600 RESULT_VARIABLE flame_locked)
if(NOT FLAME_GRAPHS)
  set(flame_wrong "FLAME_GRAPHS is OFF")
elseif(NOT EXISTS ${flame_cache}/flame.js)
  if(NOT NPM OR NOT NODE)
    set(flame_wrong "npm is not installed")
  elseif(NOT flame_locked STREQUAL "0")
    set(flame_wrong "${flame_cache}/lock: ${flame_locked}")
  else()
    message(STATUS "Fetching and bundling d3-flame-graph")
    make_flame_bundle(flame_wrong)
  endif()
endif()

if(flame_wrong)
  if(FLAME_GRAPHS)
    set(flame_level WARNING)
  else()
    set(flame_level STATUS)
  endif()
  message(${flame_level} "The page shows profiles as lists, without flame graphs (${flame_wrong})")
  configure_file(${CMAKE_CURRENT_LIST_DIR}/absent.js ${FLAME_FOLDER}/flame.js COPYONLY)
else()
  configure_file(${flame_cache}/flame.js ${FLAME_FOLDER}/flame.js COPYONLY)
endif()
file(LOCK ${flame_cache}/lock RELEASE)
