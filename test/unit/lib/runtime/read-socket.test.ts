import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readAsStream, readInPlace } from '../../../../src/lib/runtime/read-socket.ts'

let server: Server
let client: Socket
let socket: Socket

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [accepted] = (await once(server, 'connection')) as [Socket]
  socket = accepted
})
afterEach(async () => {
  client.destroy()
  socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

// In place: fails where Node hands on what it reads in another way.
describe.each([
  ['in place', readInPlace],
  ['as a stream', readAsStream],
])('a socket that is read %s', (_way, readSocket) => {
  it('hands on all that comes, what came before included, and tells its end', async () => {
    client.write('early ')
    await once(socket, 'readable')
    let text = ''
    readSocket(socket, (chunk) => {
      text += chunk.toString()
      return true
    })
    client.end('late')
    await once(socket, 'end')
    expect(text).toBe('early late')
  })

  it('is not read while the reader wants nothing, and then all of it', async () => {
    let bytes = 0
    let wants = false
    const resume = readSocket(socket, (chunk) => {
      bytes += chunk.length
      return wants
    })
    const sent = 20_000_000
    client.end(Buffer.alloc(sent))
    await expect.poll(() => bytes).toBeGreaterThan(0)
    const before = bytes
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect([bytes - before < 1_000_000, client.writableLength > 0]).toEqual([true, true])
    wants = true
    resume()
    await once(socket, 'end')
    expect(bytes).toBe(sent)
  })
})
