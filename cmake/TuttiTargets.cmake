# How a target of ours is compiled, and the kinds of tests that are not one Catch2 case.

# Warnings and sanitizers, for one target.
function(tutti_warn target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic $<$<BOOL:${TUTTI_WARNINGS_AS_ERRORS}>:-Werror>
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # g++ 12 sees overlap in "text" + std::string
  if(TUTTI_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TUTTI_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all
                           $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # false alarms in instrumented code
    target_link_options(${target} PUBLIC -fsanitize=${TUTTI_SANITIZE})
    if(TUTTI_SANITIZE MATCHES undefined)
      # It looks at memory through a pipe, and calls every object bad where no descriptor is left, as in two tests.
      target_compile_options(${target} PRIVATE -fno-sanitize=vptr)
    endif()
  endif()
endfunction()

# The same, with the standard and the private headers of src/, for a target that may see them.
function(tutti_own target)
  tutti_warn(${target})
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_compile_definitions(${target} PRIVATE TUTTI_VERSION="${PROJECT_VERSION}")
  if(TUTTI_UNITY)
    tutti_compile_in_groups(${target})
  endif()
endfunction()

# Up to eight files of a folder are compiled as one, which reads what they include once: half the work of a build from
# nothing. So names in unnamed namespaces are unique within their folder. A file with the property TUTTI_ALONE stays
# by itself.
function(tutti_compile_in_groups target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_source_file_property(alone "${source}" TUTTI_ALONE)
    if(NOT alone)
      cmake_path(ABSOLUTE_PATH source)
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
      string(MAKE_C_IDENTIFIER "${folder}" folder)
      list(APPEND files_${folder} ${source})
      list(LENGTH files_${folder} count)
      math(EXPR part "(${count} - 1) / 8")
      set_property(SOURCE "${source}" PROPERTY UNITY_GROUP "${folder}_${part}")
    endif()
  endforeach()
endfunction()

# tutti_with_header(SOURCE NAME FOLDER): one source uses an optional header in FOLDER, if there is one, and learns of it by
# the definition NAME.
function(tutti_with_header source name folder)
  if(folder)
    set_source_files_properties("${source}" PROPERTIES TUTTI_ALONE TRUE COMPILE_DEFINITIONS ${name}
                                COMPILE_OPTIONS "-idirafter;${folder}")
  endif()
endfunction()

# Code that waits for people, files and hosts: optimized less, which saves a third of the compiler's work on it. The options
# of a target stand behind those of the build type, so they win.
function(tutti_unhurried target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Loops that become hundreds of functions in registers are long to compile: each file alone, and without checks of their
# stack frames, which would take minutes.
function(tutti_heavy_loops)
  set_source_files_properties(${ARGN} PROPERTIES TUTTI_ALONE TRUE)
  if(NOT TUTTI_SANITIZE MATCHES address)
    return()
  endif()
  set(spare -fno-sanitize=null,alignment,object-size)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND spare --param=asan-stack=0)
  else()
    list(APPEND spare -mllvm -asan-stack=0)
  endif()
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${spare}")
endfunction()

# Seconds after which a test has hung; instrumented code is some ten times slower.
set(TUTTI_TEST_TIMEOUT 300)
if(TUTTI_SANITIZE)
  set(TUTTI_TEST_TIMEOUT 600)
endif()

# What tests that start MPI need in their environment. MPI libraries keep memory until their process ends, so leaks are
# looked for in the other tests.
set(TUTTI_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0)

# tutti_add_mpirun_test(NAME NP COMMAND...): a ctest that runs COMMAND as NP ranks under mpirun, as root too, and
# with more ranks than cores. Nothing is added where there is no MPI.
function(tutti_add_mpirun_test name np)
  if(NOT TARGET tutti_mpi)
    return()
  endif()
  set(flags)
  if(TUTTI_MPIEXEC_IS_OPEN_MPI)
    set(flags --allow-run-as-root --oversubscribe --timeout ${TUTTI_TEST_TIMEOUT})
  endif()
  math(EXPR hung "${TUTTI_TEST_TIMEOUT} + 15")  # mpirun is first, and ends its ranks
  add_test(NAME "${name}" COMMAND ${MPIEXEC_EXECUTABLE} ${flags} ${MPIEXEC_NUMPROC_FLAG} ${np} ${ARGN})
  set_tests_properties("${name}" PROPERTIES LABELS mpirun TIMEOUT ${hung} PROCESSORS 2
                       ENVIRONMENT "${TUTTI_MPI_ENVIRONMENT}")
endfunction()

# tutti_add_torchrun_test(NAME NP COMMAND...): the same under the variables that torchrun sets, without torchrun.
function(tutti_add_torchrun_test name np)
  add_test(NAME "${name}" COMMAND bash "${PROJECT_SOURCE_DIR}/tests/torchrun" ${np} ${ARGN})
  set_tests_properties("${name}" PROPERTIES LABELS processes TIMEOUT ${TUTTI_TEST_TIMEOUT} PROCESSORS 2)
endfunction()

# tutti_read_line(FILE KEY DEFAULT): sets KEY to the words of a line "// KEY: …" in FILE, or to DEFAULT.
function(tutti_read_line file key default)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(STRINGS "${file}" line REGEX "^// ${key}:" LIMIT_COUNT 1)
  if(line)
    string(REGEX REPLACE "^// ${key}: *" "" line "${line}")
    separate_arguments(default UNIX_COMMAND "${line}")
  endif()
  set(${key} "${default}" PARENT_SCOPE)
endfunction()
