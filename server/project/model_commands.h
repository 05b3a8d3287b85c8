#pragma once
// What `evaluate`, `sample` and `export` do with a version of the model. The caller's thread.

#include "engine/model/sampler.h"
#include "server/project/opened_project.h"
#include "server/verify/held_out.h"

namespace commonweight::server {

/// {run, version, tokens, loss}: nats per byte.
Result<Json> evaluateVersion(OpenedProject& project, const EvaluationOptions& options);

/// The prompt's continuation. An empty prompt is a line end.
Result<std::string> sampleVersion(OpenedProject& project, const std::string& prompt,
                                  const model::SamplingOptions& options, int threads);

/// A folder that Hugging Face's programs read. {run, version, folder}.
Result<Json> exportVersion(OpenedProject& project, const std::filesystem::path& folder);

} // namespace commonweight::server
