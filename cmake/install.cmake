# cw_pkg_config(FILE TEMPLATE): FILE.pc, made of TEMPLATE, goes where pkg-config finds it. What is installed elsewhere than
# was configured (cmake --install --prefix) names that place.
function(cw_pkg_config file template)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${template} ${PROJECT_BINARY_DIR}/${file}.pc @ONLY)
    install(CODE "
        file(READ \"${PROJECT_BINARY_DIR}/${file}.pc\" pc)
        string(REPLACE \"${CMAKE_INSTALL_PREFIX}\" \"\${CMAKE_INSTALL_PREFIX}\" pc \"\${pc}\")
        set(place \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/${file}.pc\")
        file(WRITE \"\$ENV{DESTDIR}\${place}\" \"\${pc}\")
        list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${place}\")")
endfunction()

# cw_install_header(FILE PLACE): an interface is installed as PLACE below the folder of headers. It includes others as users
# do, <crosswind/net/network.h>: a user's own base/decls.h is never taken for ours.
function(cw_install_header file place)
    install(CODE "
        file(READ \"${file}\" header)
        string(REGEX REPLACE \"#include \\\"([^\\\"]+)\\\"\" \"#include <crosswind/\\\\1>\" header \"\${header}\")
        set(place \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/${place}\")
        file(WRITE \"\$ENV{DESTDIR}\${place}\" \"\${header}\")
        list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${place}\")")
endfunction()
