#pragma once
// What the shared model is, how far its training has come, who takes part, and which project it
// belongs to. GUI thread.

#include "app/window/page.h"

class QLabel;
class QPushButton;
class QTableWidget;

namespace commonweight::app {

class FigureCard;
class NoticeLabel;
class ThinBar;

class ModelPage : public Page {
    Q_OBJECT

public:
    ModelPage(Context context, QWidget* parent);
    void present(const agent::Snapshot& snapshot, WallTime now) override;

private:
    QWidget* makeModelCard(QWidget* parent);
    QWidget* makePeopleCard(QWidget* parent);
    QWidget* makeProjectCard(QWidget* parent);
    void presentPeople(const work::RunInfo& run);
    void askToLeave();

    Context m_context;
    QString m_address;
    QString m_projectName;
    QLabel* m_name = nullptr;
    ThinBar* m_progress = nullptr;
    QLabel* m_progressText = nullptr;
    FigureCard* m_parameters = nullptr;
    FigureCard* m_version = nullptr;
    FigureCard* m_loss = nullptr;
    QTableWidget* m_people = nullptr;
    QLabel* m_noPeople = nullptr;
    QLabel* m_project = nullptr;
    NoticeLabel* m_problem = nullptr;
    QPushButton* m_leave = nullptr;
};

} // namespace commonweight::app
