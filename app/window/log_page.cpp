#include "app/window/log_page.h"

#include "app/look/button.h"
#include "app/look/empty_state.h"
#include "app/look/palette.h"
#include "app/look/symbolic_icon.h"
#include "app/look/text.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLocale>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QStackedLayout>
#include <QTextDocument>

namespace commonweight::app {

using look::kStep;

namespace {

QString lineText(const agent::LogLine& line)
{
    const auto time =
        QLocale().toString(Text::local(line.time), QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    return QStringLiteral("%1  %2").arg(time, Text::plain(line.text));
}

} // namespace

LogPage::LogPage(QWidget* parent)
    : Page(parent), m_text(new QPlainTextEdit(this)), m_copy(new Button(tr("Copy all"), this)),
      m_stack(new QStackedLayout)
{
    m_text->setReadOnly(true);
    m_text->setObjectName(QStringLiteral("log"));
    m_text->setAccessibleName(tr("Log"));
    m_text->setTabChangesFocus(true);
    m_text->document()->setDocumentMargin(kStep);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_copy->setObjectName(QStringLiteral("copy"));
    m_copy->setIcon(symbolicIcon(QStringLiteral("copy")));
    m_copy->setAccessibleName(tr("Copy the whole log"));
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_lines.join(QLatin1Char('\n'))); });
    auto* bar = m_text->verticalScrollBar();
    connect(bar, &QScrollBar::valueChanged, this, &LogPage::noteScrolling);
    connect(bar, &QScrollBar::rangeChanged, this, [this, bar](int, int end) {
        if (m_following)
            bar->setValue(end);
    });
    auto* full = new QWidget(this);
    auto* column = new QVBoxLayout(full);
    column->setContentsMargins(3 * kStep, 2 * kStep, 3 * kStep, 2 * kStep);
    column->setSpacing(kStep);
    column->addWidget(m_text, 1);
    column->addWidget(m_copy, 0, Qt::AlignRight);
    m_stack->addWidget(full);
    m_stack->addWidget(
        new EmptyState(QStringLiteral("log"), tr("Nothing has happened yet"),
                       tr("What Commonweight does is written down here, in plain words."), this));
    setLayout(m_stack);
}

void LogPage::present(const agent::Snapshot& snapshot, WallTime)
{
    QStringList lines;
    lines.reserve(qsizetype(snapshot.log.size()));
    for (const auto& line : snapshot.log)
        lines << lineText(line);
    m_stack->setCurrentIndex(lines.isEmpty() ? 1 : 0);
    if (lines != m_lines)
        replaceLines(lines);
}

/// The last lines are in view now, so what is added is followed; while the text is replaced its
/// scroll bar says nothing.
void LogPage::noteScrolling(int value)
{
    if (!m_replacing)
        m_following = value >= m_text->verticalScrollBar()->maximum();
}

void LogPage::replaceLines(const QStringList& lines)
{
    auto* bar = m_text->verticalScrollBar();
    const int place = bar->value();
    m_replacing = true;
    const bool longer = lines.size() > m_lines.size() && lines.mid(0, m_lines.size()) == m_lines;
    if (longer && !m_lines.isEmpty())
        m_text->appendPlainText(lines.mid(m_lines.size()).join(QLatin1Char('\n')));
    else
        m_text->setPlainText(lines.join(QLatin1Char('\n')));
    m_lines = lines;
    bar->setValue(m_following ? bar->maximum() : place);
    m_replacing = false;
}

} // namespace commonweight::app
