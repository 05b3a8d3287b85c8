# Everything behind the HTTP layer: store, leases, scheduler, results, merges, page, programs.
add_library(commonweight_server_samples STATIC sample_project.cpp)
target_link_libraries(commonweight_server_samples PUBLIC commonweight_flags commonweight_server commonweight_test_support Qt6::Core)
set(core_parts commonweight_server_samples)

commonweight_test(store SOURCES tst_store.cpp DEPENDS ${core_parts} SQLite::SQLite3 LABELS fast server)
commonweight_test(lane_order SOURCES tst_lane_order.cpp DEPENDS ${core_parts} LABELS fast server)
commonweight_test(leases SOURCES tst_leases.cpp DEPENDS ${core_parts} LABELS fast server)
commonweight_test(round_policy SOURCES tst_round_policy.cpp DEPENDS ${core_parts} LABELS fast server)
commonweight_test(offer SOURCES tst_offer.cpp DEPENDS ${core_parts} LABELS fast server)
commonweight_test(scheduler SOURCES tst_scheduler.cpp DEPENDS ${core_parts} LABELS fast server)
commonweight_test(result_admission SOURCES tst_result_admission.cpp DEPENDS ${core_parts} LABELS fast server)
commonweight_test(syncer SOURCES tst_syncer.cpp DEPENDS ${core_parts} LABELS fast server)
commonweight_test(server_crash SOURCES tst_server_crash.cpp DEPENDS ${core_parts} LABELS server)
commonweight_test(server_routes SOURCES tst_server_routes.cpp DEPENDS ${core_parts} LABELS fast server)
commonweight_test(project_text SOURCES tst_project_text.cpp DEPENDS ${core_parts} commonweight_project_tool LABELS fast server)
commonweight_test(project_create SOURCES tst_project_create.cpp DEPENDS ${core_parts} commonweight_project_tool LABELS server)
commonweight_test(server_programs SOURCES tst_server_programs.cpp
    DEPENDS ${core_parts} commonweight_project_tool SQLite::SQLite3 LABELS server)

# Stands in for commonweight-trainer in the warm-up: delivers at once, from the unit alone.
add_executable(core_fake_trainer core_fake_trainer.cpp)
target_link_libraries(core_fake_trainer PRIVATE commonweight_flags commonweight_exchange commonweight_work)
set_target_properties(core_fake_trainer PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_dependencies(tst_project_create core_fake_trainer)
add_dependencies(tst_server_programs commonweight-server commonweight-project)
foreach(test project_create server_programs)
    target_compile_definitions(tst_${test} PRIVATE CORE_FAKE_TRAINER="${CMAKE_BINARY_DIR}/tests/core_fake_trainer")
endforeach()
