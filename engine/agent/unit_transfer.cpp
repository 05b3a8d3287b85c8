#include "engine/agent/unit_transfer.h"

#include "engine/agent/slot_folder.h"
#include "engine/base/atomic_file.h"
#include "engine/transfer/download.h"
#include "engine/transfer/tus_upload.h"

#include <algorithm>

namespace commonweight::agent {

namespace {

TransferItem itemFor(const work::BlobRef& blob, const std::string& what, bool upload)
{
    auto progress = std::make_shared<TransferProgress>();
    progress->what = what;
    progress->upload = upload;
    progress->total = blob.bytes;
    return {blob, progress};
}

transfer::Progress counting(const std::shared_ptr<TransferProgress>& progress)
{
    return [progress](std::uint64_t done, std::uint64_t total) {
        progress->done = done;
        progress->total = total;
    };
}

Result<void> sendBlob(const AgentContext& context, ProjectClient& client, const SendJob& job,
                      const TransferItem& item, const transfer::CancelFlag& cancel,
                      Seconds& retryAfter)
{
    const std::string name = item.blob.sha256.hex();
    CW_TRY(TransferRow known, context.store.transfer(job.task, name));
    if (known.done)
        return {};
    const transfer::TusUpload upload{client.uploadsUrl(), deliveredFile(job.slot, item.blob),
                                     item.blob, known.url};
    const auto sign = [&](transfer::HttpRequest& request) { client.sign(request, job.host); };
    const auto created = [&](const std::string& url) {
        known.url = url;
        return context.store.putTransfer(job.task, name, known);
    };
    CW_CHECK(transfer::uploadFile(context.transport, upload, sign, created, counting(item.progress),
                                  cancel, &retryAfter));
    known.done = true;
    item.progress->done = item.blob.bytes;
    return context.store.putTransfer(job.task, name, known);
}

} // namespace

std::vector<TransferItem> itemsToFetch(const work::WorkUnit& unit,
                                       const std::vector<work::BlobRef>& blobs,
                                       const BlobCache& cache)
{
    const std::string model = "Model, version " + std::to_string(unit.anchor.version);
    std::vector<TransferItem> items;
    for (const auto& blob : blobs) {
        const bool isText =
            std::find(unit.shards.begin(), unit.shards.end(), blob) != unit.shards.end();
        if (!cache.has(blob))
            items.push_back(itemFor(blob, isText ? "Text" : model, false));
    }
    return items;
}

std::vector<TransferItem> itemsToSend(const work::UnitResult& result)
{
    std::vector<TransferItem> items;
    for (const auto& blob : blobsOf(result))
        items.push_back(itemFor(blob, "Your contribution", true));
    return items;
}

Result<void> fetchBlobs(transfer::Transport& transport, const FetchJob& job, const BlobCache& cache,
                        const transfer::CancelFlag& cancel, Seconds& retryAfter)
{
    for (const auto& blob : job.blobs) {
        if (!job.verify && cache.has(blob))
            continue;
        transfer::Progress progress = [](std::uint64_t, std::uint64_t) {};
        for (const auto& item : job.items)
            if (item.blob == blob)
                progress = counting(item.progress);
        const auto file = cache.pathOf(blob.sha256);
        CW_CHECK(makeFolder(file.parent_path(), 0700));
        CW_CHECK(transfer::downloadBlob(transport, job.blobsUrl, blob, file, progress, cancel,
                                        &retryAfter));
    }
    return {};
}

SendOutcome sendResult(const AgentContext& context, ProjectClient& client, const SendJob& job,
                       const transfer::CancelFlag& cancel)
{
    SendOutcome outcome;
    const auto begin = context.clock.monotonic();
    for (const auto& item : job.items) {
        outcome.result = sendBlob(context, client, job, item, cancel, outcome.retryAfter);
        if (!outcome.result)
            return outcome;
        outcome.bytesSent += item.blob.bytes;
    }
    outcome.time = context.clock.monotonic() - begin;
    work::UnitResult result = job.result;
    result.host = job.host;
    const auto answer =
        client.commit(job.host, signJson("result", work::toJson(result), context.key), cancel);
    outcome.commitStatus = answer.status;
    outcome.retryAfter = answer.retryAfter;
    if (!answer.result)
        outcome.result = answer.result.error();
    return outcome;
}

} // namespace commonweight::agent
