// What deploy/haproxy.cfg does with a replica that shuts down, and with one that has stopped to answer.
import { once } from 'node:events'
import tls from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { RolledReplicas } from '../rigs/rolled-replicas.ts'

interface Reached {
  /** Tells the replicas apart: each has a certificate of its own. */
  readonly replica: string
  readonly socket: tls.TLSSocket
}

async function reach(url: string): Promise<Reached> {
  const { hostname, port } = new URL(url)
  const socket = tls.connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
  socket.on('error', () => {})
  return { replica: socket.getPeerCertificate().fingerprint256, socket }
}

async function ask(socket: tls.TLSSocket): Promise<string> {
  socket.write('GET /livez HTTP/1.1\r\nHost: replica\r\n\r\n')
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  return chunk.toString('latin1').slice(0, 'HTTP/1.1 200'.length)
}

it('a replica that shuts down keeps its connections and gets no others; one that does not answer is cut off', async () => {
  const replicas = await RolledReplicas.start({ count: 2, shutdownDelay: '10m' })
  const { urls } = await replicas.balanced()
  const url = urls[0]!
  const own = await Promise.all(replicas.urls.map(reach))
  const held = new Map<string, tls.TLSSocket>()
  const both = async (): Promise<number> => {
    const { replica, socket } = await reach(url)
    held.set(replica, socket)
    return held.size
  }
  await expect.poll(both).toBe(2)
  const [going, staying] = own.map(({ replica }) => held.get(replica)!)

  replicas.signal(0, 'SIGTERM')
  const newcomers = async (): Promise<readonly string[]> =>
    (await Promise.all(Array.from({ length: 6 }, () => reach(url)))).map(({ replica }) => replica)
  await expect.poll(newcomers).not.toContain(own[0]!.replica)
  expect(await ask(going!)).toBe('HTTP/1.1 200')

  replicas.signal(1, 'SIGSTOP')
  await once(staying!, 'close')
})
