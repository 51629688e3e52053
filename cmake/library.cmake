# libcrosswind: all floors in one library, its headers and its pkg-config file.
set(objects)
foreach(folder base net topo route traffic sim model flow report)
    list(APPEND objects $<TARGET_OBJECTS:cw_${folder}>)
endforeach()
add_library(crosswind_library SHARED ${objects})
target_link_libraries(crosswind_library PRIVATE Threads::Threads PkgConfig::JANSSON PkgConfig::LIBMD PkgConfig::CLP
                                                m)
set_target_properties(crosswind_library PROPERTIES OUTPUT_NAME crosswind VERSION ${PROJECT_VERSION}
                                                   SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE CXX)
target_link_options(crosswind_library PRIVATE
                    "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/crosswind.map")
set_target_properties(crosswind_library PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/crosswind.map)

install(TARGETS crosswind_library)
install(FILES ${PROJECT_SOURCE_DIR}/include/crosswind.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/crosswind)
# Public are the headers that crosswind.h names, those of shapes, which net/shape.h includes, and the declarations they
# all begin with.
file(STRINGS ${PROJECT_SOURCE_DIR}/include/crosswind.h public REGEX "^#include \"")
list(TRANSFORM public REPLACE "^#include \"(.*)\"$" "\\1")
file(GLOB shapes CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/net/shapes/*.h)
foreach(header ${public} ${shapes} base/decls.h)
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${PROJECT_SOURCE_DIR}/src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/crosswind/${folder})
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/crosswind.pc.in ${PROJECT_BINARY_DIR}/crosswind.pc @ONLY)
install(CODE "
    file(READ \"${PROJECT_BINARY_DIR}/crosswind.pc\" pc)
    string(REPLACE \"${CMAKE_INSTALL_PREFIX}\" \"\${CMAKE_INSTALL_PREFIX}\" pc \"\${pc}\")
    file(WRITE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/crosswind.pc\" \"\${pc}\")")
