<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US">
<context>
    <name>Main</name>
    <message>
        <source>Commonweight is already running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It does not answer at the moment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commonweight could not start</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ProjectAddress</name>
    <message>
        <source>Please enter the address of a project.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is too long for an address.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An address has no spaces in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This does not look like an address. One looks like https://train.example.org.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An address starts with https:// or http://.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An address must not hold a name or a password.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Reason</name>
    <message>
        <source>tomorrow, %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you paused it, until you resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you paused it, until %1 (%2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; and </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Training</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Training – %1 left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Needs your attention: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Needs your attention: %1 – %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Needs your attention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>less than a minute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about a minute</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>about %n minutes</source>
        <translation>
            <numerusform>about %n minute</numerusform>
            <numerusform>about %n minutes</numerusform>
        </translation>
    </message>
    <message>
        <source>about an hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n hours</source>
        <translation>
            <numerusform>%n hour</numerusform>
            <numerusform>%n hours</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n days</source>
        <translation>
            <numerusform>%n day</numerusform>
            <numerusform>%n days</numerusform>
        </translation>
    </message>
    <message>
        <source>no project has been chosen yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the computer runs on its battery</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is too little free memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>less than %1 GB of disk space are free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you are using the computer, until a minute without input</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>you are using the computer, until %n minutes without input</source>
        <translation>
            <numerusform>you are using the computer, until %n minute without input</numerusform>
            <numerusform>you are using the computer, until %n minutes without input</numerusform>
        </translation>
    </message>
    <message>
        <source>it is switched off in the settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the project is being asked for work</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the project has no work at the moment, asking again in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the project&apos;s server cannot be reached, trying again now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the project&apos;s server cannot be reached, trying again in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it failed three times in a row, resume to test it again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what is needed is being prepared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commonweight is ending</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not training: choose a project to join</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paused because %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Transferring: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the battery is charged to %1 % first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the computer saves power</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the computer is too hot, until it has cooled down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a game is running, until it closes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is running, until it closes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other programs need the processor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>your schedule has no training now, until %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>your schedule has no hours for training</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a program keeps the screen awake, for example for a video</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this system cannot confine the training program; the settings can allow training without that</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>When nobody uses the computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When to run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Train</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“Always” does not wait for you to leave. Battery, memory and disk are respected all the same.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wait after the last key or mouse movement</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shorter starts sooner; longer leaves pauses for reading alone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> minutes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause on battery</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Training goes on when the computer is plugged in again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How your presence is noticed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At present by: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of the time to compute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Less makes the computer cooler and quieter: it rests between two small steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Train on %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When to use %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No device yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No device that can train has been found so far.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Processor threads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many the processor may use for training.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Disk and memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Training pauses by itself when one of these would be exceeded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Disk space at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For the model, the text and unfinished units.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> GB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave free on the disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory while you use the computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory while you are away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the work every</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After a power failure, at most so much is computed again. Every stop saves as well.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> seconds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> MB per second</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All connections go out from this computer; none comes in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fetch at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Empty: none. For example http://proxy.example.org:3128</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commonweight needs no account.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name to show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Projects list it beside your contribution, for everybody to see. It may stay empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start Commonweight when I log in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It starts in the tray, without a window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>General</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commonweight speaks your system&apos;s language where it can: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Please say which kind of proxy it is, for example http://%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A proxy looks like http://proxy.example.org:3128 or socks5://127.0.0.1:1080</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is too long for a name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A name is one line of letters, digits and signs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commonweight stays out of your way: it stops as soon as you come back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As on the page “When to run”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only when nobody uses the computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What may be used for training. A device can be stricter than the page “When to run”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause while one of these programs runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Names with commas between them, for example blender, kdenlive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Please give the names without folders.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Charge the battery first, to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>any charge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause while the computer saves power</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause during games</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Games that use GameMode are noticed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Videos count as use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any program that keeps the screen awake does.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause when other programs use the processor for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The mean of a minute counts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>never</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quiet takes a quarter of the cores and rests half of the time; balanced takes half of the cores; full takes all of them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quiet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as the pace says</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Processor at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Training goes on when it is 10 degrees cooler.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> °C</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Graphics card at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wait while the network is paid by volume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models, text and results wait; a few kilobytes to ask for work do not.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Train even without confinement</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Normally the training program is cut off from your files and the network by the system, and does not start where that is not possible.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Text</name>
    <message>
        <source>%1 million</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 billion</source>
        <comment>10 to the 9th</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 trillion</source>
        <comment>10 to the 12th</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 tokens per second</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>less than %1 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 hours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reserved for this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ready to start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>training</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>finished, not sent yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>being handed in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>handed in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>did not work out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no longer needed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>being fetched</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s)</source>
        <translation>
            <numerusform>%n minute</numerusform>
            <numerusform>%n minutes</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 trillion tokens</source>
        <comment>10 to the 12th</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 billion tokens</source>
        <comment>10 to the 9th</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 million tokens</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::DeviceCard</name>
    <message>
        <source>Waiting for work</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Getting ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Working on a unit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done in %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::HistoryChart</name>
    <message>
        <source>Units handed in, by day</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n unit(s) in %1 days</source>
        <translation>
            <numerusform>%n unit in %1 days</numerusform>
            <numerusform>%n units in %1 days</numerusform>
        </translation>
    </message>
    <message>
        <source>today</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::LogPage</name>
    <message>
        <source>Copy all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the whole log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing has happened yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What Commonweight does is written down here, in plain words.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::LossChart</name>
    <message>
        <source>trillion tokens read by everybody</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>billion tokens read by everybody</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>million tokens read by everybody</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>thousand tokens read by everybody</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens read by everybody</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss of the shared model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It fell from %1 to %2 over %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>everybody: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>your units</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version %1: loss %2 after %3</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::MainWindow</name>
    <message>
        <source>Pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Overview</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Work</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Transfers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Join another project…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About Commonweight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close this window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commonweight %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trains language models on the computers of volunteers. Free software under the Apache License 2.0.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::ModelCard</name>
    <message>
        <source>No measurement yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The curve starts when the project has merged its first contributions. Every unit that you finish takes part in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The shared model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared model: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How surprised the model is by text it has never seen, in nats per byte. Lower is better.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everybody trains this one model together.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 less surprised by unseen text than at the start</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::ModelPage</name>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>newest version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss on unseen text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How far the training has come</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who trains it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nobody has handed in a unit yet. Yours could be the first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Contributors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Units</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave this project…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The shared model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 planned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a volunteer without a name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave %1?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unfinished units go back to the project. What you have handed in stays part of the model. You can join again at any time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One language model that all volunteers train together. Each of them trains a copy on its own piece of text for a while and hands in what it has learnt; the project merges this into the next version. Anybody can download the newest version.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::OverviewPage</name>
    <message>
        <source>Your part: nothing yet. The first unit counts as soon as it is handed in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your part: %1, %2, %3 of this model</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n unit(s)</source>
        <translation>
            <numerusform>%n unit</numerusform>
            <numerusform>%n units</numerusform>
        </translation>
    </message>
    <message>
        <source>Overview</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No device that can train has been found yet. Commonweight keeps looking.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::PauseMenu</name>
    <message>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For 15 minutes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For 1 hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For 3 hours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Until I resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Until tomorrow morning (%1)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::SavingDialog</name>
    <message>
        <source>Saving the work done so far…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This takes a few seconds. Nothing is lost.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saving</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::SettingRow</name>
    <message>
        <source>🔒 Fixed by the administrator of this computer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::SettingsDialog</name>
    <message>
        <source>Settings – Commonweight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pages of the settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore defaults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The defaults of this page; the other pages stay as they are</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Takes back the last change</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::Shell</name>
    <message>
        <source>Commonweight keeps running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The window closes, but Commonweight stays in the tray, beside the clock, and goes on helping while you are away. To open it again, click its icon. To end it, choose Quit in the icon&apos;s menu.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All right</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit instead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep helping in the background?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This desktop has no tray, so Commonweight would stay as a minimised window. If you quit, training goes on from where it was at the next start.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep it minimised</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commonweight will not start by itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::StatisticsPage</name>
    <message>
        <source>What everybody did together appears here when the project can be reached.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n computer(s)</source>
        <translation>
            <numerusform>%n computer</numerusform>
            <numerusform>%n computers</numerusform>
        </translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>units handed in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens trained on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of computing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the shared model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your days</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>The newest %n unit(s), by the day they were handed in</source>
        <translation>
            <numerusform>The newest unit, by the day it was handed in</numerusform>
            <numerusform>The newest %n units, by the day they were handed in</numerusform>
        </translation>
    </message>
    <message>
        <source>Units by the day they were handed in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everybody together: %1 in %2 contributions. Taking part at present: %3.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::StatusHeader</name>
    <message>
        <source>Using %1 while you are away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Using %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lasts until you press Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Goes on by itself in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing to do for you – training starts by itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause training</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume training</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::TaskModel</name>
    <message>
        <source>Unit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Since</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::TransferRow</name>
    <message>
        <source>Sending</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fetching</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::TransfersPage</name>
    <message>
        <source>Transfers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is on its way</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model and the text of a unit are fetched before training, and what was learnt is sent afterwards. You can watch it here.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::TrayIcon</name>
    <message>
        <source>Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open Commonweight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::WelcomePage</name>
    <message>
        <source>Welcome</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Many computers train one language model, each a little. What comes out belongs to everybody.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it does</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Trains when nobody has used this computer for %n minute(s), and stops as soon as you come back.</source>
        <translation>
            <numerusform>Trains when nobody has used this computer for %n minute, and stops as soon as you come back.</numerusform>
            <numerusform>Trains when nobody has used this computer for %n minutes, and stops as soon as you come back.</numerusform>
        </translation>
    </message>
    <message>
        <source>Uses the graphics card, or half of the processor&apos;s cores.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pauses on battery, and whenever you say so – one click in the tray.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keeps at most %1 GB on the disk and leaves %2 GB free.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it never does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starts anything before you press the button below.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs programs that somebody sends: a project sends data only.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looks at your files or asks for an account. No name is needed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keeps the computer awake.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address of the project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start Commonweight when I log in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking for the project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start helping</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything can be changed later in the settings, and ended with one click.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Projects that look for help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another one, by its address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Train a language model together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Join another project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking for the project…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was not possible to join. Details: %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>commonweight::app::WorkPage</name>
    <message>
        <source>Hand back…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hand the chosen unit back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A unit is a piece of text that this computer trains the shared model on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No work yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As soon as this computer may train, it asks the project for a unit and works on it here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Work units</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hand unit %1 back to its project?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Somebody else will get it. What this computer has trained in this unit so far will not count.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hand it back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
