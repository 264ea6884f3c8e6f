# ITK includes this file before it configures the module, in the scope of the whole project. The CUDA language can be
# enabled only there.
include(CheckCXXSourceCompiles)
include(CMakePushCheckState)
# The flags and libraries of other checks are not for this one.
cmake_push_check_state(RESET)
check_cxx_source_compiles("
  __extension__ typedef unsigned __int128 UInt128;
  int main(int count, char **)
  {
    UInt128 sum = 0;
    return static_cast<int>(__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) + (sum >> 64));
  }" CudaConnectedComponents_HAS_WIDE_INTEGERS)
cmake_pop_check_state()
if(NOT CudaConnectedComponents_HAS_WIDE_INTEGERS)
  # So that CMake checks again with other flags.
  unset(CudaConnectedComponents_HAS_WIDE_INTEGERS CACHE)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER_ID} cannot compile CudaConnectedComponents: the engine needs integers of 128 bits "
    "and atomic functions. Compile with GCC, Clang or MinGW for a 64-bit processor, or set Module_CudaConnectedComponents=OFF.")
endif()
include(${CMAKE_CURRENT_LIST_DIR}/cmake/CudaConnectedComponentsCuda.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/cmake/CudaConnectedComponentsProperties.cmake)
