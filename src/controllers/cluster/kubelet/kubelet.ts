// The kubelet of simulated nodes: serves the logs and streams of containers as a kubelet does, over connections within this process.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect as connectTcp } from 'node:net'
import { type Duplex, duplexPair } from 'node:stream'
import type { WebSocket } from 'ws'
import type { ContainerStatus, Pod } from '../../../api/gen/kinds.ts'
import { annotationsOf } from '../../../api/object-members.ts'
import { own } from '../../../api/value.ts'
import { createServer } from '../../../lib/node-http.ts'
import { serveSpdy } from '../../../wire/spdy.ts'
import { logBytes, logOptions } from './container-log.ts'
import { CHANNEL_PROTOCOLS, channelsOf, type ContainerStream, SpdyStreams, streamOfSocket } from './container-stream.ts'
import type { ContainerName, SimulatedContainers } from './containers.ts'
import { forwardPorts, PORT_PROTOCOL } from './port-forward.ts'

export interface KubeletParts {
  readonly containers: SimulatedContainers
  findPod(namespace: string, name: string, signal: AbortSignal): Promise<Pod | undefined>
  /** Resolves when the pod is gone, or `isSame` is false for it. */
  untilChanged(pod: Pod, isSame: (now: Pod) => boolean, signal: AbortSignal): Promise<void>
  readonly nowMs: () => number
}

const LOG = 'quarterdeck.dev/log'
const TUNNEL_PROTOCOL = `SPDY/3.1+${PORT_PROTOCOL}`
const LONGEST_MESSAGE = 1024 * 1024
/** A client that does not read gets no answers to pings while this much waits for it. */
const MOST_UNREAD = 256 * 1024
/** The versions for exec over SPDY, the best first. The fifth version exists for WebSockets only. */
const SPDY_PROTOCOLS: readonly string[] = ['v4.channel.k8s.io']

/** The answer to the client if there is no stream. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export class SimulatedKubelet {
  readonly #parts: KubeletParts
  readonly #server: Server

  constructor(parts: KubeletParts) {
    this.#parts = parts
    this.#server = createServer((request, response) => void this.#answer(request, response))
    this.#server.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket, head))
  }

  /** A new connection to the kubelet. */
  connect(): Duplex {
    const [near, far] = duplexPair()
    this.accept(far)
    return near
  }

  accept(socket: Duplex): void {
    this.#server.emit('connection', socket)
  }

  /** A connection to a port of a pod. Throws if nothing listens there. */
  async connectTo(namespace: string, pod: string, port: number): Promise<Duplex> {
    const found = await this.#parts.containers.port?.({ namespace, pod, port })
    if (found === undefined) throw new Error(`dial tcp: port ${port} of pod ${pod}: connect: connection refused`)
    if (typeof found !== 'number') return found
    const socket = connectTcp({ port: found, host: '127.0.0.1', noDelay: true })
    await new Promise<void>((resolve, reject) => void socket.once('connect', resolve).once('error', reject))
    return socket
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    try {
      const { parts, query } = placeOf(request)
      if (parts[0] === 'healthz') return void response.end('ok')
      if (parts[0] !== 'containerLogs') throw new Refusal(404, '404 page not found\n')
      const pieces = await this.#log(nameOf(parts), query, gone.signal)
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.flushHeaders()
      for await (const piece of pieces) {
        if (!response.write(piece))
          await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
      }
      response.end()
    } catch (error) {
      if (response.headersSent) return void response.destroy()
      const { status, message } = refusalOf(error)
      response.writeHead(status, { 'content-type': 'text/plain' }).end(message)
    }
  }

  async #log(name: ContainerName, query: URLSearchParams, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const { containers, nowMs } = this.#parts
    const pod = await this.#pod(name, signal)
    const status = statusIn(pod, name.container)
    const previous = query.get('previous') === 'true'
    const run = previous ? status?.lastState : status?.state
    if (previous && run?.terminated === undefined) {
      const text = `previous terminated container ${quote(name.container)} in pod ${quote(name.pod)} not found`
      throw new Refusal(400, text)
    }
    const last = run?.running ?? run?.terminated ?? status?.lastState.terminated
    if (last === undefined) {
      const reason = status?.state.waiting?.reason ?? 'ContainerCreating'
      const container = `container ${quote(name.container)} in pod ${quote(name.pod)}`
      throw new Refusal(400, `${container} is waiting to start: ${reason}`)
    }
    const options = logOptions(query, nowMs())
    const lines =
      containers.logs?.({ ...name, previous, follow: options.follow, signal }) ?? annotated(pod, name.container)
    const writtenAtMs = Date.parse(last.startedAt ?? '')
    const id = status?.containerID
    const isRunning = (now: Pod): boolean => {
      const { state, containerID } = statusIn(now, name.container) ?? {}
      return state?.running !== undefined && containerID === id
    }
    const over = async (until: AbortSignal): Promise<void> => {
      if (!previous) await this.#parts.untilChanged(pod, isRunning, until)
    }
    return logBytes({ lines, writtenAtMs, nowMs, over }, options, signal)
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => {})
    try {
      const { parts, query } = placeOf(request)
      if (parts[0] === 'portForward') await this.#forward({ request, socket, head }, parts)
      else if (parts[0] === 'exec' || parts[0] === 'attach') {
        const name = nameOf(parts)
        await this.#checkRunning(name)
        const run = (stream: ContainerStream): Promise<void> => this.#run(parts[0] ?? '', { name, query, stream })
        await openStream({ request, socket, head }, query, run)
      } else throw new Refusal(404, '404 page not found\n')
    } catch (error) {
      const { status, message } = refusalOf(error)
      const lines = [
        `HTTP/1.1 ${status} Refused`,
        'content-type: text/plain',
        `content-length: ${Buffer.byteLength(message)}`,
      ]
      socket.end(`${lines.join('\r\n')}\r\nconnection: close\r\n\r\n${message}`)
    }
  }

  async #checkRunning(name: ContainerName): Promise<void> {
    const pod = await this.#pod(name, new AbortController().signal)
    if (statusIn(pod, name.container)?.state.running === undefined) {
      throw new Refusal(500, `container not found (${quote(name.container)})`)
    }
  }

  async #run(verb: string, { name, query, stream }: Running): Promise<void> {
    try {
      if (verb === 'attach') {
        const log = await this.#log(name, new URLSearchParams('follow=true&tailLines=0'), stream.signal)
        for await (const piece of log) await stream.stdout(piece)
        await stream.end(SUCCESS)
        return
      }
      const { exec } = this.#parts.containers
      if (exec === undefined) throw new Error('the container is simulated: it runs no commands')
      const { stdin, stdout, stderr, signal } = stream
      const tty = channelsOf(query).tty
      const code = await exec({ ...name, command: query.getAll('command'), tty, stdin, stdout, stderr, signal })
      await stream.end(statusOfExit(code ?? 0))
    } catch (error) {
      const text = `error executing command in container: ${error instanceof Error ? error.message : String(error)}`
      const message = `Internal error occurred: ${text}`
      await stream.end({ metadata: {}, status: 'Failure', reason: 'InternalError', message, code: 500 })
    }
  }

  async #forward(upgrade: Upgrade, [, namespace = '', pod = '']: readonly string[]): Promise<void> {
    await this.#pod({ namespace, pod }, new AbortController().signal)
    const connect = async (port: number): Promise<Duplex> => {
      try {
        return await this.connectTo(namespace, pod, port)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        throw new Error(`error forwarding port ${port} to pod ${pod}: ${why}`, { cause: error })
      }
    }
    if (isWebSocket(upgrade.request)) {
      const { createWebSocketStream } = await import('ws')
      const socket = await openSocket(upgrade, [TUNNEL_PROTOCOL])
      await forwardPorts(createWebSocketStream(socket), connect).catch(() => socket.terminate())
    } else {
      switchToSpdy(upgrade, [PORT_PROTOCOL])
      await forwardPorts(upgrade.socket, connect).catch(() => upgrade.socket.destroy())
    }
  }

  async #pod({ namespace, pod }: Omit<ContainerName, 'container'>, signal: AbortSignal): Promise<Pod> {
    const found = await this.#parts.findPod(namespace, pod, signal)
    if (found === undefined) throw new Refusal(404, `pod ${quote(`${pod}_${namespace}`)} not found`)
    return found
  }
}

interface Running {
  readonly name: ContainerName
  readonly query: URLSearchParams
  readonly stream: ContainerStream
}

interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

/** Calls `run` with the channels of a WebSocket or of SPDY. Resolves when the work or the connection has ended. */
async function openStream(
  upgrade: Upgrade,
  query: URLSearchParams,
  run: (stream: ContainerStream) => Promise<void>,
): Promise<void> {
  const channels = channelsOf(query)
  if (isWebSocket(upgrade.request)) {
    await run(streamOfSocket(await openSocket(upgrade, CHANNEL_PROTOCOLS), channels))
    return
  }
  switchToSpdy(upgrade, SPDY_PROTOCOLS)
  const gone = new AbortController()
  const streams = new SpdyStreams(channels)
  void streams.stream(gone.signal).then(run)
  try {
    await serveSpdy(upgrade.socket, (stream) => streams.add(stream))
  } catch {
    upgrade.socket.destroy()
  }
  gone.abort()
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/** Throws `Refusal` if the client offers none of the protocols. */
async function openSocket({ request, socket, head }: Upgrade, protocols: readonly string[]): Promise<WebSocket> {
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim())
  const chosen = protocols.find((one) => offered.includes(one))
  if (chosen === undefined) throw new Refusal(400, `none of the protocols is known: ${offered.join(', ')}`)
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: LONGEST_MESSAGE,
    handleProtocols: () => chosen,
  })
  return new Promise((resolve, reject) => {
    server.once('wsClientError', reject)
    server.handleUpgrade(request, socket, head, (opened) => {
      opened.on('ping', (data) => {
        if (opened.bufferedAmount < MOST_UNREAD) opened.pong(data)
      })
      resolve(opened)
    })
  })
}

function switchToSpdy({ request, socket, head }: Upgrade, protocols: readonly string[]): void {
  const offered = [request.headers['x-stream-protocol-version'] ?? []].flat().join(',').split(',')
  const chosen = protocols.find((one) => offered.some((each) => each.trim() === one))
  if (chosen === undefined) throw new Refusal(403, `none of the protocols is known: ${offered.join(', ')}`)
  if (head.length > 0) socket.unshift(head)
  const lines = ['Connection: Upgrade', 'Upgrade: SPDY/3.1', `X-Stream-Protocol-Version: ${chosen}`]
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`)
}

function placeOf({ url = '' }: IncomingMessage): {
  readonly parts: readonly string[]
  readonly query: URLSearchParams
} {
  const { pathname, searchParams: query } = new URL(url, 'http://kubelet')
  return { parts: pathname.split('/').slice(1).map(decodeURIComponent), query }
}

function nameOf([, namespace = '', pod = '', container = '']: readonly string[]): ContainerName {
  return { namespace, pod, container }
}

function statusIn({ status }: Pod, container: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status
  const all = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses]
  return all.find(({ name }) => name === container)
}

function annotated(pod: Pod, container: string): string {
  const annotations = annotationsOf(pod)
  return own(annotations, `${LOG}.${container}`) ?? own(annotations, LOG) ?? ''
}

const SUCCESS = { metadata: {}, status: 'Success' } as const

function statusOfExit(code: number): object {
  if (code === 0) return SUCCESS
  const message = `command terminated with non-zero exit code: exit status ${code}`
  const details = { causes: [{ reason: 'ExitCode', message: String(code) }] }
  return { metadata: {}, status: 'Failure', reason: 'NonZeroExitCode', message, details }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  return new Refusal(500, error instanceof Error ? error.message : String(error))
}

const quote = (text: string): string => JSON.stringify(text)
