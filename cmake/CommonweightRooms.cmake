# One function makes rooms, one makes programs, one makes tests. Flags live in one interface target.
include_guard()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

option(COMMONWEIGHT_WARNINGS_AS_ERRORS "Treat every compiler warning as an error" ON)
set(COMMONWEIGHT_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, for example address,undefined")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(commonweight_flags INTERFACE)
target_include_directories(commonweight_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(commonweight_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
if(COMMONWEIGHT_WARNINGS_AS_ERRORS)
    target_compile_options(commonweight_flags INTERFACE -Werror)
endif()
if(COMMONWEIGHT_SANITIZE)
    target_compile_options(commonweight_flags INTERFACE -fsanitize=${COMMONWEIGHT_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(commonweight_flags INTERFACE -fsanitize=${COMMONWEIGHT_SANITIZE})
endif()
target_compile_definitions(commonweight_flags INTERFACE
    COMMONWEIGHT_VERSION="${PROJECT_VERSION}"
    QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_KEYWORDS QT_NO_FOREACH QT_NO_URL_CAST_FROM_STRING)

# commonweight_room(<target> [QT] [MODULE] SOURCES … [DEPENDS …] [PRIVATE_DEPENDS …])
# A room: one folder, one library. QT turns moc on. MODULE makes a plug-in that is opened at run time.
function(commonweight_room target)
    cmake_parse_arguments(ROOM "QT;MODULE" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
    if(ROOM_MODULE)
        add_library(${target} MODULE ${ROOM_SOURCES})
    else()
        add_library(${target} STATIC ${ROOM_SOURCES})
    endif()
    target_link_libraries(${target} PUBLIC commonweight_flags ${ROOM_DEPENDS} PRIVATE ${ROOM_PRIVATE_DEPENDS})
    set_target_properties(${target} PROPERTIES AUTOMOC ${ROOM_QT})
endfunction()

# commonweight_program(<name> [QT] SOURCES … DEPENDS …): an executable in build/<preset>/bin.
function(commonweight_program name)
    cmake_parse_arguments(PROGRAM "QT" "" "SOURCES;DEPENDS" ${ARGN})
    add_executable(${name} ${PROGRAM_SOURCES})
    target_link_libraries(${name} PRIVATE commonweight_flags ${PROGRAM_DEPENDS})
    set_target_properties(${name} PROPERTIES AUTOMOC ${PROGRAM_QT})
endfunction()

# commonweight_bench(<name> SOURCES … DEPENDS …): a benchmark in build/<preset>/bench; never a test.
function(commonweight_bench name)
    cmake_parse_arguments(BENCH "" "" "SOURCES;DEPENDS" ${ARGN})
    add_executable(bench_${name} ${BENCH_SOURCES})
    target_link_libraries(bench_${name} PRIVATE commonweight_flags ${BENCH_DEPENDS})
    set_target_properties(bench_${name} PROPERTIES
        OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
endfunction()

# commonweight_test(<name> SOURCES … DEPENDS … [LABELS …] [TIMEOUT seconds] [ENVIRONMENT …])
# A Qt Test program tests/<room>/tst_<name>.cpp. It runs offscreen, with its own runtime folder.
function(commonweight_test name)
    cmake_parse_arguments(TEST "" "TIMEOUT" "SOURCES;DEPENDS;LABELS;ENVIRONMENT" ${ARGN})
    if(NOT TEST_TIMEOUT)
        set(TEST_TIMEOUT 120)
    endif()
    add_executable(tst_${name} ${TEST_SOURCES})
    target_link_libraries(tst_${name} PRIVATE commonweight_flags Qt6::Test ${TEST_DEPENDS})
    set_target_properties(tst_${name} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_compile_definitions(tst_${name} PRIVATE
        COMMONWEIGHT_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
        COMMONWEIGHT_LIB_DIR="${CMAKE_LIBRARY_OUTPUT_DIRECTORY}"
        COMMONWEIGHT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    add_test(NAME ${name} COMMAND tst_${name})
    set_tests_properties(${name} PROPERTIES
        TIMEOUT ${TEST_TIMEOUT} LABELS "${TEST_LABELS}"
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QTEST_FUNCTION_TIMEOUT=${TEST_TIMEOUT}000;${TEST_ENVIRONMENT}")
endfunction()
