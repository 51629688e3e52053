# cw_folder(NAME LINK targets… [WITHOUT regexes…]): the sources of src/NAME, but for those that match, as a static library
# cw_NAME.
# What CW_API marks leaves the libraries and programs that it becomes part of.
function(cw_folder name)
    cmake_parse_arguments(ARG "" "" "LINK;WITHOUT" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c
         ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
    foreach(regex ${ARG_WITHOUT})
        list(FILTER sources EXCLUDE REGEX ${regex})
    endforeach()
    if(NOT sources)
        return()
    endif()
    add_library(cw_${name} STATIC ${sources})
    target_include_directories(cw_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(cw_${name} PUBLIC ${ARG_LINK})
    set_target_properties(cw_${name} PROPERTIES C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
endfunction()

# cw_program(TARGET): a program of verbs, which loads plug-ins. What CW_API marks on the floors of libcrosswind is in it, used
# or not, and plug-ins find it there.
function(cw_program target)
    target_link_libraries(${target} PRIVATE cw_cli)
    set_target_properties(${target} PROPERTIES ENABLE_EXPORTS ON LINK_LIBRARY_OVERRIDE
                          "WHOLE_ARCHIVE,cw_base,cw_net,cw_topo,cw_route,cw_traffic,cw_sim,cw_model,cw_flow")
endfunction()

# cw_limit(TEST SECONDS): what hangs is ended. Tests take a small part of their limit, but machines may be busy, and
# sanitizers cost much.
function(cw_limit test seconds)
    if(CW_SANITIZE)
        math(EXPR seconds "${seconds} * 10")
    endif()
    set_tests_properties(${test} PROPERTIES TIMEOUT ${seconds})
endfunction()

# cw_unit_tests(NAME): every tests/unit/NAME/test_*.c is one cmocka program, linked with cw_NAME and so only with
# the floors below it. ThreadSanitizer has nothing to say of those that start no thread: tests/unit/threads.txt lists the
# others, and whoever starts one without being in that list fails where there are no sanitizers. A library that one test
# needs besides is in with_TEST; where it is NOTFOUND, there is no such test.
add_custom_target(unit_tests)
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/unit/threads.txt threaded REGEX "^test_")
foreach(line ${threaded})
    string(REGEX REPLACE " .*" "" test ${line})
    string(REGEX REPLACE "^${test} ?" "" cases_${test} ${line})
endforeach()
list(TRANSFORM threaded REPLACE " .*" "")
function(cw_unit_tests name)
    if(NOT TARGET cw_${name})
        return()
    endif()
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/${name}/test_*.c)
    foreach(source ${sources})
        get_filename_component(test ${source} NAME_WE)
        list(FIND threaded ${test} at)
        if(with_${test} MATCHES "NOTFOUND")
            message(STATUS "${test} is left out: ${with_${test}}")
            continue()
        elseif(CW_SANITIZE STREQUAL "thread" AND at LESS 0)
            continue()
        endif()
        add_executable(${test} ${source})
        add_dependencies(unit_tests ${test})
        target_link_libraries(${test} PRIVATE cw_${name} PkgConfig::CMOCKA ${ARGN} ${with_${test}})
        target_compile_definitions(${test} PRIVATE CW_TEST_DATA="${PROJECT_SOURCE_DIR}/tests")
        if(test MATCHES "^test_starved_") # tests/unit/starve.h
            target_link_options(${test} PRIVATE LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc)
        endif()
        add_test(NAME unit/${name}/${test} COMMAND ${test})
        set_tests_properties(unit/${name}/${test} PROPERTIES LABELS unit SKIP_RETURN_CODE 77)
        if(CW_SANITIZE STREQUAL "thread" AND cases_${test})
            set_tests_properties(unit/${name}/${test} PROPERTIES ENVIRONMENT CW_CASES=${cases_${test}})
        elseif(NOT CW_SANITIZE AND at LESS 0)
            set_tests_properties(unit/${name}/${test} PROPERTIES ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:preload_no_threads>)
        endif()
        cw_limit(unit/${name}/${test} 60)
    endforeach()
endfunction()
