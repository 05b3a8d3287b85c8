#include "engine/agent/device_speeds.h"

#include "engine/base/json.h"

namespace commonweight::agent {

namespace {

constexpr const char* kSetting = "device_speeds";

} // namespace

DeviceSpeeds::DeviceSpeeds(AgentStore& store) : m_store(store)
{
    const auto text = store.setting(kSetting);
    if (!text || !*text)
        return;
    const auto json = parseJson(**text);
    if (!json || !json->is_object())
        return;
    for (const auto& [device, speed] : json->items())
        if (speed.is_number())
            m_speeds[device] = speed.get<double>();
}

double DeviceSpeeds::of(const std::string& device) const
{
    const auto found = m_speeds.find(device);
    return found == m_speeds.end() ? 0 : found->second;
}

void DeviceSpeeds::note(const std::string& device, double tokensPerSecond)
{
    if (tokensPerSecond > 0)
        m_speeds[device] = tokensPerSecond;
}

void DeviceSpeeds::save()
{
    (void)m_store.putSetting(kSetting, dumpJson(Json(m_speeds)));
}

} // namespace commonweight::agent
