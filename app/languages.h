#pragma once
// Translations: ours and Qt's own. Called once, before any widget is made; GUI thread.

#include <QLocale>

class QCoreApplication;

namespace commonweight::app {

/// Installs what there is for `locale` and makes it the default for numbers and dates. English
/// always works. True when our texts are translated (or English was asked for).
bool installLanguage(QCoreApplication& application, const QLocale& locale);
/// Icons, translations and the project list, which live in a static library.
void loadResources();

} // namespace commonweight::app
