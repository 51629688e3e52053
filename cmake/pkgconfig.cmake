# cw_pkg_config(FILE TEMPLATE): FILE.pc, made of TEMPLATE, goes where pkg-config finds it. What is installed elsewhere than
# was configured (cmake --install --prefix) names that place.
function(cw_pkg_config file template)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${template} ${PROJECT_BINARY_DIR}/${file}.pc @ONLY)
    install(CODE "
        file(READ \"${PROJECT_BINARY_DIR}/${file}.pc\" pc)
        string(REPLACE \"${CMAKE_INSTALL_PREFIX}\" \"\${CMAKE_INSTALL_PREFIX}\" pc \"\${pc}\")
        file(WRITE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/${file}.pc\" \"\${pc}\")")
endfunction()
