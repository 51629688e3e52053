# Every target of the project is compiled with these; the code is clean under gcc and clang.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wpointer-arith -Wwrite-strings
                    -Wno-missing-field-initializers
                    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # gcc cannot know that a failure's code is never 0, and so takes "set unless it failed" for "perhaps never set".
    add_compile_options(-Wno-maybe-uninitialized)
endif()
if(CW_SANITIZE)
    add_compile_options(-fsanitize=${CW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${CW_SANITIZE})
endif()
