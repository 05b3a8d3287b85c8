<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>Main</name>
    <message>
        <source>Commonweight is already running</source>
        <translation>Commonweight 已在运行</translation>
    </message>
    <message>
        <source>It does not answer at the moment</source>
        <translation>它暂时没有响应</translation>
    </message>
    <message>
        <source>Commonweight could not start</source>
        <translation>Commonweight 无法启动</translation>
    </message>
</context>
<context>
    <name>ProjectAddress</name>
    <message>
        <source>Please enter the address of a project.</source>
        <translation>请输入项目的地址。</translation>
    </message>
    <message>
        <source>This is too long for an address.</source>
        <translation>这对于地址来说太长了。</translation>
    </message>
    <message>
        <source>An address has no spaces in it.</source>
        <translation>地址中不能有空格。</translation>
    </message>
    <message>
        <source>This does not look like an address. One looks like https://train.example.org.</source>
        <translation>这看起来不像地址。地址的样子类似 https://train.example.org。</translation>
    </message>
    <message>
        <source>An address starts with https:// or http://.</source>
        <translation>地址以 https:// 或 http:// 开头。</translation>
    </message>
    <message>
        <source>An address must not hold a name or a password.</source>
        <translation>地址中不能包含用户名或密码。</translation>
    </message>
</context>
<context>
    <name>Reason</name>
    <message>
        <source>tomorrow, %1</source>
        <translation>明天 %1</translation>
    </message>
    <message>
        <source>you paused it, until you resume</source>
        <translation>您已暂停，直到您恢复</translation>
    </message>
    <message>
        <source>you paused it, until %1 (%2)</source>
        <translation>您已暂停，直到 %1（%2）</translation>
    </message>
    <message>
        <source>; and </source>
        <translation>；并且</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>正在训练</translation>
    </message>
    <message>
        <source>Training – %1 left</source>
        <translation>正在训练 – 还剩%1</translation>
    </message>
    <message>
        <source>Needs your attention: %1</source>
        <translation>需要您的关注：%1</translation>
    </message>
    <message>
        <source>Needs your attention: %1 – %2</source>
        <translation>需要您的关注：%1 – %2</translation>
    </message>
    <message>
        <source>Needs your attention</source>
        <translation>需要您的关注</translation>
    </message>
    <message>
        <source>less than a minute</source>
        <translation>不到一分钟</translation>
    </message>
    <message>
        <source>about a minute</source>
        <translation>大约一分钟</translation>
    </message>
    <message numerus="yes">
        <source>about %n minutes</source>
        <translation>
            <numerusform>大约 %n 分钟</numerusform>
        </translation>
    </message>
    <message>
        <source>about an hour</source>
        <translation>大约一小时</translation>
    </message>
    <message numerus="yes">
        <source>%n hours</source>
        <translation>
            <numerusform>%n 小时</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n days</source>
        <translation>
            <numerusform>%n 天</numerusform>
        </translation>
    </message>
    <message>
        <source>no project has been chosen yet</source>
        <translation>尚未选择项目</translation>
    </message>
    <message>
        <source>the computer runs on its battery</source>
        <translation>计算机正在使用电池</translation>
    </message>
    <message>
        <source>there is too little free memory</source>
        <translation>可用内存太少</translation>
    </message>
    <message>
        <source>less than %1 GB of disk space are free</source>
        <translation>磁盘可用空间少于 %1 GB</translation>
    </message>
    <message>
        <source>you are using the computer, until a minute without input</source>
        <translation>您正在使用计算机，直到一分钟内没有操作</translation>
    </message>
    <message numerus="yes">
        <source>you are using the computer, until %n minutes without input</source>
        <translation>
            <numerusform>您正在使用计算机，直到 %n 分钟内没有操作</numerusform>
        </translation>
    </message>
    <message>
        <source>it is switched off in the settings</source>
        <translation>它在设置中已关闭</translation>
    </message>
    <message>
        <source>the project is being asked for work</source>
        <translation>正在向项目请求工作</translation>
    </message>
    <message>
        <source>the project has no work at the moment, asking again in %1</source>
        <translation>项目目前没有工作，%1后再次询问</translation>
    </message>
    <message>
        <source>the project&apos;s server cannot be reached, trying again now</source>
        <translation>无法连接项目的服务器，正在重试</translation>
    </message>
    <message>
        <source>the project&apos;s server cannot be reached, trying again in %1</source>
        <translation>无法连接项目的服务器，%1后重试</translation>
    </message>
    <message>
        <source>it failed three times in a row, resume to test it again</source>
        <translation>它连续失败了三次，恢复即可重新测试</translation>
    </message>
    <message>
        <source>what is needed is being prepared</source>
        <translation>正在准备所需内容</translation>
    </message>
    <message>
        <source>Commonweight is ending</source>
        <translation>Commonweight 正在退出</translation>
    </message>
    <message>
        <source>Not training: choose a project to join</source>
        <translation>未在训练：请选择要加入的项目</translation>
    </message>
    <message>
        <source>Paused because %1</source>
        <translation>已暂停：%1</translation>
    </message>
    <message>
        <source>Transferring: %1</source>
        <translation>正在传输：%1</translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation>等待中：%1</translation>
    </message>
    <message>
        <source>the battery is charged to %1 % first</source>
        <translation>先将电池充到 %1 %</translation>
    </message>
    <message>
        <source>the computer saves power</source>
        <translation>电脑正在省电</translation>
    </message>
    <message>
        <source>the computer is too hot, until it has cooled down</source>
        <translation>电脑过热，待其冷却</translation>
    </message>
    <message>
        <source>a game is running, until it closes</source>
        <translation>游戏正在运行，直到其关闭</translation>
    </message>
    <message>
        <source>%1 is running, until it closes</source>
        <translation>%1 正在运行，直到其关闭</translation>
    </message>
    <message>
        <source>other programs need the processor</source>
        <translation>其他程序需要处理器</translation>
    </message>
    <message>
        <source>your schedule has no training now, until %1</source>
        <translation>您的时间表此时不安排训练，直到 %1</translation>
    </message>
    <message>
        <source>your schedule has no hours for training</source>
        <translation>您的时间表没有训练时段</translation>
    </message>
    <message>
        <source>a program keeps the screen awake, for example for a video</source>
        <translation>有程序保持屏幕常亮，例如正在播放视频</translation>
    </message>
    <message>
        <source>this system cannot confine the training program; the settings can allow training without that</source>
        <translation>此系统无法隔离训练程序；可在设置中允许不隔离训练</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>When nobody uses the computer</source>
        <translation>没有人使用计算机时</translation>
    </message>
    <message>
        <source>Always</source>
        <translation>始终</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>When to run</source>
        <translation>何时运行</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>“Always” does not wait for you to leave. Battery, memory and disk are respected all the same.</source>
        <translation>“始终”不会等您离开。但电池、内存和磁盘的限制仍然有效。</translation>
    </message>
    <message>
        <source>Wait after the last key or mouse movement</source>
        <translation>最后一次按键或鼠标移动后等待</translation>
    </message>
    <message>
        <source>Shorter starts sooner; longer leaves pauses for reading alone.</source>
        <translation>较短则更早开始；较长则不打扰阅读时的停顿。</translation>
    </message>
    <message>
        <source> minutes</source>
        <translation> 分钟</translation>
    </message>
    <message>
        <source>Pause on battery</source>
        <translation>使用电池时暂停</translation>
    </message>
    <message>
        <source>Training goes on when the computer is plugged in again.</source>
        <translation>重新接通电源后训练会继续。</translation>
    </message>
    <message>
        <source>How your presence is noticed</source>
        <translation>如何察觉您在场</translation>
    </message>
    <message>
        <source>At present by: %1</source>
        <translation>目前通过：%1</translation>
    </message>
    <message>
        <source>Share of the time to compute</source>
        <translation>计算时间的比例</translation>
    </message>
    <message>
        <source>Less makes the computer cooler and quieter: it rests between two small steps.</source>
        <translation>较低的比例让计算机更凉更安静：它在两个小步骤之间休息。</translation>
    </message>
    <message>
        <source> %</source>
        <translation> %</translation>
    </message>
    <message>
        <source>Train on %1</source>
        <translation>用 %1 训练</translation>
    </message>
    <message>
        <source>When to use %1</source>
        <translation>何时使用 %1</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>No device yet</source>
        <translation>还没有设备</translation>
    </message>
    <message>
        <source>No device that can train has been found so far.</source>
        <translation>目前还没有找到可以训练的设备。</translation>
    </message>
    <message>
        <source>Processor threads</source>
        <translation>处理器线程</translation>
    </message>
    <message>
        <source>How many the processor may use for training.</source>
        <translation>处理器可用于训练的线程数。</translation>
    </message>
    <message>
        <source>Disk and memory</source>
        <translation>磁盘和内存</translation>
    </message>
    <message>
        <source>Training pauses by itself when one of these would be exceeded.</source>
        <translation>超过其中任何一项限制时，训练会自动暂停。</translation>
    </message>
    <message>
        <source>Disk space at most</source>
        <translation>磁盘空间上限</translation>
    </message>
    <message>
        <source>For the model, the text and unfinished units.</source>
        <translation>用于模型、文本和未完成的单元。</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <source>Leave free on the disk</source>
        <translation>磁盘上保留的空间</translation>
    </message>
    <message>
        <source>Memory while you use the computer</source>
        <translation>您使用计算机时的内存</translation>
    </message>
    <message>
        <source>Memory while you are away</source>
        <translation>您离开时的内存</translation>
    </message>
    <message>
        <source>Save the work every</source>
        <translation>保存工作的间隔</translation>
    </message>
    <message>
        <source>After a power failure, at most so much is computed again. Every stop saves as well.</source>
        <translation>断电后最多重新计算这么多。每次停止时也会保存。</translation>
    </message>
    <message>
        <source> seconds</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source> MB per second</source>
        <translation> MB/秒</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>All connections go out from this computer; none comes in.</source>
        <translation>所有连接都从本机发出；没有任何连接进来。</translation>
    </message>
    <message>
        <source>Fetch at most</source>
        <translation>下载上限</translation>
    </message>
    <message>
        <source>Send at most</source>
        <translation>上传上限</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>Empty: none. For example http://proxy.example.org:3128</source>
        <translation>留空表示不使用。例如 http://proxy.example.org:3128</translation>
    </message>
    <message>
        <source>You</source>
        <translation>您</translation>
    </message>
    <message>
        <source>Commonweight needs no account.</source>
        <translation>Commonweight 不需要账户。</translation>
    </message>
    <message>
        <source>Name to show</source>
        <translation>显示的名称</translation>
    </message>
    <message>
        <source>Projects list it beside your contribution, for everybody to see. It may stay empty.</source>
        <translation>项目会在您的贡献旁边显示它，所有人都能看到。可以留空。</translation>
    </message>
    <message>
        <source>Start Commonweight when I log in</source>
        <translation>登录时启动 Commonweight</translation>
    </message>
    <message>
        <source>It starts in the tray, without a window.</source>
        <translation>它会在托盘中启动，不打开窗口。</translation>
    </message>
    <message>
        <source>General</source>
        <translation>常规</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Commonweight speaks your system&apos;s language where it can: %1</source>
        <translation>Commonweight 会尽量使用系统的语言：%1</translation>
    </message>
    <message>
        <source>Please say which kind of proxy it is, for example http://%1</source>
        <translation>请说明代理的类型，例如 http://%1</translation>
    </message>
    <message>
        <source>A proxy looks like http://proxy.example.org:3128 or socks5://127.0.0.1:1080</source>
        <translation>代理的样子类似 http://proxy.example.org:3128 或 socks5://127.0.0.1:1080</translation>
    </message>
    <message>
        <source>This is too long for a name.</source>
        <translation>这对于名称来说太长了。</translation>
    </message>
    <message>
        <source>A name is one line of letters, digits and signs.</source>
        <translation>名称是由字母、数字和符号组成的一行文字。</translation>
    </message>
    <message>
        <source>Commonweight stays out of your way: it stops as soon as you come back.</source>
        <translation>Commonweight 不会妨碍您：您一回来它就停止。</translation>
    </message>
    <message>
        <source>As on the page “When to run”</source>
        <translation>与“何时运行”页面相同</translation>
    </message>
    <message>
        <source>Only when nobody uses the computer</source>
        <translation>仅在没有人使用计算机时</translation>
    </message>
    <message>
        <source>What may be used for training. A device can be stricter than the page “When to run”.</source>
        <translation>可以用于训练的设备。设备的规则可以比“何时运行”页面更严格。</translation>
    </message>
    <message>
        <source>Pause while one of these programs runs</source>
        <translation>下列程序之一运行时暂停</translation>
    </message>
    <message>
        <source>Names with commas between them, for example blender, kdenlive</source>
        <translation>名称以逗号分隔，例如 blender, kdenlive</translation>
    </message>
    <message>
        <source>Please give the names without folders.</source>
        <translation>请只填写名称，不带文件夹。</translation>
    </message>
    <message>
        <source>Charge the battery first, to</source>
        <translation>先将电池充到</translation>
    </message>
    <message>
        <source>any charge</source>
        <translation>任意电量</translation>
    </message>
    <message>
        <source>Pause while the computer saves power</source>
        <translation>电脑省电时暂停</translation>
    </message>
    <message>
        <source>Pause during games</source>
        <translation>游戏期间暂停</translation>
    </message>
    <message>
        <source>Games that use GameMode are noticed.</source>
        <translation>可识别使用 GameMode 的游戏。</translation>
    </message>
    <message>
        <source>Videos count as use</source>
        <translation>播放视频视为使用电脑</translation>
    </message>
    <message>
        <source>Any program that keeps the screen awake does.</source>
        <translation>任何保持屏幕常亮的程序也是如此。</translation>
    </message>
    <message>
        <source>Pause when other programs use the processor for</source>
        <translation>其他程序占用处理器达到此值时暂停</translation>
    </message>
    <message>
        <source>The mean of a minute counts.</source>
        <translation>以一分钟的平均值计。</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>Pace</source>
        <translation>节奏</translation>
    </message>
    <message>
        <source>Quiet takes a quarter of the cores and rests half of the time; balanced takes half of the cores; full takes all of them.</source>
        <translation>安静：使用四分之一核心，一半时间休息；均衡：使用一半核心；全力：使用所有核心。</translation>
    </message>
    <message>
        <source>Quiet</source>
        <translation>安静</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>全力</translation>
    </message>
    <message>
        <source>as the pace says</source>
        <translation>由节奏决定</translation>
    </message>
    <message>
        <source>Processor at most</source>
        <translation>处理器最高</translation>
    </message>
    <message>
        <source>Training goes on when it is 10 degrees cooler.</source>
        <translation>降低 10 度后继续训练。</translation>
    </message>
    <message>
        <source> °C</source>
        <translation> °C</translation>
    </message>
    <message>
        <source>Graphics card at most</source>
        <translation>显卡最高</translation>
    </message>
    <message>
        <source>Wait while the network is paid by volume</source>
        <translation>网络按流量计费时等待</translation>
    </message>
    <message>
        <source>Models, text and results wait; a few kilobytes to ask for work do not.</source>
        <translation>模型、文本和结果会等待；请求任务的几千字节除外。</translation>
    </message>
    <message>
        <source>Train even without confinement</source>
        <translation>无法隔离时也训练</translation>
    </message>
    <message>
        <source>Normally the training program is cut off from your files and the network by the system, and does not start where that is not possible.</source>
        <translation>通常，系统会将训练程序与您的文件和网络隔离；无法隔离时，它不会启动。</translation>
    </message>
</context>
<context>
    <name>Text</name>
    <message>
        <source>%1 million</source>
        <translation>%1 百万</translation>
    </message>
    <message>
        <source>%1 billion</source>
        <comment>10 to the 9th</comment>
        <translation>%1 十亿</translation>
    </message>
    <message>
        <source>%1 trillion</source>
        <comment>10 to the 12th</comment>
        <translation>%1 万亿</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 词元</translation>
    </message>
    <message>
        <source>%1 tokens per second</source>
        <translation>每秒 %1 词元</translation>
    </message>
    <message>
        <source>less than %1 %</source>
        <translation>不到 %1 %</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 hours</source>
        <translation>%1 小时</translation>
    </message>
    <message>
        <source>reserved for this computer</source>
        <translation>已为本机保留</translation>
    </message>
    <message>
        <source>ready to start</source>
        <translation>准备开始</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练中</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>finished, not sent yet</source>
        <translation>已完成，尚未发送</translation>
    </message>
    <message>
        <source>being handed in</source>
        <translation>正在提交</translation>
    </message>
    <message>
        <source>handed in</source>
        <translation>已提交</translation>
    </message>
    <message>
        <source>did not work out</source>
        <translation>未能完成</translation>
    </message>
    <message>
        <source>no longer needed</source>
        <translation>不再需要</translation>
    </message>
    <message>
        <source>being fetched</source>
        <translation>正在获取</translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s)</source>
        <translation>
            <numerusform>%n 分钟</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 trillion tokens</source>
        <comment>10 to the 12th</comment>
        <translation>%1 万亿词元</translation>
    </message>
    <message>
        <source>%1 billion tokens</source>
        <comment>10 to the 9th</comment>
        <translation>%1 十亿词元</translation>
    </message>
    <message>
        <source>%1 million tokens</source>
        <translation>%1 百万词元</translation>
    </message>
</context>
<context>
    <name>commonweight::app::DeviceCard</name>
    <message>
        <source>Waiting for work</source>
        <translation>等待工作</translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation>等待中：%1</translation>
    </message>
    <message>
        <source>Getting ready</source>
        <translation>正在准备</translation>
    </message>
    <message>
        <source>Working on a unit</source>
        <translation>正在处理一个单元</translation>
    </message>
    <message>
        <source>Progress of %1</source>
        <translation>%1 的进度</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Done in %1</source>
        <translation>%1后完成</translation>
    </message>
</context>
<context>
    <name>commonweight::app::HistoryChart</name>
    <message>
        <source>Units handed in, by day</source>
        <translation>每天提交的单元</translation>
    </message>
    <message numerus="yes">
        <source>%n unit(s) in %1 days</source>
        <translation>
            <numerusform>%1 天内 %n 个单元</numerusform>
        </translation>
    </message>
    <message>
        <source>today</source>
        <translation>今天</translation>
    </message>
</context>
<context>
    <name>commonweight::app::LogPage</name>
    <message>
        <source>Copy all</source>
        <translation>全部复制</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Copy the whole log</source>
        <translation>复制整个日志</translation>
    </message>
    <message>
        <source>Nothing has happened yet</source>
        <translation>还没有发生任何事</translation>
    </message>
    <message>
        <source>What Commonweight does is written down here, in plain words.</source>
        <translation>Commonweight 所做的事情会用通俗的语言记录在这里。</translation>
    </message>
</context>
<context>
    <name>commonweight::app::LossChart</name>
    <message>
        <source>trillion tokens read by everybody</source>
        <translation>所有人共同读取的词元（万亿）</translation>
    </message>
    <message>
        <source>billion tokens read by everybody</source>
        <translation>所有人共同读取的词元（十亿）</translation>
    </message>
    <message>
        <source>million tokens read by everybody</source>
        <translation>所有人共同读取的词元（百万）</translation>
    </message>
    <message>
        <source>thousand tokens read by everybody</source>
        <translation>所有人共同读取的词元（千）</translation>
    </message>
    <message>
        <source>tokens read by everybody</source>
        <translation>所有人共同读取的词元</translation>
    </message>
    <message>
        <source>Loss of the shared model</source>
        <translation>共享模型的损失</translation>
    </message>
    <message>
        <source>It fell from %1 to %2 over %3.</source>
        <translation>它在 %3 中从 %1 降到 %2。</translation>
    </message>
    <message>
        <source>everybody: %1</source>
        <translation>所有人：%1</translation>
    </message>
    <message>
        <source>your units</source>
        <translation>您的单元</translation>
    </message>
    <message>
        <source>Version %1: loss %2 after %3</source>
        <translation>版本 %1：%3后损失 %2</translation>
    </message>
</context>
<context>
    <name>commonweight::app::MainWindow</name>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>概览</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>工作</translation>
    </message>
    <message>
        <source>Transfers</source>
        <translation>传输</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Join another project…</source>
        <translation>加入另一个项目…</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>About Commonweight</source>
        <translation>关于 Commonweight</translation>
    </message>
    <message>
        <source>Close this window</source>
        <translation>关闭此窗口</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Commonweight %1</source>
        <translation>Commonweight %1</translation>
    </message>
    <message>
        <source>Trains language models on the computers of volunteers. Free software under the Apache License 2.0.</source>
        <translation>在志愿者的计算机上训练语言模型。基于 Apache 许可证 2.0 的自由软件。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>commonweight::app::ModelCard</name>
    <message>
        <source>No measurement yet</source>
        <translation>还没有测量值</translation>
    </message>
    <message>
        <source>The curve starts when the project has merged its first contributions. Every unit that you finish takes part in it.</source>
        <translation>项目合并首批贡献后，曲线就会开始。您完成的每个单元都会参与其中。</translation>
    </message>
    <message>
        <source>The shared model</source>
        <translation>共享模型</translation>
    </message>
    <message>
        <source>Shared model: %1</source>
        <translation>共享模型：%1</translation>
    </message>
    <message>
        <source>loss %1</source>
        <translation>损失 %1</translation>
    </message>
    <message>
        <source>How surprised the model is by text it has never seen, in nats per byte. Lower is better.</source>
        <translation>模型对从未见过的文本的惊讶程度，单位为每字节奈特。越低越好。</translation>
    </message>
    <message>
        <source>Everybody trains this one model together.</source>
        <translation>大家共同训练这一个模型。</translation>
    </message>
    <message>
        <source>%1 less surprised by unseen text than at the start</source>
        <translation>对未见过的文本的惊讶程度比开始时低 %1</translation>
    </message>
</context>
<context>
    <name>commonweight::app::ModelPage</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>newest version</source>
        <translation>最新版本</translation>
    </message>
    <message>
        <source>loss on unseen text</source>
        <translation>在未见文本上的损失</translation>
    </message>
    <message>
        <source>How far the training has come</source>
        <translation>训练的进展</translation>
    </message>
    <message>
        <source>Who trains it</source>
        <translation>谁在训练它</translation>
    </message>
    <message>
        <source>Nobody has handed in a unit yet. Yours could be the first.</source>
        <translation>还没有人提交过单元。您的可能会是第一个。</translation>
    </message>
    <message>
        <source>Contributors</source>
        <translation>贡献者</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>单元</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Leave this project…</source>
        <translation>离开此项目…</translation>
    </message>
    <message>
        <source>The shared model</source>
        <translation>共享模型</translation>
    </message>
    <message>
        <source>%1 of %2 planned</source>
        <translation>已读 %1，计划 %2</translation>
    </message>
    <message>
        <source>a volunteer without a name</source>
        <translation>一位未署名的志愿者</translation>
    </message>
    <message>
        <source>Leave %1?</source>
        <translation>离开 %1？</translation>
    </message>
    <message>
        <source>Unfinished units go back to the project. What you have handed in stays part of the model. You can join again at any time.</source>
        <translation>未完成的单元会退回项目。您已提交的内容仍是模型的一部分。您可以随时再次加入。</translation>
    </message>
    <message>
        <source>Leave</source>
        <translation>离开</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>留下</translation>
    </message>
    <message>
        <source>One language model that all volunteers train together. Each of them trains a copy on its own piece of text for a while and hands in what it has learnt; the project merges this into the next version. Anybody can download the newest version.</source>
        <translation>一个由所有志愿者共同训练的语言模型。每个人用自己的一段文本训练一份副本，然后提交它学到的内容；项目将其合并为下一个版本。任何人都可以下载最新版本。</translation>
    </message>
</context>
<context>
    <name>commonweight::app::OverviewPage</name>
    <message>
        <source>Your part: nothing yet. The first unit counts as soon as it is handed in.</source>
        <translation>您的贡献：暂无。第一个单元提交后即开始计算。</translation>
    </message>
    <message>
        <source>Your part: %1, %2, %3 of this model</source>
        <translation>您的贡献：%1，%2，占此模型的 %3</translation>
    </message>
    <message numerus="yes">
        <source>%n unit(s)</source>
        <translation>
            <numerusform>%n 个单元</numerusform>
        </translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>概览</translation>
    </message>
    <message>
        <source>No device that can train has been found yet. Commonweight keeps looking.</source>
        <translation>还没有找到可以训练的设备。Commonweight 会继续寻找。</translation>
    </message>
</context>
<context>
    <name>commonweight::app::PauseMenu</name>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>For 15 minutes</source>
        <translation>15 分钟</translation>
    </message>
    <message>
        <source>For 1 hour</source>
        <translation>1 小时</translation>
    </message>
    <message>
        <source>For 3 hours</source>
        <translation>3 小时</translation>
    </message>
    <message>
        <source>Until I resume</source>
        <translation>直到我恢复</translation>
    </message>
    <message>
        <source>Until tomorrow morning (%1)</source>
        <translation>直到明天早上（%1）</translation>
    </message>
</context>
<context>
    <name>commonweight::app::SavingDialog</name>
    <message>
        <source>Saving the work done so far…</source>
        <translation>正在保存已完成的工作…</translation>
    </message>
    <message>
        <source>This takes a few seconds. Nothing is lost.</source>
        <translation>这需要几秒钟。不会丢失任何内容。</translation>
    </message>
    <message>
        <source>Saving</source>
        <translation>正在保存</translation>
    </message>
</context>
<context>
    <name>commonweight::app::SettingRow</name>
    <message>
        <source>🔒 Fixed by the administrator of this computer</source>
        <translation>🔒 由此电脑的管理员固定</translation>
    </message>
</context>
<context>
    <name>commonweight::app::SettingsDialog</name>
    <message>
        <source>Settings – Commonweight</source>
        <translation>设置 – Commonweight</translation>
    </message>
    <message>
        <source>Pages of the settings</source>
        <translation>设置页面</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Restore defaults</source>
        <translation>恢复默认值</translation>
    </message>
    <message>
        <source>The defaults of this page; the other pages stay as they are</source>
        <translation>此页的默认值；其他页面保持不变</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Takes back the last change</source>
        <translation>撤回上一次更改</translation>
    </message>
</context>
<context>
    <name>commonweight::app::Shell</name>
    <message>
        <source>Commonweight keeps running</source>
        <translation>Commonweight 会继续运行</translation>
    </message>
    <message>
        <source>The window closes, but Commonweight stays in the tray, beside the clock, and goes on helping while you are away. To open it again, click its icon. To end it, choose Quit in the icon&apos;s menu.</source>
        <translation>窗口会关闭，但 Commonweight 会留在时钟旁边的托盘中，在您离开时继续帮忙。要再次打开，请点击其图标。要结束，请在图标的菜单中选择“退出”。</translation>
    </message>
    <message>
        <source>All right</source>
        <translation>好的</translation>
    </message>
    <message>
        <source>Quit instead</source>
        <translation>还是退出吧</translation>
    </message>
    <message>
        <source>Keep helping in the background?</source>
        <translation>在后台继续帮忙？</translation>
    </message>
    <message>
        <source>This desktop has no tray, so Commonweight would stay as a minimised window. If you quit, training goes on from where it was at the next start.</source>
        <translation>此桌面没有托盘，因此 Commonweight 会保持为最小化的窗口。如果退出，下次启动时训练会从原处继续。</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Keep it minimised</source>
        <translation>保持最小化</translation>
    </message>
    <message>
        <source>Commonweight will not start by itself</source>
        <translation>Commonweight 不会自动启动</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>commonweight::app::StatisticsPage</name>
    <message>
        <source>What everybody did together appears here when the project can be reached.</source>
        <translation>能够连接项目时，大家共同的成果会显示在这里。</translation>
    </message>
    <message numerus="yes">
        <source>%n computer(s)</source>
        <translation>
            <numerusform>%n 台计算机</numerusform>
        </translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>units handed in</source>
        <translation>已提交的单元</translation>
    </message>
    <message>
        <source>tokens trained on</source>
        <translation>已训练的词元</translation>
    </message>
    <message>
        <source>of computing</source>
        <translation>计算时间</translation>
    </message>
    <message>
        <source>of the shared model</source>
        <translation>占共享模型</translation>
    </message>
    <message>
        <source>Your days</source>
        <translation>您的每一天</translation>
    </message>
    <message numerus="yes">
        <source>The newest %n unit(s), by the day they were handed in</source>
        <translation>
            <numerusform>最新的 %n 个单元，按提交日期</numerusform>
        </translation>
    </message>
    <message>
        <source>Units by the day they were handed in</source>
        <translation>按提交日期的单元</translation>
    </message>
    <message>
        <source>Everybody together: %1 in %2 contributions. Taking part at present: %3.</source>
        <translation>大家共同：%1，来自 %2 次贡献。目前参与：%3。</translation>
    </message>
</context>
<context>
    <name>commonweight::app::StatusHeader</name>
    <message>
        <source>Using %1 while you are away</source>
        <translation>在您离开时使用 %1</translation>
    </message>
    <message>
        <source>Using %1</source>
        <translation>正在使用 %1</translation>
    </message>
    <message>
        <source>Lasts until you press Resume</source>
        <translation>直到您点击“恢复”</translation>
    </message>
    <message>
        <source>Goes on by itself in %1</source>
        <translation>%1后自动继续</translation>
    </message>
    <message>
        <source>Nothing to do for you – training starts by itself</source>
        <translation>您无需做任何事 – 训练会自动开始</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Pause training</source>
        <translation>暂停训练</translation>
    </message>
    <message>
        <source>Resume training</source>
        <translation>恢复训练</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TaskModel</name>
    <message>
        <source>Unit</source>
        <translation>单元</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>自</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TransferRow</name>
    <message>
        <source>Sending</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Fetching</source>
        <translation>获取</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TransfersPage</name>
    <message>
        <source>Transfers</source>
        <translation>传输</translation>
    </message>
    <message>
        <source>Nothing is on its way</source>
        <translation>目前没有传输</translation>
    </message>
    <message>
        <source>The model and the text of a unit are fetched before training, and what was learnt is sent afterwards. You can watch it here.</source>
        <translation>训练前会获取单元的模型和文本，之后发送学到的内容。您可以在这里查看。</translation>
    </message>
</context>
<context>
    <name>commonweight::app::TrayIcon</name>
    <message>
        <source>Resume</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Open Commonweight</source>
        <translation>打开 Commonweight</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
</context>
<context>
    <name>commonweight::app::WelcomePage</name>
    <message>
        <source>Welcome</source>
        <translation>欢迎</translation>
    </message>
    <message>
        <source>Many computers train one language model, each a little. What comes out belongs to everybody.</source>
        <translation>许多计算机共同训练一个语言模型，每台出一点力。成果属于所有人。</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>它会做什么</translation>
    </message>
    <message numerus="yes">
        <source>Trains when nobody has used this computer for %n minute(s), and stops as soon as you come back.</source>
        <translation>
            <numerusform>当 %n 分钟内没有人使用本机时进行训练，您一回来就停止。</numerusform>
        </translation>
    </message>
    <message>
        <source>Uses the graphics card, or half of the processor&apos;s cores.</source>
        <translation>使用显卡，或处理器一半的核心。</translation>
    </message>
    <message>
        <source>Pauses on battery, and whenever you say so – one click in the tray.</source>
        <translation>使用电池时暂停，也可随时由您暂停 – 在托盘中点击一下即可。</translation>
    </message>
    <message>
        <source>Keeps at most %1 GB on the disk and leaves %2 GB free.</source>
        <translation>最多占用磁盘 %1 GB，并保留 %2 GB 可用空间。</translation>
    </message>
    <message>
        <source>What it never does</source>
        <translation>它绝不会做什么</translation>
    </message>
    <message>
        <source>Starts anything before you press the button below.</source>
        <translation>在您按下面的按钮之前启动任何东西。</translation>
    </message>
    <message>
        <source>Runs programs that somebody sends: a project sends data only.</source>
        <translation>运行别人发来的程序：项目只发送数据。</translation>
    </message>
    <message>
        <source>Looks at your files or asks for an account. No name is needed.</source>
        <translation>查看您的文件或要求注册账户。不需要姓名。</translation>
    </message>
    <message>
        <source>Keeps the computer awake.</source>
        <translation>阻止计算机休眠。</translation>
    </message>
    <message>
        <source>Address of the project</source>
        <translation>项目的地址</translation>
    </message>
    <message>
        <source>Start Commonweight when I log in</source>
        <translation>登录时启动 Commonweight</translation>
    </message>
    <message>
        <source>Looking for the project</source>
        <translation>正在查找项目</translation>
    </message>
    <message>
        <source>Start helping</source>
        <translation>开始帮忙</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Everything can be changed later in the settings, and ended with one click.</source>
        <translation>以后可以在设置中更改一切，也可以一键结束。</translation>
    </message>
    <message>
        <source>Projects that look for help</source>
        <translation>正在寻求帮助的项目</translation>
    </message>
    <message>
        <source>Another one, by its address</source>
        <translation>其他项目，通过地址</translation>
    </message>
    <message>
        <source>Train a language model together</source>
        <translation>共同训练一个语言模型</translation>
    </message>
    <message>
        <source>Join another project</source>
        <translation>加入另一个项目</translation>
    </message>
    <message>
        <source>Looking for the project…</source>
        <translation>正在查找项目…</translation>
    </message>
    <message>
        <source>It was not possible to join. Details: %1</source>
        <translation>无法加入。详情：%1</translation>
    </message>
</context>
<context>
    <name>commonweight::app::WorkPage</name>
    <message>
        <source>Hand back…</source>
        <translation>退回…</translation>
    </message>
    <message>
        <source>Hand the chosen unit back</source>
        <translation>退回所选的单元</translation>
    </message>
    <message>
        <source>A unit is a piece of text that this computer trains the shared model on.</source>
        <translation>单元是一段文本，本机用它来训练共享模型。</translation>
    </message>
    <message>
        <source>No work yet</source>
        <translation>还没有工作</translation>
    </message>
    <message>
        <source>As soon as this computer may train, it asks the project for a unit and works on it here.</source>
        <translation>一旦本机可以训练，就会向项目请求一个单元并在这里处理。</translation>
    </message>
    <message>
        <source>Work units</source>
        <translation>工作单元</translation>
    </message>
    <message>
        <source>Hand unit %1 back to its project?</source>
        <translation>将单元 %1 退回其项目？</translation>
    </message>
    <message>
        <source>Somebody else will get it. What this computer has trained in this unit so far will not count.</source>
        <translation>它会交给其他人。本机到目前为止在此单元中的训练将不计入。</translation>
    </message>
    <message>
        <source>Hand it back</source>
        <translation>退回</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>保留</translation>
    </message>
</context>
</TS>
