// Puts the rooms together: opens the store, what answers requests, then the listener, and closes them in reverse. Whatever was
// opened before a failing step is closed again.
import { setTimeout as sleep } from 'node:timers/promises'
import { deregisterControllers, runControllers } from '../controllers/controllers.ts'
import type { Extensible } from '../extensions/extensions.ts'
import { extensibleHere } from '../extensions/in-process.ts'
import { KeptFunctions } from '../extensions/kept-functions.ts'
import { withFilters } from '../http/filters/filters.ts'
import type { Filter, Handler } from '../http/http.ts'
import type { FinishedRequest, Listener, TlsFiles } from '../http/listener.ts'
import { routeRequests } from '../http/router.ts'
import type { TokenMethod } from '../auth/bearer-tokens.ts'
import { measureAuthenticator, measureAuthorizer } from '../auth/measures.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { egressPolicy } from '../outgoing/egress-policy.ts'
import type { Log } from '../lib/log.ts'
import { type Random, seededRandom, systemRandom } from '../lib/random.ts'
import { releaseByRequests } from '../runtime/compilers.ts'
import { type Runtime, runtimeOf } from '../runtime/runtime.ts'
import { OutgoingCaller } from '../outgoing/call.ts'
import { loadBuiltInSchema } from '../schema/schema.ts'
import type { SchemaTable } from '../schema/table.ts'
import type { Activity } from './activity.ts'
import { readAdmissionSettings } from './admission-config.ts'
import { ownAddress } from './advertised-address.ts'
import { adminToken, localUrl } from './admin.ts'
import { type Authorization, openAuthorization } from './authorization.ts'
import { openAudit, type RunningAudit } from './audit.ts'
import { shownAddress } from '../config/cluster-config.ts'
import type { Config } from '../config/config.ts'
import type { FaultInjector } from '../faults/faults.ts'
import { gateStates } from '../config/feature-gates.ts'
import { type AtRest, openAtRest } from './encryption.ts'
import { closeDataDirectory, makePrivateDirectory } from '../config/files.ts'
import { openFaults } from './faults.ts'
import { openFlowControl, type RunningFlowControl } from './flow-control.ts'
import { ServerMeasures } from './measures.ts'
import { type Metrics, openMetrics } from '../telemetry/metrics.ts'
import { openStatusEncoder } from './status-encoder.ts'
import { runInBackground } from './background.ts'
import { giveBackMemory, nodesHeap } from './idle-memory.ts'
import { accountKeys, openIdentity, openIdOf } from './identity.ts'
import { LateService, type Service } from './late-service.ts'
import { Lifecycle } from './lifecycle.ts'
import { type Authority, type Past, pastOf, type ServerState } from './past.ts'
import { listen, operatorsFiles, readProxyCertificate, readServingFiles, servingFiles } from './serving.ts'
import { ReloadRequests } from '../config/reload-requests.ts'
import { reloadCertificates } from './certificate-reload.ts'
import { openResourceApi, type ResourceApi } from './resource-api.ts'
import { routesOf } from './routes.ts'
import { forgetHistory, openStorage, type Storage } from './storage.ts'
import { versionInfo } from './version.ts'

export interface RunningServer extends ServerAccess {
  /** Undefined where nobody asked for it. */
  readonly faults: FaultInjector | undefined
  /** Never resolves. Rejects where something that must run has failed for good: it is time to stop. */
  readonly failed: Promise<never>
  /** Undefined where the storage cannot do it: it has to be in memory. */
  readonly past: Past | undefined
  /** What functions are added with, in this process. */
  readonly extensible: Extensible
  /** Has what is read from files read again: certificates, authorities, tokens, policies, the audit log's file. Throws nothing. */
  reload(): void
  /** Finishes what is under way and closes everything, in order; every call waits for the same end. */
  stop(): Promise<void>
}

/** What it takes to reach a server as its administrator. */
export interface ServerAccess {
  /** Where this machine reaches it: `https://127.0.0.1:6443`. */
  readonly url: string
  /** PEM; undefined where the operator brought a certificate that clients trust on their own account. */
  readonly authority: string | undefined
  readonly adminToken: string
}

export interface StartOrder {
  readonly config: Config
  readonly log: Log
  /** What goes by the time of day, and what is done every so often. Absent: the system's. */
  readonly clock?: Clock
  /** What uids, generated names and the like follow from. Absent: nobody can foresee them. */
  readonly seed?: string
  /** Sees what the server does; with a seed, requests are taken in order by it. */
  readonly activity?: Activity
  /** Gives up starting. */
  readonly signal: AbortSignal
  /** Tokens beside those of the configuration. */
  readonly tokens?: TokenMethod
  /** Sees every request before anything else does. */
  readonly outermost?: Filter
  /** Called once the server listens, which is before it is ready. */
  readonly onListening?: (access: ServerAccess) => void
  /** In a process that does other things as well: V8's flags and its garbage are theirs. */
  readonly sharesProcess?: boolean
  /** The state to go on from: then it resolves at once, and the first request waits for the rest. Only in memory. */
  readonly from?: ServerState
  /** Faults can be injected; with `--dev` they can be in any case. */
  readonly injectsFaults?: boolean
}

/** How long a replica that goes may take to tell the others. */
const LEAVE_WITHIN_MS = 3_000
/** Loading so much takes longer than compiling what loads it. */
const MUCH_TO_LOAD_BYTES = 4 * 1024 * 1024
/** How often certificates are looked at where nobody tells of a change. */
const RENEW_EVERY_MS = 60_000

/** Resolves when it is ready to serve. Throws a `StartError` of one line where it cannot start. */
export async function startServer(order: StartOrder): Promise<RunningServer> {
  const opened = new AsyncDisposableStack()
  try {
    return await compose(order, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** The steps of a start, in order. What each opens is closed in reverse. */
async function compose(order: StartOrder, opened: AsyncDisposableStack): Promise<RunningServer> {
  const { config, log, signal } = order
  if (order.from === undefined) for (const notice of config.notices) log.warn({}, notice)
  const base = await openFoundation(order, opened)
  const { measures, lifecycle, serving, reloads } = base
  const service = opened.use(new LateService((parts) => openService(base, order, parts)))
  if (order.from === undefined) service.open()
  else base.faults?.know({ groups: () => order.from?.groups ?? [], find: () => undefined })
  const { compilers, takeCollector } = runtimeOfProcess(order)
  const noteRequest = releaseByRequests(compilers)
  const noted: Handler = (request) => {
    noteRequest()
    return service.handler(request)
  }
  const listener = await listen(config, {
    tls: serving.tls,
    handler: order.outermost?.(noted) ?? noted,
    log,
    observe: (finished) => {
      service.current?.observe(finished)
      logRequest(log, finished)
    },
    measures: measures.http,
    clock: base.clock,
    random: base.randomFor('audit ids'),
  })
  const { sendRetryAfter: keepListening, watchTerminationMs: endLongOnesOverMs } = config
  opened.defer(() => listener.close(config.requestTimeoutMs, { keepListening, endLongOnesOverMs }))
  void runInBackground(opened, (stop) => renewServing(base, { service, listener }, stop))
  const url = localUrl(listener.host, listener.port)
  base.address.text = new URL(url).host
  base.address.shown = shownAddress(config.cluster, new URL(url))
  const access = { url, authority: serving.authority, adminToken: base.adminToken }
  order.onListening?.(access)
  if (order.from === undefined) {
    // What was begun before the server listened is done: else the order of what follows would be a matter of chance.
    await order.activity?.settled()
    await service.ready(signal)
  }
  if (takeCollector !== undefined) {
    const heap = nodesHeap(takeCollector)
    void runInBackground(opened, (stop) => giveBackMemory(() => listener.requestCount, stop, heap))
  }
  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    base.faults?.clear()
    lifecycle.stage = 'stopping'
    const controllers = service.current?.api.controllers ?? []
    const leaving = deregisterControllers(controllers, log, AbortSignal.timeout(LEAVE_WITHIN_MS))
    await Promise.all([sleep(config.shutdownDelayMs), leaving])
    lifecycle.stage = 'closing'
    await opened.disposeAsync()
  }
  return {
    ...access,
    faults: base.faults,
    failed: service.failed,
    past: pastOf({ ...base, service, from: order.from }),
    extensible: extensibleHere(base.functions, log),
    reload: () => reloads.ask(),
    stop: () => (stopped ??= stop()),
  }
}

/** What answers requests, and what runs beside it. */
function openService(foundation: Foundation, order: StartOrder, opened: AsyncDisposableStack): Service {
  const base = { ...foundation, ...openGuards(foundation, opened) }
  const { config, kv, measures, atRest, lifecycle } = base
  const api = openApi(base, order.from)
  base.functions.handOverTo(api.extensionPoints)
  base.faults?.know(api)
  const audit = openAudit(config.audit, { ...base, caller: base.operatorsCaller, kinds: base.schema })
  opened.defer(() => audit.close())
  const flow = openFlowControl(config, { store: api.cache, find: api.find, findLoad: api.load })
  const metrics = openMetrics({
    version: versionInfo(),
    gates: gateStates(config.featureGates),
    isServed: api.isServed,
    types: api.types,
    onForgotten: () => measures.forgetFound(),
    http: measures.http,
    storageBytes: (signal) => kv.sizeBytes(signal),
    isDeprecated: (info) => (api.find(info)?.deprecations.length ?? 0) > 0,
    families: [...measures.all(), ...api.families, ...flow.measures, ...audit.measures.all()],
    hidden: config.hiddenMetrics,
  })
  const handler = inOrder(order, openHandler(base, { api, audit, flow, metrics }))
  const failed = runInBackground(opened, (stop) =>
    Promise.all([
      api.cache.run(stop),
      api.follow(stop),
      runControllers(api.controllers, base, stop),
      flow.run(stop),
      atRest.run(stop),
      api.identity.run(stop),
      forgetHistory(base, stop),
    ]),
  )
  return {
    handler: (request) => {
      metrics.begin(request)
      return handler(request)
    },
    observe: (finished) => metrics.observe(finished),
    api,
    ready: async (signal) => {
      await Promise.all([api.ready(signal), flow.loaded])
      if (lifecycle.isStarting()) lifecycle.stage = 'serving'
    },
    failed,
  }
}

/** What is set for the whole process: by whoever owns it. */
function runtimeOfProcess({
  config,
  sharesProcess,
}: StartOrder): Partial<Pick<Runtime, 'compilers' | 'takeCollector'>> {
  return sharesProcess === true ? {} : runtimeOf(config)
}

/** What is there before anything is served: the storage, the keys and the counters. */
interface Foundation extends Pick<StartOrder, 'config' | 'log' | 'tokens' | 'activity'>, Storage, Authority {
  readonly faults: FaultInjector | undefined
  readonly functions: KeptFunctions
  readonly clock: Clock
  /** Chance for one purpose. */
  readonly randomFor: (purpose: string) => Random
  readonly schema: SchemaTable
  readonly measures: ServerMeasures
  readonly atRest: AtRest
  readonly lifecycle: Lifecycle
  readonly reloads: ReloadRequests
  /** `host:port`, empty until the server listens. */
  readonly address: { text: string; shown: string }
}

/** Who may do what, and who calls other servers. */
interface Guards {
  readonly authorization: Authorization
  /** Calls the webhooks. */
  readonly caller: OutgoingCaller
  /** Calls whom the operator names by a flag, who may well be on this machine. */
  readonly operatorsCaller: OutgoingCaller
}

async function openFoundation(order: StartOrder, opened: AsyncDisposableStack): Promise<Foundation> {
  const { config, log, clock = systemClock, seed, activity, signal, tokens, from } = order
  const { dataDirectory } = config
  if (dataDirectory !== undefined) {
    makePrivateDirectory(dataDirectory, 'the data directory')
    closeDataDirectory(dataDirectory, log)
  }
  const storage = await openStorage({ config, clock, snapshot: from?.stored }, signal)
  opened.defer(() => storage.kv.close())
  const faults = await openFaults(order)
  const kv = faults?.stored(storage.kv) ?? storage.kv
  if (((await kv.sizeBytes(signal)) ?? 0) > MUCH_TO_LOAD_BYTES) runtimeOfProcess(order).compilers?.release()
  const measures = new ServerMeasures()
  const reloads = new ReloadRequests()
  const atRest = await openAtRest({ config, log, measures: measures.encryption, reloads })
  opened.defer(atRest.close)
  return {
    config,
    log,
    clock,
    randomFor: (purpose) => (seed === undefined ? systemRandom : seededRandom(seed, purpose)),
    ...(tokens === undefined ? {} : { tokens }),
    ...(activity === undefined ? {} : { activity }),
    ...storage,
    kv,
    faults,
    functions: new KeptFunctions(from?.functions ?? []),
    schema: from?.schema ?? loadBuiltInSchema(),
    measures,
    atRest,
    ...(from?.authority ?? openAuthority(config, log)),
    lifecycle: new Lifecycle(config.livezGraceMs),
    reloads,
    address: { text: '', shown: '' },
  }
}

function openAuthority(config: Config, log: Log): Authority {
  const serving = servingFiles(config)
  return { serving, adminToken: adminToken(config.dataDirectory), keys: accountKeys(config, log) }
}

function openGuards({ config, log, measures, reloads }: Foundation, opened: AsyncDisposableStack): Guards {
  const { egress } = config
  const { auth, outgoing } = measures
  const settings = config.authorization
  const toOperators = egressPolicy({ ...egress, loopback: true })
  return {
    authorization: openAuthorization({ settings, egress, measures: auth, outgoing, log, reloads }),
    caller: opened.use(new OutgoingCaller({ egress: egressPolicy(egress), measures: outgoing })),
    operatorsCaller: opened.use(new OutgoingCaller({ egress: toOperators, measures: outgoing })),
  }
}

function openApi(base: Foundation & Guards, from: ServerState | undefined): ResourceApi {
  const { config, log, serving, adminToken, measures, address } = base
  const { tls, authority } = serving
  return openResourceApi({
    kv: base.activity?.around(base.kv) ?? base.kv,
    schema: base.schema,
    prefix: config.storagePrefix,
    transformer: base.atRest.transformer,
    gates: config.featureGates,
    eventTtlMs: config.eventTtlMs,
    allowPrivileged: config.allowPrivileged,
    authorization: base.authorization,
    openIdentity: (live, onLegacyUse) =>
      openIdentity({
        config,
        adminToken,
        clock: base.clock,
        random: base.randomFor('tokens'),
        log,
        live,
        tls,
        onLegacyUse,
        measures,
        reloads: base.reloads,
        moreTokens: base.tokens === undefined ? [] : [base.tokens],
        keys: base.keys,
      }),
    admissionPlugins: config.admissionPlugins,
    admissionSettings: readAdmissionSettings(config),
    authority: authority ?? tls.certificate,
    serviceRange: config.serviceIpRange,
    proxyCertificate: readProxyCertificate(config),
    caller: base.caller,
    operatorsCaller: base.operatorsCaller,
    clock: base.clock,
    random: base.randomFor('objects'),
    log,
    version: versionInfo().gitVersion,
    serverAddress: () => address.text,
    advertisedAddress: ownAddress(config, log),
    cluster: config.cluster,
    storeCount: config.storage.kind === 'etcd' ? config.storage.endpoints.length : 1,
    shownAddress: () => address.shown,
    measures,
    countKeys: runtimeOf(config).countKeys,
    minRequestTimeoutMs: config.minRequestTimeoutMs,
    controllersOff: config.controllersOff,
    hasReplicas: config.storage.kind === 'etcd',
    isFork: from !== undefined,
    shared: from?.cached,
    wrapWatch: base.faults?.watched,
  })
}

interface ServedParts {
  readonly api: ResourceApi
  readonly audit: RunningAudit
  readonly flow: RunningFlowControl
  readonly metrics: Metrics
}

/** What answers a request: the filters, then a path of its own or a resource. */
function openHandler(base: Foundation & Guards, { api, audit, flow, metrics }: ServedParts): Handler {
  const { config, kv, log, lifecycle, measures, atRest } = base
  const gates = config.featureGates
  const { faults } = base
  const more = [
    ...openIdOf(config, api.identity, () => base.address.shown),
    ...(faults !== undefined && config.dev ? faults.routes : []),
  ]
  const routes = routesOf({ config, kv, api, metrics, lifecycle, clock: base.clock, log, checks: atRest.checks, more })
  const routed = routeRequests({ routes: [...flow.routes, ...routes], resources: api.handler })
  const served = api.passOnRemote(routed)
  return withFilters(faults === undefined ? served : faults.requests(served), {
    ...config,
    log,
    encodeStatus: openStatusEncoder(base.schema),
    cbor: gates.CBORServingAndStorage,
    authenticator: measureAuthenticator(api.identity.authenticator, measures.auth),
    anonymousRequests: api.identity.anonymous.enabled,
    anonymousPaths: api.identity.anonymous.paths,
    authorizer: measureAuthorizer(base.authorization.authorizer, measures.auth),
    flowControl: flow.control,
    measures: measures.http,
    constrainedImpersonation: gates.ConstrainedImpersonation,
    audit: audit.filter,
    isStarting: lifecycle.isStarting,
    isClosing: lifecycle.isClosing,
  })
}

function inOrder({ seed, activity }: StartOrder, handler: Handler): Handler {
  return seed === undefined || activity === undefined ? handler : activity.inOrder(handler)
}

/** Serves with other certificates, and trusts others, when the files say so; until the signal fires. */
function renewServing(
  { config, log, serving, reloads }: Foundation,
  { service, listener }: { readonly service: LateService; readonly listener: Listener },
  signal: AbortSignal,
): Promise<void> {
  const { tls: current } = serving
  const renewal = {
    current,
    files: operatorsFiles(config),
    read: () => readServingFiles(config, current),
    use: (files: TlsFiles) => {
      service.current?.api.identity.renewTrust(files)
      listener.renew(files)
    },
    everyMs: RENEW_EVERY_MS,
    reloads,
    log,
  }
  return reloadCertificates(renewal, signal)
}

/** One line a request, at its end. */
function logRequest(log: Log, { request, user, status, sentBytes, milliseconds }: FinishedRequest): void {
  const { auditId, method, path, remote } = request
  log.debug(
    { auditId, method, path, status, sentBytes, milliseconds, user: user.name, from: remote.address },
    'request finished',
  )
}
