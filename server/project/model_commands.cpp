#include "server/project/model_commands.h"

#include "engine/model/export.h"

namespace commonweight::server {

namespace {

constexpr std::uint64_t kTokenizerBytes = 64u << 20;

/// Empty for a run on bytes.
Result<Bytes> tokenizerFile(OpenedProject& project)
{
    if (project.run.config().tokenizer == "bytes")
        return Bytes();
    return project.blobs->get(project.run.config().vocabulary, kTokenizerBytes);
}

Result<std::unique_ptr<model::Tokenizer>> tokenizerOf(OpenedProject& project)
{
    CW_TRY(const auto file, tokenizerFile(project));
    if (file.empty())
        return model::makeByteTokenizer();
    return model::makeSentencePieceTokenizer(file);
}

} // namespace

Result<Json> evaluateVersion(OpenedProject& project, const EvaluationOptions& options)
{
    const gpu::Registry devices;
    CW_TRY(const double loss, heldOutLossOf(*project.blobs, *project.run.definition,
                                            project.version, devices, options));
    return Json{{"run", project.run.id()},
                {"version", project.version.version},
                {"tokens", project.version.tokensMerged},
                {"loss", loss}};
}

Result<std::string> sampleVersion(OpenedProject& project, const std::string& prompt,
                                  const model::SamplingOptions& options, int threads)
{
    CW_TRY(const auto config, model::modelConfigFromJson(project.run.config().model));
    CW_TRY(const auto tokenizer, tokenizerOf(project));
    CW_TRY(const auto parameters,
           readParameters(*project.blobs, *project.run.definition, project.version, config));
    const gpu::Registry devices;
    CW_TRY(const auto device, devices.open("cpu", {.threads = threads}));
    // Positions beyond those of the training were never seen.
    const std::int64_t context = project.run.config().sequenceLength;
    CW_TRY(const auto transformer,
           model::Transformer::create(*device, config, {.sequences = 1, .length = context},
                                      model::Purpose::Evaluate));
    CW_CHECK(transformer->setParameters(parameters));
    return model::sample(*transformer, config, context, *tokenizer, prompt.empty() ? "\n" : prompt,
                         options);
}

Result<Json> exportVersion(OpenedProject& project, const std::filesystem::path& folder)
{
    CW_TRY(const auto config, model::modelConfigFromJson(project.run.config().model));
    CW_TRY(const auto tokenizer, tokenizerFile(project));
    CW_TRY(const auto parameters,
           readParameters(*project.blobs, *project.run.definition, project.version, config));
    CW_CHECK(model::exportModel(folder, config, parameters, tokenizer));
    return Json{{"run", project.run.id()},
                {"version", project.version.version},
                {"folder", folder.string()}};
}

} // namespace commonweight::server
