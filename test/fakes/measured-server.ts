// A server as its users run it, in a process of its own: what is measured of it is not the client's.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { peakBytesOf, threadMillisecondsOf } from './process-measures.ts'
import { type OpenServer, reachServer } from './running-server.ts'
import { ServerProcess } from './server-process.ts'

export interface MeasuredServer extends OpenServer {
  /** Of all of its threads, since its start. */
  processorMs(): number
  /** The most memory that it has had so far. */
  peakBytes(): number
}

/** In memory. Resolves when it listens. */
export async function startMeasuredServer(): Promise<MeasuredServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quarterdeck-measured-'))
  const server = new ServerProcess(['serve', '--in-memory', '--secure-port', '0'], folder, {})
  await server.listening()
  const { pid } = server.child
  const known = server.kubeconfig.clusters[0].cluster['certificate-authority-data'] ?? ''
  const { url, adminToken } = server
  const reached = reachServer({ url, adminToken, authority: Buffer.from(known, 'base64').toString() }, async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    ...reached,
    processorMs: () => threadMillisecondsOf(pid),
    peakBytes: () => peakBytesOf(pid),
  }
}
