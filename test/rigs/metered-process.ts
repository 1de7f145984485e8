// Imported into a server of a test before anything else: measures its turns, and tells of them to each connection to a socket of the test's.
import { createServer } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import { TurnMeter } from './turn-meter.ts'

/** The folder of the sockets; each process has one. */
const folder = process.env['TURN_METERS']
if (folder !== undefined && isMainThread) {
  const meter = new TurnMeter()
  const server = createServer((socket) => {
    void meter.longest().then((longest) => socket.on('error', () => undefined).end(JSON.stringify(longest)))
  })
  server.listen(`${folder}/${process.pid}`).unref()
}
