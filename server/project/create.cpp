#include "server/project/create.h"

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "engine/exchange/codec.h"
#include "engine/model/export.h"
#include "server/project/shard_maker.h"
#include "server/project/text_source.h"
#include "server/project/text_split.h"
#include "server/schedule/lane_order.h"
#include "server/store/project_folder.h"

#include <algorithm>

namespace commonweight::server {

namespace {

constexpr std::uint64_t kTokenizerBytes = 64u << 20;

/// The pieces of a project as they come about.
class Creation {
public:
    Creation(CreateOptions options, const Clock& clock, const ProgressSink& progress)
        : m_options(std::move(options)), m_folder{m_options.folder}, m_clock(clock),
          m_progress(progress)
    {}

    Result<CreatedProject> run()
    {
        CW_TRY(auto source, readText(m_options.text));
        m_progress("Read " + std::to_string(source.text.size()) + " bytes of text from " +
                   std::to_string(source.files) + " file(s)");
        CW_TRY(const auto lock, openFolder());
        const auto split = splitText(source.text, m_options.heldOut);
        CW_CHECK(chooseModel(source.text));
        CW_CHECK(makeShards(split));
        CW_CHECK(makeFirstVersion());
        if (m_options.warmUp.steps > 0) {
            m_options.warmUp.slot = m_options.folder / "warm-up";
            CW_TRY(m_draft.warmUp,
                   runWarmUp(m_draft.run, m_draft.first, *m_blobs, m_options.warmUp, m_progress));
            m_draft.warmUp->version.created = m_clock.wall();
        }
        CW_CHECK(recordProject(*m_store, m_draft, *m_key, m_clock.wall()));
        measureLosses();
        return summary();
    }

private:
    Result<FolderLock> openFolder()
    {
        CW_CHECK(makeFolder(m_folder.folder, 0755));
        CW_TRY(auto lock, FolderLock::acquire(m_folder.folder));
        CW_TRY(m_store, openSqliteStore(m_folder.database(), OpenMode::Create));
        if (const auto known = m_store->project(); known.ok())
            return Error{ErrorKind::Conflict, m_folder.folder.string() +
                                                  " already holds the project \"" + known->name +
                                                  "\"; choose another folder for a new one"};
        CW_TRY(m_key, SigningKey::loadOrCreate(m_folder.key()));
        CW_TRY(m_blobs, makeFolderBlobStore(m_folder.blobs()));
        return lock;
    }

    Result<void> chooseModel(std::string_view text)
    {
        if (!m_options.from.empty()) {
            CW_TRY(auto imported, model::importModel(m_options.from));
            m_model = imported.config;
            m_parameters = std::move(imported.parameters);
            m_options.recipe.preset.clear();
            m_options.recipe.fineTune = true;
        }
        CW_CHECK(chooseTokenizer(text));
        if (m_options.from.empty()) {
            CW_TRY(m_model,
                   model::presetByName(m_options.recipe.preset, m_tokenizer->vocabularySize()));
            m_parameters = model::initialParameters(m_model, m_options.recipe.seed);
        }
        if (m_tokenizer->vocabularySize() > m_model.vocabularySize)
            return Error{ErrorKind::Protocol,
                         "the tokenizer knows " + std::to_string(m_tokenizer->vocabularySize()) +
                             " tokens, the model only " + std::to_string(m_model.vocabularySize)};
        return {};
    }

    Result<void> chooseTokenizer(std::string_view text)
    {
        if (m_options.tokenizer == "bytes") {
            m_tokenizer = model::makeByteTokenizer();
            return {};
        }
        if (m_options.tokenizer != "sentencepiece")
            return Error{ErrorKind::Protocol, "--tokenizer must be bytes or sentencepiece, not '" +
                                                  m_options.tokenizer + "'"};
        Bytes file;
        if (!m_options.from.empty()) {
            CW_TRY(file, readFile(m_options.from / "tokenizer.model", kTokenizerBytes));
        } else {
            m_progress("Training a tokenizer with " + std::to_string(m_options.vocabulary) +
                       " tokens");
            CW_TRY(file, model::trainSentencePiece(text, m_options.vocabulary));
        }
        CW_TRY(m_tokenizer, model::makeSentencePieceTokenizer(file));
        CW_TRY(const auto stored, m_blobs->put(file));
        static_cast<void>(stored);
        return {};
    }

    Result<void> makeShards(const SplitText& split)
    {
        CW_CHECK(measureHeldOut(split));
        const TokenizerChoice tokenizer{m_options.tokenizer, m_tokenizer->vocabulary(),
                                        m_bytesPerToken};
        CW_TRY(m_draft.run.config, makeRunConfig(m_options.recipe, m_model, tokenizer));
        m_draft.run.created = m_clock.wall();
        const auto& config = m_draft.run.config;
        const std::uint64_t laneTokens =
            std::uint64_t{config.sequenceLength} * config.sequencesPerLane;
        CW_TRY(m_draft.run.shards, shardsOf(split.training, laneTokens));
        CW_TRY(m_draft.run.heldOut, shardsOf(split.heldOut, laneTokens));
        m_progress("Made " + std::to_string(m_draft.run.shards.size()) + " shard(s) with " +
                   std::to_string(tokensIn(m_draft.run.shards)) + " tokens, and kept " +
                   std::to_string(tokensIn(m_draft.run.heldOut)) + " tokens for evaluation");
        return checkAmounts(laneTokens);
    }

    /// Turns nats per token into nats per byte.
    Result<void> measureHeldOut(const SplitText& split)
    {
        std::size_t bytes = 0, tokens = 0;
        for (const auto& piece : split.heldOut) {
            bytes += piece.size();
            tokens += m_tokenizer->encode(piece).size();
        }
        m_bytesPerToken = tokens > 0 ? static_cast<double>(bytes) / static_cast<double>(tokens) : 1;
        return {};
    }

    Result<std::vector<ShardRecord>> shardsOf(const std::vector<std::string_view>& pieces,
                                              std::uint64_t laneTokens)
    {
        ShardMaker maker(*m_blobs, *m_tokenizer, laneTokens);
        for (const auto& piece : pieces)
            CW_CHECK(maker.add(piece));
        return maker.finish();
    }

    static std::uint64_t tokensIn(const std::vector<ShardRecord>& shards)
    {
        std::uint64_t sum = 0;
        for (const auto& shard : shards)
            sum += shard.tokens;
        return sum;
    }

    Result<void> checkAmounts(std::uint64_t laneTokens) const
    {
        const auto& config = m_draft.run.config;
        const std::uint64_t needed =
            groupLanes(config) * std::max<std::uint64_t>(1, m_options.warmUp.steps > 0
                                                                ? m_options.warmUp.accumulation
                                                                : 1);
        if (m_draft.run.lanes() < needed)
            return Error{ErrorKind::Protocol,
                         "the text is too short: one step takes " + std::to_string(needed) +
                             " stretches of " + std::to_string(laneTokens) +
                             " tokens, and it has only " + std::to_string(m_draft.run.lanes()) +
                             " (use more text, or smaller --micro-batch, --sequence-length or "
                             "--sequences-per-lane)"};
        if (tokensIn(m_draft.run.heldOut) <= config.sequenceLength)
            return Error{ErrorKind::Protocol, "too little text is held out to measure progress: "
                                              "use more text, or a larger --held-out"};
        return {};
    }

    Result<void> makeFirstVersion()
    {
        const auto layout = model::parameterLayout(m_model);
        m_draft.run.fragments = exchange::fragmentsOf(layout, m_draft.run.config.fragmentBytes);
        m_draft.first.run = m_draft.run.config.id;
        m_draft.first.created = m_draft.run.created;
        for (const auto& fragment : m_draft.run.fragments) {
            CW_TRY(const auto values, fragmentOf(fragment, layout, m_parameters));
            CW_TRY(const auto blob, putBlob(*m_blobs, exchange::writeParameters(
                                                          fragment, values, m_draft.first.run, 0)));
            m_draft.first.fragments.push_back(
                {.parameters = blob, .exact = {}, .delta = {}, .momentum = {}});
        }
        m_draft.project = {.name = m_options.recipe.name,
                           .description = m_options.description,
                           .terms = m_options.terms};
        return {};
    }

    /// The project is made by now; without these figures the server measures them later.
    void measureLosses()
    {
        if (!m_options.evaluate)
            return;
        std::vector<const VersionRecord*> versions{&m_draft.first};
        if (m_draft.warmUp)
            versions.push_back(&m_draft.warmUp->version);
        const gpu::Registry devices;
        EvaluationOptions evaluation;
        evaluation.threads = m_options.warmUp.threads;
        for (const auto* version : versions) {
            const auto loss = heldOutLossOf(*m_blobs, m_draft.run, *version, devices, evaluation);
            if (!loss.ok())
                return spdlog::warn("The loss could not be measured now: {}", loss.error().message);
            const work::LossPoint point{version->version, version->tokensMerged, *loss,
                                        m_clock.wall()};
            if (const auto added = m_store->addLoss(m_draft.run.config.id, point); !added.ok())
                return spdlog::warn("The loss could not be recorded: {}", added.error().message);
            m_losses.push_back(point);
        }
    }

    CreatedProject summary() const
    {
        return {.run = m_draft.run.config.id,
                .parameters = static_cast<std::uint64_t>(m_model.parameters()),
                .trainingTokens = tokensIn(m_draft.run.shards),
                .heldOutTokens = tokensIn(m_draft.run.heldOut),
                .shards = m_draft.run.shards.size(),
                .losses = m_losses};
    }

    CreateOptions m_options;
    const ProjectFolder m_folder;
    const Clock& m_clock;
    const ProgressSink& m_progress;
    std::unique_ptr<Store> m_store;
    std::unique_ptr<BlobStore> m_blobs;
    std::optional<SigningKey> m_key;
    std::unique_ptr<model::Tokenizer> m_tokenizer;
    model::ModelConfig m_model;
    std::vector<float> m_parameters;
    double m_bytesPerToken = 1;
    ProjectDraft m_draft;
    std::vector<work::LossPoint> m_losses;
};

} // namespace

Result<CreatedProject> createProject(CreateOptions options, const Clock& clock,
                                     const ProgressSink& progress)
{
    return Creation(std::move(options), clock, progress).run();
}

} // namespace commonweight::server
