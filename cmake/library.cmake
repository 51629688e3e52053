# libcrosswind: the floors that users build on in one library, its headers and its pkg-config file.
set(objects)
foreach(folder base net topo route traffic sim model flow)
    list(APPEND objects $<TARGET_OBJECTS:cw_${folder}>)
endforeach()
add_library(crosswind_library SHARED ${objects})
target_link_libraries(crosswind_library PRIVATE Threads::Threads PkgConfig::JANSSON PkgConfig::NETTLE ${clp_library}
                                                PkgConfig::XXHASH ${CMAKE_DL_LIBS} m)
# Before 1.0 each minor release may change results and what is within setups (doc/design.md).
set(CW_SOVERSION ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(CW_SOVERSION 0.${PROJECT_VERSION_MINOR})
endif()
set(map ${PROJECT_SOURCE_DIR}/cmake/crosswind.map)
target_link_options(crosswind_library PRIVATE "-Wl,--version-script=${map}")
set_target_properties(crosswind_library PROPERTIES OUTPUT_NAME crosswind VERSION ${PROJECT_VERSION} LINK_DEPENDS ${map}
                                                   SOVERSION ${CW_SOVERSION} LINKER_LANGUAGE CXX)

# Public are the headers that crosswind.h names, and the declarations they all begin with. What they mark with CW_API, and
# nothing else, leaves the library.
file(STRINGS ${PROJECT_SOURCE_DIR}/include/crosswind.h public REGEX "^#include \"")
list(TRANSFORM public REPLACE "^#include \"(.*)\"$" "\\1")
list(APPEND public base/decls.h)

install(TARGETS crosswind_library)
cw_install_header(${PROJECT_SOURCE_DIR}/include/crosswind.h crosswind.h)
foreach(header ${public})
    cw_install_header(${PROJECT_SOURCE_DIR}/src/${header} crosswind/${header})
endforeach()
cw_pkg_config(crosswind crosswind.pc.in)
