# Every target of the project is compiled and linked with these; the code is clean under gcc and clang.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wpointer-arith -Wwrite-strings
                    -Wno-missing-field-initializers -Werror=switch # a new value of an enumeration is to be thought of
                    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # gcc cannot know that a failure's code is never 0, and so takes "set unless it failed" for "perhaps never set".
    add_compile_options(-Wno-maybe-uninitialized)
endif()
# A fault must end the program before it is used against its user; tests/lint/binaries.py looks whether all has this.
# Sanitizers have checks of their own, which FORTIFY_SOURCE's would hide, and FORTIFY_SOURCE needs optimisation.
include(CheckPIESupported)
check_pie_supported()
add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
if(NOT CW_SANITIZE)
    # A library that does not name all it needs works only where a program happens to have it.
    string(APPEND CMAKE_SHARED_LINKER_FLAGS " -Wl,-z,defs")
    add_compile_options(-fstack-protector-strong -fstack-clash-protection
                        "$<$<NOT:$<CONFIG:Debug>>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>")
endif()

if(CW_SANITIZE)
    add_compile_options(-fsanitize=${CW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${CW_SANITIZE})
    # What UndefinedBehaviorSanitizer finds is a trap, which AddressSanitizer reports by its line (handle_sigill). The
    # sentences that it would print instead are 10 MB of data, which each process relocates and each look for leaks reads.
    if(CW_SANITIZE MATCHES "undefined" AND NOT CW_FUZZ)
        add_compile_options(-fsanitize-undefined-trap-on-error)
    endif()
endif()
