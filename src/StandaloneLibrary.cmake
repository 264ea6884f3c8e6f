# The library in a standalone build against an installed ITK: its target, export header, installation and CMake package.

add_library(CudaConnectedComponents ${sources})
add_library(CudaConnectedComponents::CudaConnectedComponents ALIAS CudaConnectedComponents)
set_target_properties(CudaConnectedComponents PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

include(GenerateExportHeader)
set(export_directory ${CMAKE_CURRENT_BINARY_DIR}/include)
generate_export_header(CudaConnectedComponents
  EXPORT_MACRO_NAME CudaConnectedComponents_EXPORT
  EXPORT_FILE_NAME ${export_directory}/CudaConnectedComponentsExport.h
  STATIC_DEFINE CudaConnectedComponents_STATIC)
if(NOT BUILD_SHARED_LIBS)
  target_compile_definitions(CudaConnectedComponents PUBLIC CudaConnectedComponents_STATIC)
endif()

target_include_directories(CudaConnectedComponents PUBLIC
  $<BUILD_INTERFACE:${CMAKE_CURRENT_LIST_DIR}/../include>
  $<BUILD_INTERFACE:${export_directory}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/CudaConnectedComponents>)
target_include_directories(CudaConnectedComponents SYSTEM PUBLIC "$<BUILD_INTERFACE:${ITK_INCLUDE_DIRS}>")
target_link_libraries(CudaConnectedComponents PUBLIC ${ITK_LIBRARIES})

install(TARGETS CudaConnectedComponents EXPORT CudaConnectedComponentsTargets)
install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/../include/ ${export_directory}/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/CudaConnectedComponents)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/CudaConnectedComponents)
install(EXPORT CudaConnectedComponentsTargets
  NAMESPACE CudaConnectedComponents::
  DESTINATION ${package_directory})

if(CudaConnectedComponents_USE_CUDA AND NOT BUILD_SHARED_LIBS)
  # A program that links a static library must also link CUDA's runtime. So install the runtime with the library.
  set(CudaConnectedComponents_SHIPS_CUDART ON)
  get_target_property(cudart CUDA::cudart_static IMPORTED_LOCATION)
  get_filename_component(CudaConnectedComponents_CUDART_NAME ${cudart} NAME)
  get_filename_component(cudart_file ${cudart} REALPATH)
  install(FILES ${cudart_file}
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/CudaConnectedComponents
    RENAME ${CudaConnectedComponents_CUDART_NAME})
endif()

include(CMakePackageConfigHelpers)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/../cmake/CudaConnectedComponentsConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/CudaConnectedComponentsConfig.cmake
  INSTALL_DESTINATION ${package_directory}
  PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/CudaConnectedComponentsConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/CudaConnectedComponentsConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/CudaConnectedComponentsConfigVersion.cmake
  DESTINATION ${package_directory})
