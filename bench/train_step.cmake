# Needs the tests' LibTorch model as the opponent. Imported targets belong to one folder, so LibTorch is looked up again.
if(TARGET commonweight_torch_model)
    find_package(Torch REQUIRED)
    commonweight_bench(train_step
        SOURCES ${CMAKE_CURRENT_LIST_DIR}/train_step.cpp ${CMAKE_CURRENT_LIST_DIR}/train_step_sides.cpp
        DEPENDS commonweight_model commonweight_torch_model CLI11::CLI11)
    add_dependencies(bench_train_step commonweight_cpu)
endif()
