// A library that is not a plug-in, or one of another version, for tst_registry.
#ifdef OLD_PLUGIN
namespace {
struct OldPlugin {
    const char* abi;
};
const OldPlugin kOldPlugin{"commonweight gpu 0, 0.0.1"};
} // namespace
extern "C" const void* commonweight_gpu_plugin()
{
    return &kOldPlugin;
}
#else
extern "C" int nothingOfInterest()
{
    return 0;
}
#endif
