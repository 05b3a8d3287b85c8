# The HTTP layer, blobs and uploads.
set(http_parts commonweight_server_api commonweight_test_support)
commonweight_test(router SOURCES tst_router.cpp DEPENDS ${http_parts} LABELS fast server)
commonweight_test(http_server SOURCES tst_http_server.cpp DEPENDS ${http_parts} LABELS fast server)
commonweight_test(http_clients SOURCES tst_http_clients.cpp DEPENDS ${http_parts} LABELS fast server)
commonweight_test(http_streams SOURCES tst_http_streams.cpp DEPENDS ${http_parts} LABELS fast server)
commonweight_test(http_access SOURCES tst_http_access.cpp DEPENDS ${http_parts} LABELS fast server)
commonweight_test(http_blobs SOURCES tst_http_blobs.cpp DEPENDS ${http_parts} LABELS fast server)
commonweight_test(blobs SOURCES tst_blobs.cpp DEPENDS commonweight_server_blobs commonweight_test_support
    LABELS fast server)
commonweight_test(tus SOURCES tst_tus.cpp DEPENDS ${http_parts} LABELS fast server)
commonweight_test(tus_creation SOURCES tst_tus_creation.cpp DEPENDS ${http_parts} LABELS fast server)
commonweight_test(tus_outcome SOURCES tst_tus_outcome.cpp DEPENDS ${http_parts} LABELS fast server)
