#pragma once
// commonweight-project create: a folder of text becomes a project with a key, shards, a run and its
// first versions. Everything large is stored first; one transaction at the end makes the project
// exist. Interrupted, it can simply be called again. One thread.

#include "server/project/recipe.h"
#include "server/project/warm_up.h"
#include "server/store/store.h"
#include "server/verify/held_out.h"

namespace commonweight::server {

struct CreateOptions {
    std::filesystem::path folder;
    std::string description;
    std::string terms;
    std::vector<std::filesystem::path> text;
    std::string tokenizer = "bytes"; ///< "bytes" | "sentencepiece"
    std::int64_t vocabulary = 8192;  ///< of SentencePiece
    double heldOut = 0.05;           ///< share of the text
    std::filesystem::path from; ///< a Hugging Face folder to continue from; empty: fresh weights
    RecipeOptions recipe;
    WarmUpOptions warmUp; ///< its slot is chosen here
    bool evaluate = true; ///< measure the first versions' loss at once
};

struct CreatedProject {
    std::string run;
    std::uint64_t parameters = 0;
    std::uint64_t trainingTokens = 0;
    std::uint64_t heldOutTokens = 0;
    std::size_t shards = 0;
    std::vector<work::LossPoint> losses;
};

/// Conflict: the folder holds a project already, or a server uses it. Protocol: options or text
/// that cannot be used, in a sentence.
Result<CreatedProject> createProject(CreateOptions options, const Clock& clock,
                                     const ProgressSink& progress);

/// What is to be recorded; all blobs are stored.
struct ProjectDraft {
    ProjectRecord project;
    RunDefinition run;
    VersionRecord first;
    std::optional<WarmUp> warmUp;
};
/// The transaction (create_record.cpp).
Result<void> recordProject(Store& store, const ProjectDraft& draft, const SigningKey& key,
                           WallTime now);

} // namespace commonweight::server
