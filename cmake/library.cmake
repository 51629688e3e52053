# libcrosswind: all floors in one library, its headers and its pkg-config file.
set(objects)
foreach(folder base net topo route traffic sim model flow report)
    list(APPEND objects $<TARGET_OBJECTS:cw_${folder}>)
endforeach()
add_library(crosswind_library SHARED ${objects})
target_link_libraries(crosswind_library PRIVATE Threads::Threads PkgConfig::JANSSON PkgConfig::LIBMD ${clp_library}
                                                PkgConfig::XXHASH m)
set_target_properties(crosswind_library PROPERTIES OUTPUT_NAME crosswind VERSION ${PROJECT_VERSION}
                                                   SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE CXX)

# Public are the headers that crosswind.h names, those of shapes, which net/shape.h includes, and the declarations they
# all begin with. What they declare, and nothing else, leaves the library.
file(STRINGS ${PROJECT_SOURCE_DIR}/include/crosswind.h public REGEX "^#include \"")
list(TRANSFORM public REPLACE "^#include \"(.*)\"$" "\\1")
file(GLOB shapes CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/net/shapes/*.h)
list(APPEND public ${shapes} base/decls.h)
list(TRANSFORM public PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE public_files)
set(exports ${PROJECT_BINARY_DIR}/crosswind.map)
add_custom_command(OUTPUT ${exports}
                   COMMAND ${PROJECT_SOURCE_DIR}/cmake/exports.sh ${CMAKE_C_COMPILER} ${PROJECT_SOURCE_DIR} > ${exports}
                   DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.sh ${PROJECT_SOURCE_DIR}/include/crosswind.h
                           ${public_files}
                   COMMENT "Listing what installed headers declare" VERBATIM)
add_custom_target(crosswind_exports DEPENDS ${exports})
add_dependencies(crosswind_library crosswind_exports)
target_link_options(crosswind_library PRIVATE "-Wl,--version-script=${exports}")
set_target_properties(crosswind_library PROPERTIES LINK_DEPENDS ${exports})

install(TARGETS crosswind_library)
cw_install_header(${PROJECT_SOURCE_DIR}/include/crosswind.h crosswind.h)
foreach(header ${public})
    cw_install_header(${PROJECT_SOURCE_DIR}/src/${header} crosswind/${header})
endforeach()
cw_pkg_config(crosswind crosswind.pc.in)
