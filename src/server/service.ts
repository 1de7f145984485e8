// Composes the folders of `src` into the service that answers requests, and the work beside it.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Controller, runControllers } from '../controllers/controllers.ts'
import { openStages, type StageOptions } from '../http/stages.ts'
import type { Handler } from '../http/http.ts'
import { type Route, routeRequests } from '../http/router.ts'
import { systemClock } from '../lib/clock.ts'
import { logOf } from '../lib/log.ts'
import { measureAuthenticator, measureAuthorizer } from '../auth/measures.ts'
import { runtimeOf } from '../lib/runtime/runtime.ts'
import { type AdmissionSettings, readAdmissionSettings } from '../config/admission-config.ts'
import { peerAddress } from '../config/advertised-address.ts'
import { openConsole } from './console.ts'
import { openAudit, type RunningAudit } from './audit.ts'
import { clientPathCheck, confineProbe } from '../telemetry/client-path.ts'
import { gateStates } from '../config/feature-gates.ts'
import { openFlowControl, type RunningFlowControl } from './flow-control.ts'
import { DELAY_RESOLUTION_MS, LoadHistory } from '../telemetry/load-history.ts'
import { type Metrics, openMetrics } from '../telemetry/metrics.ts'
import { openStatusEncoder } from '../codec/status-encoder.ts'
import { runInBackground } from '../lib/background.ts'
import { openIdentity, openIdOf } from './identity.ts'
import { type Service } from './late-service.ts'
import { openResourceApi, type ResourceApi } from './resource-api.ts'
import type { AnswerPage } from '../telemetry/management/management.ts'
import { answerPages } from '../telemetry/management/answer-pages.ts'
import { routesOf } from './routes.ts'
import { type Guards, openGuards } from './guards.ts'
import {
  answerPeer,
  checksOfWorkers,
  flowRowsOfWorkers,
  metricsOfWorkers,
  pprofOfWorkers,
  requestsOfWorkers,
  runningLogLevels,
  watchersElsewhere,
} from '../workers/peers.ts'
import { HealthMeasures } from './measures.ts'
import { openProfiler } from '../telemetry/profiler.ts'
import { type PprofParts, pprofRoutes } from '../handlers/pprof.ts'
import { healthChecks } from '../telemetry/health.ts'
import type { HealthOptions } from '../handlers/health.ts'
import { showRequests } from '../handlers/requests-page.ts'
import type { RunningLogLevels } from '../handlers/log-levels.ts'
import { checkUsable, keepSpace, openCompactor } from './storage.ts'
import { tracedAuthorizer, tracedFlowControl, tracedKv } from './tracing.ts'
import { versionInfo } from '../telemetry/version.ts'
import { openExtensions } from './extensions.ts'
import type { Foundation, StartOrder } from './foundation.ts'
import { levelOf } from '../config/config.ts'

/** The handler of requests, and the work beside it. */
export function openService(foundation: Foundation, order: StartOrder, opened: AsyncDisposableStack): Service {
  const base = { ...foundation, ...openGuards(foundation, opened) }
  const { config, kv, log, atRest, lifecycle } = base
  const { worker } = order
  const peers = worker?.peers
  const api = openApi(base, order)
  base.functions.handOverTo(api.extensionPoints)
  const extensions = openExtensions({ ...base, log: logOf(log, 'extensions') }, api.extensionPoints, opened)
  base.faults?.know(api)
  const rotatesShared =
    order.worker && (() => order.worker?.isFirst === true && !lifecycle.isStopping() && !lifecycle.isReplaced())
  const audit = openAudit(config.audit, {
    ...base,
    policyFile: () => base.live.current.audit.policyFile,
    log: logOf(log, 'audit'),
    caller: base.operatorsCaller,
    bodyText: api.bodyText,
    rotatesShared,
  })
  opened.defer(() => audit.close())
  const flow = openFlowControl(config, {
    store: api.cache,
    find: api.find,
    findLoad: api.load,
    rowsOfWorkers: worker && ((page, own) => flowRowsOfWorkers(worker, page, own)),
  })
  base.live.listen((now) => flow.limit(now))
  const logLevels = runningLogLevels(log, peers)
  const health = new HealthMeasures()
  const profiling: PprofParts = {
    profiler: openProfiler(),
    setVerbosity: (number) => logLevels.set(levelOf(number, config.logLevel)),
  }
  const pprof = worker === undefined ? profiling : pprofOfWorkers(profiling, worker)
  const metrics = openMetricsOf(base, order, { api, flow, audit, health })
  const checks = healthChecks({
    checkStorage: (signal) => checkUsable(kv, signal),
    probeMs: config.probeMs,
    lifecycle,
    isLoaded: () => api.cache.status().isReady,
    more: [...atRest.checks, ...api.checks],
  })
  const ofStorage = { ...base, log: logOf(log, 'storage') }
  const compactor = openCompactor(ofStorage)
  const load = new LoadHistory({
    clock: systemClock,
    delays: monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS }),
    storageBytes: async (signal) => (await kv.size(signal))?.bytes,
    revision: () => api.cache.revision,
    compaction: async (signal) => compactor?.status(signal),
    others: async () => (await peers?.ask({ kind: 'load' }))?.map(({ answer: steps }) => steps) ?? [],
  })
  const { turns } = base.measures.http
  const requests = showRequests(() => requestsOfWorkers(worker, turns.report()))
  const hasConsole = config.console !== 'off'
  const ofLoad = hasConsole ? [{ path: '/debug/load', handler: load.handler, listed: () => [] }] : []
  const more = [...ofLoad, { path: '/debug/requests', handler: requests, listed: () => [] }]
  const checksOfAll = peers === undefined ? checks : checksOfWorkers(checks, peers)
  // With a seed, each request and each controller begins when all work before it has settled.
  const inOrder = order.seed === undefined ? undefined : order.activity
  const { handler, page } = openHandler(base, {
    record: order.recordRequests,
    onRequest: (request) => {
      base.noteWork()
      metrics.begin(request)
    },
    inOrder: inOrder && ((next) => inOrder.inOrder(next)),
    api,
    audit,
    flow,
    metrics,
    health,
    pprof,
    checks: checksOfAll,
    more,
    logLevels,
  })
  // A program waits for the answers of its fork, so the controllers of a fork begin later. Those of the original ran a moment ago.
  const answering = Promise.withResolvers<void>()
  const canWait = ({ canWait = false }: Controller): boolean =>
    canWait || order.from !== undefined || inOrder !== undefined
  const [atOnce, later] = [api.controllers.filter((one) => !canWait(one)), api.controllers.filter(canWait)]
  const forControllers = { ...base, log: logOf(log, 'controllers') }
  const begun = Promise.withResolvers<void>()
  const runLater = async (stop: AbortSignal): Promise<void> => {
    await answering.promise
    const running: Promise<void>[] = []
    for (const controller of later) {
      running.push(runControllers([controller], forControllers, stop))
      if (inOrder !== undefined) await inOrder.settled()
    }
    begun.resolve()
    await Promise.all(running)
  }
  const failed = runInBackground(opened, (stop) => {
    // If the server stops before it is ready, `runLater` must not wait any longer.
    stop.addEventListener('abort', () => answering.resolve(), { once: true })
    return [
      api.cache.run(stop),
      api.follow(stop),
      runControllers(atOnce, forControllers, stop),
      runLater(stop),
      flow.run(stop),
      atRest.run(stop),
      api.identity.run(stop),
      base.peerFiles.run(stop),
      compactor?.run(stop),
      looksAfterStore(order) ? keepSpace({ ...ofStorage, storage: config.storage }, stop) : undefined,
      extensions.run(stop),
      hasConsole ? load.run(stop) : undefined,
    ]
  })
  const asked = {
    metrics,
    checks,
    load,
    turns,
    log,
    watchers: api.watchers,
    flowRows: flow.rows,
    pprof: profiling,
    page,
  }
  return {
    handler,
    observe: (finished) => {
      metrics.observe(finished)
      if (hasConsole) load.observe(finished)
    },
    answerPeer: (question) => answerPeer(question, asked),
    page,
    api,
    ready: async (signal) => {
      try {
        await Promise.all([api.ready(signal), flow.loaded])
        await extensions.load()
        if (lifecycle.isStarting()) lifecycle.stage = 'serving'
      } finally {
        setImmediate(answering.resolve)
      }
      if (inOrder !== undefined) await begun.promise
    },
    failed,
  }
}

function looksAfterStore({ worker }: StartOrder): boolean {
  return worker === undefined || (worker.isFirst && worker.store === undefined)
}

function openMetricsOf(
  { config, kv, measures }: Foundation,
  { worker }: StartOrder,
  { api, flow, audit, health }: Pick<ServedParts, 'api' | 'flow' | 'audit' | 'health'>,
): Metrics {
  return openMetrics({
    version: versionInfo(config.level),
    gates: gateStates(config.featureGates, config.level),
    isServed: api.isServed,
    types: api.types,
    onForgotten: () => measures.forgetFound(),
    http: measures.http,
    storageSize: (signal) => kv.size(signal),
    isDeprecated: (info) => (api.find(info)?.deprecations.length ?? 0) > 0,
    slis: health.all(),
    families: [...measures.all(), ...api.families, ...flow.measures, ...audit.measures.all()],
    hidden: config.hiddenMetrics,
    measuresProcess: config.management.some(({ probesOnly }) => !probesOnly),
    workers: worker && metricsOfWorkers(worker.peers),
  })
}

function openApi(base: Foundation & Guards, { from, worker, containers }: StartOrder): ResourceApi {
  const { config, log, serving, adminToken, measures, address } = base
  const { tls, authority } = serving
  const pastOfLevel = from?.schema === base.schema ? from : undefined
  return openResourceApi({
    kv: tracedKv(base.activity?.around(base.kv) ?? base.kv, base.tracing),
    tracing: base.tracing,
    schema: base.schema,
    prefix: config.storagePrefix,
    transformer: base.atRest.transformer,
    gates: config.featureGates,
    eventTtlMs: config.eventTtlMs,
    indexes: config.queries.indexes,
    allowPrivileged: config.allowPrivileged,
    authorization: base.authorization,
    openIdentity: (live, onLegacyUse) =>
      openIdentity({
        config,
        adminToken,
        clock: base.clock,
        random: base.randomFor('tokens'),
        log: logOf(log, 'authentication'),
        live,
        tls,
        onLegacyUse,
        measures,
        reloads: base.reloads,
        moreTokens: base.tokens === undefined ? [] : [base.tokens],
        keys: base.keys,
      }),
    admissionPlugins: config.admissionPlugins,
    admissionSettings: { ...sharedLimits(readAdmissionSettings(config), worker), reloads: base.reloads },
    authority: authority ?? tls.certificate,
    serviceRange: config.serviceIpRange,
    peerFiles: base.peerFiles,
    nodes: base.nodes,
    containers,
    caller: base.caller,
    operatorsCaller: base.operatorsCaller,
    clock: base.clock,
    random: base.randomFor('objects'),
    log,
    version: versionInfo(config.level).gitVersion,
    serverAddress: () => address.text,
    advertisedAddress: base.advertisedAddress,
    // A replica without --requestheader-client-ca-file does not accept requests on behalf of users.
    peerAddress: () => (config.identity.frontProxy === undefined ? undefined : peerAddress(config, address.text)),
    cluster: config.cluster,
    storeCount: config.storage.kind === 'etcd' ? config.storage.endpoints.length : 1,
    shownAddress: () => address.shown,
    measures,
    countKeys: runtimeOf(config).countKeys,
    requests: config,
    workers: worker?.count ?? 1,
    controllersOff: config.controllersOff,
    hasReplicas: config.storage.kind === 'etcd' || worker !== undefined,
    candidate: worker?.candidate,
    otherWatchers: worker === undefined ? undefined : () => watchersElsewhere(worker.peers),
    isFork: pastOfLevel !== undefined,
    shared: pastOfLevel?.cached,
    sharedKinds: pastOfLevel?.kinds,
    wrapWatch: base.faults?.watched,
  })
}

/** Divides the rate limits of events by the number of workers. */
function sharedLimits(settings: AdmissionSettings, worker: StartOrder['worker']): AdmissionSettings {
  if (worker === undefined) return settings
  const eventLimits = settings.eventLimits.map((limit) => ({
    ...limit,
    qps: limit.qps / worker.count,
    burst: Math.ceil(limit.burst / worker.count),
  }))
  return { ...settings, eventLimits }
}

interface ServedParts extends Pick<StageOptions, 'record' | 'onRequest' | 'inOrder'> {
  readonly api: ResourceApi
  readonly audit: RunningAudit
  readonly flow: RunningFlowControl
  readonly metrics: Metrics
  readonly health: HealthMeasures
  readonly pprof: PprofParts
  readonly checks: HealthOptions['checks']
  readonly more: readonly Route[]
  readonly logLevels: RunningLogLevels
}

/** The handler of requests, and the handler for the management address. */
function openHandler(
  base: Foundation & Guards,
  { api, audit, flow, metrics, health, pprof, checks, more: given, logLevels, ...first }: ServedParts,
): { readonly handler: Handler; readonly page: AnswerPage } {
  const { config, log, lifecycle, measures } = base
  const gates = config.featureGates
  const { faults, devRoutes = [] } = base
  const { authorizer } = base.authorization
  const hasProbe = config.management.length > 0
  const more = [
    ...given,
    ...openIdOf(config, api.identity, () => base.address.shown),
    ...(config.dev ? [...(faults?.routes ?? []), ...devRoutes] : []),
  ]
  const parts = { config, api, metrics, health, pprof, lifecycle, clock: base.clock, log, logLevels, more }
  const routes = routesOf({ ...parts, checks })
  const handler = openStages({
    ...config,
    ...first,
    injectFaults: faults?.requests,
    proxyAggregated: api.proxyAggregated,
    router: routeRequests({ routes: [...flow.routes, ...routes], resources: api.handler }),
    log: logOf(log, 'requests'),
    encodeStatus: openStatusEncoder(base.schema),
    cbor: gates.CBORServingAndStorage,
    authenticator: measureAuthenticator(api.identity.authenticator, measures.auth),
    anonymousRequests: api.identity.anonymous.enabled,
    anonymousPaths: api.identity.anonymous.paths,
    authorizer: tracedAuthorizer(
      measureAuthorizer(hasProbe ? confineProbe(authorizer) : authorizer, measures.auth),
      base.tracing,
    ),
    rights: config.queries.hasAccessibleLists ? base.authorization.rights : undefined,
    flowControl: tracedFlowControl(flow.control, base.tracing),
    tracing: base.tracing,
    measures: measures.http,
    constrainedImpersonation: gates.ConstrainedImpersonation,
    audit: audit.filter,
    console: openConsole({ ...base, waitClock: systemClock, log: logOf(log, 'console'), api }),
    isStarting: lifecycle.isStarting,
    whenStarted: lifecycle.whenStarted,
    isClosing: lifecycle.isClosing,
  })
  const clientPath = clientPathCheck({
    address: () => base.address.text,
    certificate: () => base.shownTls.current.certificate,
    adminToken: base.adminToken,
  })
  let page: AnswerPage | undefined
  const openPages = (): AnswerPage => {
    // Only these pages check the listener of the API. On the API's own address, that check would be a request that makes a request.
    const withClientPath = { ...checks, readyz: [...checks.readyz, clientPath] }
    return answerPages([...flow.routes, ...routesOf({ ...parts, checks: withClientPath }), ...pprofRoutes(pprof)])
  }
  return { handler, page: (...asked) => (page ??= openPages())(...asked) }
}
