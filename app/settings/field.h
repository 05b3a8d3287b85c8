#pragma once
// A setting as data: what it is called, how it is edited, where it lives in the preferences. The
// dialog is made from lists of these. Plain values; GUI thread.

#include "engine/agent/preferences.h"

#include <QString>
#include <QVariant>

#include <functional>
#include <vector>

namespace commonweight::app {

enum class FieldKind { Toggle, Whole, Decimal, Line, Choice, Note };

struct Option {
    QString label;
    int value;
};

struct Field {
    QString id; ///< the member's name; also names the control
    FieldKind kind;
    QString label;
    QString hint; ///< its effect, in a sentence; may be empty
    double min = 0;
    double max = 0;
    double step = 1;
    QString unit;  ///< written after a number, for example " minutes"
    QString atMin; ///< shown instead of the smallest number, for example "no limit"
    std::vector<Option> options;
    std::function<QVariant(const agent::Preferences&)> read;
    std::function<void(agent::Preferences&, const QVariant&)> write;
    /// What is wrong with a value, for the person; empty: nothing.
    std::function<QString(const QVariant&)> problem;
    /// Done before the value is stored; an error keeps the old one.
    std::function<Result<void>(const QVariant&)> carryOut;
};

struct SettingsPage {
    QString icon;
    QString title;
    QString intro;
    std::vector<Field> fields;
};

} // namespace commonweight::app
