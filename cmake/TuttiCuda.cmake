# CUDA, where its compiler is: kernels/ becomes the library tutti_kernels. Everything else builds without.

option(TUTTI_CUDA "Build the CUDA kernels when nvcc is found" ON)
if(TUTTI_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 90-real)  # one, as each takes its minutes; the preset cuda-release has all
    endif()
    set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # so that tests can put another runtime in its place
    enable_language(CUDA)
  endif()
  tutti_report("${CMAKE_CUDA_COMPILER}" "CUDA" "no kernels for GPUs, nor their resource and PTX tests (nvcc)")
endif()

# nvcc's share of tutti_own. Multiplications and additions stay apart, as on the host: results have the same bits.
function(tutti_own_cuda target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
  target_compile_options(${target} PRIVATE
    -std=c++20  # CMake 3.25 knows no dialects of CUDA 13
    --expt-relaxed-constexpr -fmad=false -Xcompiler=-Wall,-Wextra,-Wno-unknown-pragmas
    $<$<BOOL:${TUTTI_WARNINGS_AS_ERRORS}>:--Werror=all-warnings>)
endfunction()

if(TUTTI_CUDA AND CMAKE_CUDA_COMPILER)
  file(GLOB sources CONFIGURE_DEPENDS kernels/*.cu)
  add_library(tutti_kernels STATIC ${sources})
  tutti_own_cuda(tutti_kernels)
  # Keeps ptxas's report and the PTX beside each object, for the tests of both.
  set_target_properties(tutti_kernels PROPERTIES
    CUDA_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/cmake/nvcc_and_keep")

  # What the engine loads at run time: a program needs no CUDA to start. Programs of the build tree find it there.
  find_package(CUDAToolkit REQUIRED)
  add_library(tutti_kernels_library MODULE kernels/library.cpp)
  tutti_own(tutti_kernels_library)
  target_include_directories(tutti_kernels_library SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(tutti_kernels_library PRIVATE tutti_kernels CUDA::cudart)
  target_link_options(tutti_kernels_library PRIVATE LINKER:--exclude-libs,ALL)
  set_target_properties(tutti_kernels_library PROPERTIES
    OUTPUT_NAME tutti_kernels CXX_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  list(APPEND CMAKE_BUILD_RPATH "${PROJECT_BINARY_DIR}")
endif()
