// Uploads a file with tus-js-client: node client.mjs <endpoint> <file> <promised sha256> <mode>. Prints one line of JSON.
import { readFileSync } from 'node:fs'
import * as tus from 'tus-js-client'

const [endpoint, file, sha256, mode] = process.argv.slice(2)
const data = readFileSync(file)
const common = { endpoint, metadata: { sha256, filename: 'result.safetensors' }, retryDelays: [0, 100, 300] }
const chunkSize = 1024 * 1024

function upload(options, onStart = () => {}) {
  return new Promise((resolve) => {
    const made = new tus.Upload(data, {
      ...common,
      ...options,
      onSuccess: () => resolve({ ok: true, url: made.url }),
      onError: (error) =>
        resolve({ ok: false, status: error.originalResponse?.getStatus() ?? 0, message: String(error) }),
      onChunkComplete: (size, accepted, total) => options.onChunk?.(made, accepted, total, resolve),
    })
    onStart(made)
    made.start()
  })
}

// Stops after the second chunk, as if the program had been ended.
const interrupted = () =>
  upload({
    chunkSize,
    onChunk: (made, accepted, total, resolve) => {
      if (accepted >= 2 * chunkSize) made.abort().then(() => resolve({ ok: true, url: made.url, accepted }))
    },
  })

const modes = {
  whole: () => upload({}),
  chunks: () => upload({ chunkSize }),
  duringCreation: () => upload({ chunkSize, uploadDataDuringCreation: true }),
  override: () => upload({ chunkSize, overridePatchMethod: true }),
  resume: async () => {
    const first = await interrupted()
    let lowest = Infinity
    const onChunk = (made, accepted) => (lowest = Math.min(lowest, accepted))
    const second = await upload({ chunkSize, uploadUrl: first.url, onChunk })
    return { ...second, sameUrl: first.url === second.url, interruptedAt: first.accepted, resumedAbove: lowest }
  },
  terminate: async () => {
    const first = await interrupted()
    await tus.Upload.terminate(first.url, { retryDelays: [] })
    const left = await fetch(first.url, { method: 'HEAD', headers: { 'Tus-Resumable': '1.0.0' } })
    return { ok: true, statusAfter: left.status }
  },
}

console.log(JSON.stringify(await modes[mode]()))
