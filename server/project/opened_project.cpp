#include "server/project/opened_project.h"

#include "server/store/project_folder.h"

namespace commonweight::server {

static Result<RunRecord> chooseRun(Store& store, const std::string& id)
{
    if (!id.empty())
        return store.run(id);
    CW_TRY(auto runs, store.runs());
    if (runs.empty())
        return Error{ErrorKind::NotFound, "this project has no run"};
    return std::move(runs.front());
}

Result<OpenedProject> openProject(const Selection& selection)
{
    const ProjectFolder folder{selection.folder};
    OpenedProject opened;
    CW_TRY(opened.store, openSqliteStore(folder.database(), OpenMode::Existing));
    CW_TRY(opened.project, opened.store->project());
    CW_TRY(opened.blobs, shareFolderBlobStore(folder.blobs()));
    CW_TRY(opened.run, chooseRun(*opened.store, selection.run));
    const auto version = selection.version.value_or(opened.run.status.newestVersion);
    CW_TRY(opened.version, opened.store->version(opened.run.id(), version));
    return opened;
}

} // namespace commonweight::server
