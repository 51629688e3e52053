# cw_folder(NAME LINK targets…): the sources of src/NAME as a static library cw_NAME.
function(cw_folder name)
    cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c
         ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
    if(NOT sources)
        return()
    endif()
    add_library(cw_${name} STATIC ${sources})
    target_include_directories(cw_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(cw_${name} PUBLIC ${ARG_LINK})
endfunction()

# cw_limit(TEST SECONDS): what hangs is ended. Tests take a small part of their limit, but machines may be busy, and
# sanitizers cost much.
function(cw_limit test seconds)
    if(CW_SANITIZE)
        math(EXPR seconds "${seconds} * 5")
    endif()
    set_tests_properties(${test} PROPERTIES TIMEOUT ${seconds})
endfunction()

# cw_unit_tests(NAME): every tests/unit/NAME/test_*.c is one cmocka program, linked with cw_NAME and so only with
# the floors below it.
function(cw_unit_tests name)
    if(NOT TARGET cw_${name})
        return()
    endif()
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/${name}/test_*.c)
    foreach(source ${sources})
        get_filename_component(test ${source} NAME_WE)
        add_executable(${test} ${source})
        target_link_libraries(${test} PRIVATE cw_${name} PkgConfig::CMOCKA ${ARGN})
        target_compile_definitions(${test} PRIVATE CW_TEST_DATA="${PROJECT_SOURCE_DIR}/tests")
        add_test(NAME unit/${name}/${test} COMMAND ${test})
        set_tests_properties(unit/${name}/${test} PROPERTIES LABELS unit SKIP_RETURN_CODE 77)
        cw_limit(unit/${name}/${test} 60)
    endforeach()
endfunction()
