#include "server/page/model_routes.h"

#include "engine/base/safetensors.h"
#include "server/sync/fragment_merge.h"

#include <mutex>

namespace commonweight::server {

namespace {

/// Remembers the blob of the newest assembled version of each run, so that it is assembled once.
class ModelFiles {
public:
    ModelFiles(Store& store, BlobStore& blobs) : m_store(store), m_blobs(blobs) {}

    Result<Sha256> newest(const std::string& id)
    {
        CW_TRY(const auto run, m_store.run(id));
        CW_TRY(const auto version, m_store.version(id, run.status.newestVersion));
        if (version.fragments.size() == 1)
            return version.fragments.front().parameters.sha256;
        // Held while assembling, so that many who ask at once wait for one copy instead of making
        // their own.
        const std::lock_guard lock(m_mutex);
        auto& known = m_known[id];
        if (known.version == version.version && m_blobs.size(known.blob).ok())
            return known.blob;
        CW_TRY(const auto file, assembleModel(m_blobs, *run.definition, version));
        CW_TRY(known.blob, m_blobs.put(file));
        known.version = version.version;
        return known.blob;
    }

private:
    struct Known {
        std::uint64_t version = 0;
        Sha256 blob{};
    };
    Store& m_store;
    BlobStore& m_blobs;
    std::mutex m_mutex;
    std::map<std::string, Known> m_known;
};

std::string captured(const Request& request, const char* name)
{
    const auto found = request.captures.find(name);
    return found == request.captures.end() ? std::string() : found->second;
}

Response redirectToBlob(const Result<Sha256>& blob)
{
    return blob.ok() ? Response::redirect("/v1/blobs/" + blob->hex()) : problem(blob.error());
}

Result<Sha256> tokenizerOf(Store& store, const std::string& id)
{
    CW_TRY(const auto run, store.run(id));
    if (run.config().tokenizer == "bytes")
        return Error{ErrorKind::NotFound,
                     "this run works on plain bytes and has no tokenizer file"};
    return run.config().vocabulary;
}

} // namespace

Result<Bytes> assembleModel(BlobStore& blobs, const RunDefinition& run,
                            const VersionRecord& version)
{
    std::vector<Bytes> files;
    std::vector<TensorView> tensors;
    for (const auto& fragment : run.fragments) {
        CW_TRY(auto file, blobs.get(version.fragments[fragment.index].parameters.sha256,
                                    parameterBytesAtMost(fragment)));
        files.push_back(std::move(file)); // moving keeps the bytes where they are
        CW_TRY(const auto parsed, Safetensors::parse(files.back()));
        tensors.insert(tensors.end(), parsed.tensors().begin(), parsed.tensors().end());
    }
    return writeSafetensors(
        tensors,
        {{"format", "pt"}, {"run", run.config.id}, {"version", std::to_string(version.version)}});
}

void addModelRoutes(Router& router, Store& store, BlobStore& blobs)
{
    const auto models = std::make_shared<ModelFiles>(store, blobs);
    router.add({.method = "GET",
                .pattern = "/v1/runs/{run}/model",
                .access = Access::Anyone,
                .handler = Handler([models](const Request& request) {
                    return redirectToBlob(models->newest(captured(request, "run")));
                })});
    router.add({.method = "GET",
                .pattern = "/v1/runs/{run}/tokenizer",
                .access = Access::Anyone,
                .handler = Handler([&store](const Request& request) {
                    return redirectToBlob(tokenizerOf(store, captured(request, "run")));
                })});
}

} // namespace commonweight::server
