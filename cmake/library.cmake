# libcrosswind: the floors that users build on in one library, shared and static, its headers, and what pkg-config and
# find_package know of it.
set(objects)
foreach(folder base net topo route traffic sim model flow)
    list(APPEND objects $<TARGET_OBJECTS:cw_${folder}>)
endforeach()
add_library(crosswind_library SHARED ${objects})
add_library(crosswind_static STATIC ${objects})
if(CW_CLP)
    # A program in C that is linked with the static library has the run time of C++ from nowhere else.
    target_link_libraries(crosswind_static PRIVATE stdc++)
endif()
foreach(library crosswind_library crosswind_static)
    target_link_libraries(${library} PRIVATE Threads::Threads PkgConfig::JANSSON PkgConfig::EXPAT PkgConfig::NETTLE
                                             ${clp_library}
                                             PkgConfig::XXHASH ${CMAKE_DL_LIBS} m)
    target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_target_properties(${library} PROPERTIES OUTPUT_NAME crosswind LINKER_LANGUAGE CXX)
endforeach()
# Before 1.0 each minor release may change results and what is within setups (doc/design.md).
set(CW_SOVERSION ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(CW_SOVERSION 0.${PROJECT_VERSION_MINOR})
endif()
set(map ${PROJECT_SOURCE_DIR}/cmake/crosswind.map)
target_link_options(crosswind_library PRIVATE "-Wl,--version-script=${map}")
set_target_properties(crosswind_library PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${CW_SOVERSION} LINK_DEPENDS ${map})

# Public are the headers that crosswind.h names, and the declarations they all begin with. What they mark with CW_API, and
# nothing else, leaves the library.
file(STRINGS ${PROJECT_SOURCE_DIR}/include/crosswind.h public REGEX "^#include \"")
list(TRANSFORM public REPLACE "^#include \"(.*)\"$" "\\1")
list(APPEND public base/decls.h)

# The static one is in an export of its own: who links the shared one need not have what it was made of.
set_target_properties(crosswind_library PROPERTIES EXPORT_NAME crosswind)
install(TARGETS crosswind_library EXPORT CrosswindTargets)
install(TARGETS crosswind_static EXPORT CrosswindStatic)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Crosswind)
install(EXPORT CrosswindTargets NAMESPACE Crosswind:: DESTINATION ${package})
install(EXPORT CrosswindStatic NAMESPACE Crosswind:: DESTINATION ${package})
include(CMakePackageConfigHelpers)
set(compatible SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(compatible SameMinorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/CrosswindConfigVersion.cmake COMPATIBILITY ${compatible})
configure_file(${PROJECT_SOURCE_DIR}/cmake/CrosswindConfig.cmake.in ${PROJECT_BINARY_DIR}/CrosswindConfig.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/CrosswindConfig.cmake ${PROJECT_BINARY_DIR}/CrosswindConfigVersion.cmake
        DESTINATION ${package})
cw_install_header(${PROJECT_SOURCE_DIR}/include/crosswind.h crosswind.h)
foreach(header ${public})
    cw_install_header(${PROJECT_SOURCE_DIR}/src/${header} crosswind/${header})
endforeach()
cw_pkg_config(crosswind crosswind.pc.in)
configure_file(${PROJECT_SOURCE_DIR}/cmake/crosswind-uninstalled.pc.in
               ${PROJECT_BINARY_DIR}/crosswind-uninstalled.pc @ONLY)

# The reference, made of these headers and those of MPI's libraries by Doxygen: a target that is built when asked for.
find_program(DOXYGEN doxygen)
if(DOXYGEN)
    set(reference ${PROJECT_BINARY_DIR}/reference)
    set(reference_headers ${public} mpi/move/move.h mpi/nbc/nbc.h mpi/wait_mode.h)
    list(TRANSFORM reference_headers PREPEND ${PROJECT_SOURCE_DIR}/src/)
    list(PREPEND reference_headers ${PROJECT_SOURCE_DIR}/include/crosswind.h)
    set(document ${PROJECT_SOURCE_DIR}/doc/reference/document.py)
    configure_file(${PROJECT_SOURCE_DIR}/doc/reference/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
    add_custom_command(OUTPUT ${reference}/html/index.html
                       COMMAND ${CMAKE_COMMAND} -E rm -rf ${reference}
                       COMMAND python3 -B ${document} ${reference}/headers ${reference_headers}
                       COMMAND ${DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
                       DEPENDS ${reference_headers} ${PROJECT_BINARY_DIR}/Doxyfile ${document} VERBATIM)
    add_custom_target(reference DEPENDS ${reference}/html/index.html)
    install(DIRECTORY ${reference}/html/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/reference OPTIONAL)
endif()
