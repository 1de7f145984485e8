// Puts the parts of the server together: opens the store, the service and the listener, and closes them in reverse order. If a step fails,
// the parts that are already open are closed again.
import { setTimeout as sleep } from 'node:timers/promises'
import { type ControllerParts, deregisterControllers } from '../controllers/controllers.ts'
import type { Extensible } from '../extensions/extensions.ts'
import { extensibleHere } from '../extensions/in-process.ts'
import type { FinishedRequest, InProcessConnection } from '../http/listener.ts'
import type { TlsRenewal } from '../http/tls-server.ts'
import type { MemoryKv } from '../kv/embedded/memory.ts'
import type { Kv } from '../kv/kv.ts'
import { type Log, logOf, setLogLevel } from '../lib/log.ts'
import { localUrl } from '../config/admin.ts'
import { shownAddress } from '../config/cluster-config.ts'
import type { Config } from '../config/config.ts'
import { runInBackground } from '../lib/background.ts'
import { giveBackMemory, nodesHeap } from '../lib/runtime/idle-memory.ts'
import { LateService } from './late-service.ts'
import { type Past, pastOf } from './past.ts'
import type { PeerQuestion } from '../workers/peers.ts'
import { listen } from './configured-listener.ts'
import { openFoundation, type ServerAccess, type StartOrder } from './foundation.ts'
import { openService } from './service.ts'
import { tellTaken } from '../config/live-config.ts'
import { newTicketKeys, renewTls } from '../config/tls-renewal.ts'

export type { ServerAccess, StartOrder }

export interface RunningServer extends ServerAccess {
  /** Never resolves. Rejects if a necessary part of the server has failed for good: stop the server then. */
  readonly failed: Promise<never>
  /** Undefined if the storage is not in memory. */
  readonly past: Past | undefined
  /** Takes functions that replace webhooks, in this process. */
  readonly extensible: Extensible
  /** A connection for a client in this process. */
  connect(): InProcessConnection
  readonly kv: Kv
  /** The store without injected faults, if it is in memory and the server's own. */
  readonly memory: MemoryKv | undefined
  /**
   * Resolves when the server is composed, with the parts for its controllers. A server that continues from another's state is composed by
   * this call or by its first request.
   */
  awake(): Promise<ControllerParts>
  /** Answers a question of another worker of this server. */
  answerPeer(question: PeerQuestion): Promise<unknown>
  /**
   * Applies the changes of the configuration that a running server can apply, and reads all files again: certificates, authorities, tokens,
   * policies, the audit log's file. Throws nothing.
   */
  reload(next?: Config): void
  /** Finishes open requests and closes everything, in order. All calls wait for the same end. */
  stop(how?: Stopping): Promise<void>
}

export interface Stopping {
  /** Whether another process serves the same address. Then clients need not look for another server. */
  readonly isReplaced?: boolean
}

/** The time that a stopping replica may take to notify the others. */
const LEAVE_WITHIN_MS = 3_000

/** Resolves when the server is ready. Throws a `StartError` of one line if it cannot start. */
export async function startServer(order: StartOrder): Promise<RunningServer> {
  const opened = new AsyncDisposableStack()
  try {
    return await compose(order, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** The steps of a start, in order. Each step's resources are closed in the reverse order. */
async function compose(order: StartOrder, opened: AsyncDisposableStack): Promise<RunningServer> {
  const { config, log, signal } = order
  if (order.from === undefined) for (const notice of config.notices) log.warn({}, notice)
  const base = await openFoundation(order, opened)
  const { measures, lifecycle, serving, reloads, live } = base
  live.listen((now, before) => {
    if (now.logLevel !== before.logLevel) setLogLevel(log, now.logLevel)
  })
  const service = opened.use(new LateService((parts) => openService(base, order, parts)))
  if (order.from === undefined) service.open()
  else base.faults?.know({ groups: () => order.from?.groups ?? [], find: () => undefined })
  const { takeCollector, limitHeapGrowth, keepObjectsYoung } = base.runtime
  const requestLog = logOf(log, 'requests')
  measures.http.turns.onLongTurn = (request, untold) => {
    const { longestTurnMs, ...told } = request
    requestLog.warn({ longestTurnMs, ...told, untold }, 'a request held the event loop')
  }
  const listener = await listen(config, {
    sockets: order.worker?.sockets ?? order.links?.sockets,
    tls: serving.tls,
    ticketKeys: order.worker?.ticketKeys ?? newTicketKeys(),
    handler: service.handler,
    log: requestLog,
    observe: (finished) => {
      service.current?.observe(finished)
      logRequest(requestLog, finished)
    },
    onHandshake: base.noteWork,
    measures: measures.http,
    clock: base.clock,
    random: base.randomFor('audit ids'),
  })
  opened.defer(() => {
    const { sendRetryAfter: keepListening, watchTerminationMs: endLongOnesOverMs } = live.current
    if (lifecycle.isStarting()) lifecycle.stage = 'closing'
    return listener.close(config.requestTimeoutMs, { keepListening, endLongOnesOverMs })
  })
  const renew = (renewal: TlsRenewal): void => {
    if (renewal.files !== undefined) {
      service.current?.api.identity.renewTrust(renewal.files)
      base.shownTls.current = renewal.files
    }
    listener.renew(renewal)
  }
  if (order.worker === undefined)
    void runInBackground(opened, (stop) => renewTls({ ...base, log: logOf(log, 'certificates') }, renew, stop))
  else order.worker.onRenewed(renew)
  const url = localUrl(listener.host, listener.port)
  base.address.text = new URL(url).host
  base.address.shown = shownAddress(config.cluster, new URL(url))
  const access = { url, authority: serving.authority, adminToken: base.adminToken }
  order.onListening?.(access, {
    answer: async (request, until) => (service.current ?? (await service.ready())).page(request, until),
    serving: () => base.shownTls.current,
  })
  if (order.from === undefined) {
    // Waits for all work that began before the server listened. Otherwise the order of the next steps would be random.
    await order.activity?.settled()
    await service.ready(signal)
    await order.activity?.settled()
  }
  // The memory that a start takes stays in use, so collecting garbage during the start would only delay it.
  opened.use(limitHeapGrowth?.())
  keepObjectsYoung?.()
  if (takeCollector !== undefined) {
    const heap = nodesHeap(takeCollector)
    void runInBackground(opened, (stop) => giveBackMemory(() => listener.requestCount, stop, heap))
  }
  let stopped: Promise<void> | undefined
  const stop = async ({ isReplaced = false }: Stopping = {}): Promise<void> => {
    base.faults?.clear()
    lifecycle.stage = isReplaced ? 'replaced' : 'stopping'
    if (!isReplaced) {
      const controllers = service.current?.api.controllers ?? []
      const leaving = deregisterControllers(controllers, log, AbortSignal.timeout(LEAVE_WITHIN_MS))
      const halfMs = live.current.shutdownDelayMs / 2
      listener.drain()
      await sleep(halfMs)
      // A load balancer that has not noticed the stop may send clients back. They get another GOAWAY here, but not one with every answer.
      listener.drain()
      await Promise.all([sleep(halfMs), leaving])
      lifecycle.stage = 'closing'
    }
    await opened.disposeAsync()
  }
  return {
    ...access,
    failed: service.failed,
    past: pastOf({ ...base, service, from: order.from }),
    extensible: extensibleHere(base.functions, log),
    connect: () => listener.connect(),
    kv: base.kv,
    memory: base.memory,
    awake: async () => (await service.ready()).api.parts,
    answerPeer: async (question) => (await service.ready()).answerPeer(question),
    reload(next) {
      if (next !== undefined) tellTaken(log, live.take(next))
      reloads.ask()
    },
    stop: (how) => (stopped ??= stop(how)),
  }
}

/** One line a request, at its end. */
function logRequest(log: Log, { request, user, status, sentBytes, milliseconds }: FinishedRequest): void {
  const { auditId, method, path, remote } = request
  log.debug(
    { auditId, method, path, status, sentBytes, milliseconds, user: user.name, from: remote.address },
    'request finished',
  )
}
