#pragma once
// GET /v1/runs/{run}/model: the newest model as one safetensors file in the Llama layout, by
// redirect to a blob; several fragments are put together into a blob the first time somebody asks.
// GET /v1/runs/{run}/tokenizer: the SentencePiece model, by redirect; 404 when the run works on
// bytes. For anyone.

#include "server/blobs/blob_store.h"
#include "server/store/store.h"

namespace commonweight::server {

/// One safetensors file with the tensors of all fragments. Corrupt, NotFound.
Result<Bytes> assembleModel(BlobStore& blobs, const RunDefinition& run,
                            const VersionRecord& version);

/// All must outlive the router.
void addModelRoutes(Router& router, Store& store, BlobStore& blobs);

} // namespace commonweight::server
