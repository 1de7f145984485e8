// Puts the rooms together: opens the store, then the listener, and closes them in reverse. Whatever was opened before a
// failing step is closed again.
import { setTimeout as sleep } from 'node:timers/promises'
import { leaveWith, runControllers } from '../controllers/controllers.ts'
import { type HealthCheck, healthRoutes } from '../handlers/health.ts'
import { showMetrics } from '../handlers/metrics.ts'
import { showVersion } from '../handlers/version.ts'
import { showFlagz, showStatusz } from '../handlers/zpages.ts'
import { withFilters } from '../http/filters/filters.ts'
import type { Handler } from '../http/http.ts'
import type { FinishedRequest, TlsFiles } from '../http/listener.ts'
import { indexPage, routeRequests, type Route } from '../http/router.ts'
import type { Kv } from '../kv/kv.ts'
import { measureAuthenticator, measureAuthorizer } from '../auth/measures.ts'
import { systemClock } from '../lib/clock.ts'
import { egressPolicy } from '../lib/egress-policy.ts'
import type { Log } from '../lib/log.ts'
import { OutgoingCaller } from '../lib/outgoing-call.ts'
import { loadBuiltInSchema } from '../schema/schema.ts'
import { Compactor } from '../store/compactor.ts'
import { readAdmissionSettings } from './admission-config.ts'
import { advertisedAddress } from './advertised-address.ts'
import { adminToken, kubeconfigPlace, localUrl, writeKubeconfig } from './admin.ts'
import { openAuthorization } from './authorization.ts'
import { openAudit } from './audit.ts'
import type { Config } from './config.ts'
import { openAtRest } from './encryption.ts'
import { makePrivateDirectory, readTextFile } from './files.ts'
import { openFlowControl } from './flow-control.ts'
import { healthChecks } from './health.ts'
import { HealthMeasures, ServerMeasures } from './measures.ts'
import { type Metrics, openMetrics, showFamilies } from './metrics.ts'
import { openStatusEncoder } from './status-encoder.ts'
import { giveBackMemory } from './idle-memory.ts'
import { openIdentity, openIdOf } from './identity.ts'
import { Life } from './life.ts'
import { listen, operatorsFiles, readServingFiles, servingFiles } from './serving.ts'
import { renewCertificates } from './renewal.ts'
import { openResourceApi, type ResourceApi } from './resource-api.ts'
import { openStorage } from './storage.ts'
import { versionInfo } from './version.ts'

export interface RunningServer {
  /** Where this machine reaches it: `https://127.0.0.1:6443`. */
  readonly url: string
  readonly kubeconfigFile: string
  /** Never resolves. Rejects where something that must run has failed for good: it is time to stop. */
  readonly failed: Promise<never>
  /** Finishes what is under way and closes everything, in order; every call waits for the same end. */
  stop(): Promise<void>
}

/** How long a replica that goes may take to tell the others. */
const LEAVE_WITHIN_MS = 3_000
/** How often certificates are looked at where nobody tells of a change. */
const RENEW_EVERY_MS = 60_000

/** Resolves when it is ready to serve. Throws a `StartError` of one line where it cannot start; the signal gives up starting. */
export async function startServer(config: Config, log: Log, signal: AbortSignal): Promise<RunningServer> {
  const opened = new AsyncDisposableStack()
  try {
    return await compose({ config, log, signal }, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

interface Order {
  readonly config: Config
  readonly log: Log
  readonly signal: AbortSignal
}

async function compose({ config, log, signal }: Order, opened: AsyncDisposableStack): Promise<RunningServer> {
  const { dataDirectory } = config
  if (dataDirectory !== undefined) makePrivateDirectory(dataDirectory, 'the data directory')
  const kv = await openStorage(config, signal)
  opened.defer(() => kv.close())
  const measures = new ServerMeasures()
  const atRest = await openAtRest(config, log, measures.encryption)
  opened.defer(atRest.close)
  const { tls, authority } = servingFiles(config)
  const token = adminToken(dataDirectory)
  const life = new Life(config.livezGraceMs)
  const authorization = openAuthorization({
    settings: config.authorization,
    egress: config.egress,
    measures: measures.auth,
    outgoing: measures.outgoing,
    log,
  })
  const { authorizer } = authorization
  const { storagePrefix: prefix, featureGates: gates } = config
  const address = { text: '' }
  const caller = opened.use(new OutgoingCaller({ egress: egressPolicy(config.egress), measures: measures.outgoing }))
  // Whom the operator names by a flag may well be on this machine.
  const named = opened.use(
    new OutgoingCaller({ egress: egressPolicy({ ...config.egress, loopback: true }), measures: measures.outgoing }),
  )
  const api = openResourceApi({
    kv,
    prefix,
    transformer: atRest.transformer,
    gates,
    eventTtlMs: config.eventTtlMs,
    allowPrivileged: config.allowPrivileged,
    authorization,
    openIdentity: (live, onLegacyUse) =>
      openIdentity({ config, adminToken: token, log, live, tls, onLegacyUse, measures }),
    admissionPlugins: config.admissionPlugins,
    admissionSettings: readAdmissionSettings(config),
    authority: authority ?? tls.certificate,
    serviceRange: config.serviceIpRange,
    proxyCertificate: readPair(config.proxyCertificate),
    caller,
    operatorsCaller: named,
    log,
    version: versionInfo().gitVersion,
    serverAddress: () => address.text,
    advertisedAddress: advertisedAddress(config.bindAddress),
    measures,
    minRequestTimeoutMs: config.minRequestTimeoutMs,
    controllersOff: config.controllersOff,
    hasReplicas: config.storage.kind === 'etcd',
  })
  const audit = openAudit(config.audit, { caller: named, kinds: loadBuiltInSchema(), log })
  opened.defer(() => audit.close())
  const flow = openFlowControl(config, { store: api.cache, find: api.find, findLoad: api.load })
  const metrics = openMetrics({
    version: versionInfo(),
    gates,
    isServed: api.isServed,
    http: measures.http,
    storageBytes: (signal) => kv.sizeBytes(signal),
    isDeprecated: (info) => (api.find(info)?.deprecations.length ?? 0) > 0,
    families: [...measures.all(), ...api.families, ...flow.measures, ...audit.measures.all()],
  })
  const { handler, onTimeout } = withFilters(
    api.passOnRemote(
      routeRequests({
        routes: [
          ...flow.routes,
          ...routesOf({
            config,
            kv,
            api,
            metrics,
            life,
            log,
            checks: atRest.checks,
            more: openIdOf(config, api.identity, address),
          }),
        ],
        resources: api.handler,
      }),
    ),
    {
      ...config,
      log,
      encodeStatus: openStatusEncoder(loadBuiltInSchema()),
      cbor: gates.CBORServingAndStorage,
      authenticator: measureAuthenticator(api.identity.authenticator, measures.auth),
      anonymousRequests: api.identity.anonymous.enabled,
      anonymousPaths: api.identity.anonymous.paths,
      authorizer: measureAuthorizer(authorizer, measures.auth),
      flowControl: flow.control,
      measures: measures.http,
      constrainedImpersonation: gates.ConstrainedImpersonation,
      audit: audit.filter,
      isStarting: life.isStarting,
      isClosing: life.isClosing,
    },
  )
  const kubeconfig = kubeconfigPlace(config.kubeconfigFile, dataDirectory)
  opened.defer(kubeconfig.remove)
  const failed = runInBackground(opened, (stop) =>
    Promise.all([
      api.cache.run(stop),
      api.follow(stop),
      runControllers(api.controllers, log, stop),
      flow.run(stop),
      atRest.run(stop),
      api.identity.run(stop),
      forgetHistory({ config, kv, log }, stop),
    ]),
  )
  const observe = (finished: FinishedRequest): void => {
    metrics.observe(finished)
    logRequest(log, finished)
  }
  const counted: Handler = (request) => {
    metrics.begin(request)
    return handler(request)
  }
  const listener = await listen(config, {
    tls,
    handler: counted,
    onTimeout,
    log,
    observe,
    onHandshakeError: () => void measures.http.handshakeErrors.of().value++,
  })
  const { sendRetryAfter: keepListening, watchTerminationMs: endLongOnesOverMs } = config
  opened.defer(() => listener.close(config.requestTimeoutMs, { keepListening, endLongOnesOverMs }))
  const use = (files: TlsFiles): void => {
    api.identity.renewTrust(files)
    listener.renew(files)
  }
  const [files, read] = [operatorsFiles(config), () => readServingFiles(config, tls)]
  const renewal = { current: tls, files, read, use, everyMs: RENEW_EVERY_MS, log }
  void runInBackground(opened, (stop) => renewCertificates(renewal, stop))
  const url = localUrl(listener.host, listener.port)
  address.text = new URL(url).host
  writeKubeconfig(kubeconfig.file, { url, authority, user: { token } })
  await Promise.race([api.ready(signal), failed])
  life.stage = 'serving'
  void runInBackground(opened, (stop) => giveBackMemory(() => listener.requestCount, stop))
  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    life.stage = 'stopping'
    const leaving = leaveWith(api.controllers, log, AbortSignal.timeout(LEAVE_WITHIN_MS))
    await Promise.all([sleep(config.shutdownDelayMs), leaving])
    life.stage = 'closing'
    await opened.disposeAsync()
  }
  return { url, kubeconfigFile: kubeconfig.file, failed, stop: () => (stopped ??= stop()) }
}

/** Runs until everything is closed. The promise it gives only ever rejects: where that ended by itself. */
function runInBackground(opened: AsyncDisposableStack, run: (stop: AbortSignal) => Promise<unknown>): Promise<never> {
  const stop = new AbortController()
  const failure = Promise.withResolvers<never>()
  const ended = run(stop.signal).catch((error: unknown) => failure.reject(error))
  // Whoever waits for it is told; if nobody does it is told by the end of the process.
  failure.promise.catch(() => {})
  opened.defer(async () => {
    stop.abort()
    await ended
  })
  return failure.promise
}

/** So that the storage does not grow for ever; not where the operator says that somebody else does it. */
async function forgetHistory(parts: { config: Config; kv: Kv; log: Log }, signal: AbortSignal): Promise<void> {
  const { config, kv, log } = parts
  const { storagePrefix: prefix, compactionIntervalMs: intervalMs } = config
  if (intervalMs === 0) return
  const onError = (error: unknown): void => log.warn({ err: error }, 'compaction failed')
  await new Compactor({ kv, prefix, intervalMs, clock: systemClock, onError }).run(signal)
}

function readPair(pair: Config['proxyCertificate']): { certificate: string; key: string } | undefined {
  if (pair === undefined) return undefined
  return {
    certificate: readTextFile(pair.certificateFile, '--proxy-client-cert-file'),
    key: readTextFile(pair.keyFile, '--proxy-client-key-file'),
  }
}

/** One line a request, at its end. */
function logRequest(log: Log, { request, status, sentBytes, milliseconds }: FinishedRequest): void {
  const { auditId, method, path, user, remote } = request
  log.debug(
    { auditId, method, path, status, sentBytes, milliseconds, user: user.name, from: remote.address },
    'request finished',
  )
}

interface RouteParts {
  readonly config: Config
  readonly kv: Kv
  readonly metrics: Metrics
  readonly life: Life
  readonly log: Log
  readonly api: ResourceApi
  readonly more: readonly Route[]
  /** Of what is not always there. */
  readonly checks: readonly HealthCheck[]
}

function routesOf({ config, kv, metrics, life, log, api, more, checks }: RouteParts): Route[] {
  const isLoaded = (): boolean => api.cache.status().isReady
  const health = new HealthMeasures()
  const routes: Route[] = [
    ...api.routes,
    ...healthRoutes({
      checks: healthChecks({ kv, life, isLoaded, more: checks }),
      inGracePeriod: life.inGracePeriod,
      log,
      onChecked: (endpoint, name, isFine) => health.note(endpoint, name, isFine),
    }),
    { path: '/version', subtree: true, handler: showVersion(versionInfo()) },
    { path: '/metrics', handler: showMetrics(metrics) },
    { path: '/metrics/slis', handler: showMetrics(showFamilies(health.all())) },
    ...more,
  ]
  routes.push(...pagesBeside(routes, config))
  const index: Handler = indexPage(routes)
  return [...routes, { path: '/', handler: index }, { path: '/index.html', handler: index }]
}

/** What shows how the server itself is: /statusz names the others, so they come first. */
function pagesBeside(routes: readonly Route[], { featureGates: gates, flags }: Config): readonly Route[] {
  const cbor = gates.CBORServingAndStorage
  const pages: Route[] =
    gates['ComponentFlagz'] === true ? [{ path: '/flagz', handler: showFlagz({ flags, cbor }) }] : []
  if (gates['ComponentStatusz'] !== true) return pages
  const paths = [...routes, ...pages, { path: '/statusz' }].map(({ path }) => path)
  const { timeOrigin: startedAt } = performance
  const statusz = showStatusz({ version: versionInfo(), startedAt, now: Date.now, paths, cbor })
  return [...pages, { path: '/statusz', handler: statusz }]
}
