// @tus/server with its file store: node server.mjs <folder> [port]. Prints its port, then serves until it is ended.
import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'

const [folder, port = '0'] = process.argv.slice(2)
const server = new Server({ path: '/files', datastore: new FileStore({ directory: folder }) })
const listening = server.listen({ host: '127.0.0.1', port: Number(port) }, () => {
  console.log(listening.address().port)
})
