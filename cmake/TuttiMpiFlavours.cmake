# More than one MPI in one build: each by the flags its own compiler wrapper shows.

# tutti_find_mpi(FLAVOUR): looks for mpicxx.FLAVOUR (Debian's names: openmpi, mpich) and makes the target
# tutti_mpi_FLAVOUR, which carries its include folders and libraries. TUTTI_FLAVOUR_CXX is false when it is absent.
function(tutti_find_mpi flavour)
  find_program(TUTTI_${flavour}_CXX mpicxx.${flavour})
  mark_as_advanced(TUTTI_${flavour}_CXX)
  if(NOT TUTTI_${flavour}_CXX OR TARGET tutti_mpi_${flavour})
    return()
  endif()
  execute_process(COMMAND ${TUTTI_${flavour}_CXX} -show OUTPUT_VARIABLE command COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words UNIX_COMMAND "${command}")
  add_library(tutti_mpi_${flavour} INTERFACE IMPORTED)
  # The C interface only, as for tutti::mpi.
  target_compile_definitions(tutti_mpi_${flavour} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  foreach(word ${words})
    if(word MATCHES "^-I(.+)")
      target_include_directories(tutti_mpi_${flavour} INTERFACE "${CMAKE_MATCH_1}")
    elseif(word MATCHES "^-L(.+)")
      target_link_directories(tutti_mpi_${flavour} INTERFACE "${CMAKE_MATCH_1}")
    elseif(word MATCHES "^-l" AND NOT word MATCHES "^-l(mpi_cxx|mpichcxx)$")
      target_link_libraries(tutti_mpi_${flavour} INTERFACE "${word}")
    elseif(word MATCHES "^-pthread$")
      target_link_libraries(tutti_mpi_${flavour} INTERFACE Threads::Threads)
    endif()
  endforeach()
endfunction()
