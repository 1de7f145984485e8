// Every path that is not a resource: health, version, metrics, the documents, and the pages about the server itself.
import { type HealthOptions, healthRoutes } from '../handlers/health.ts'
import { logLevelRoutes, type RunningLogLevels } from '../handlers/log-levels.ts'
import { showMetrics } from '../handlers/metrics.ts'
import { type PprofParts, pprofRoutes } from '../handlers/pprof.ts'
import { showVersion } from '../handlers/version.ts'
import { showFlagz, showStatusz } from '../handlers/zpages.ts'
import type { Handler } from '../http/http.ts'
import { indexPage, type Route } from '../http/router.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Config } from '../config/config.ts'
import type { Lifecycle } from '../http/lifecycle.ts'
import type { HealthMeasures } from './measures.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { ResourceApi } from './resource-api.ts'
import { versionInfo } from '../telemetry/version.ts'

interface RouteParts {
  readonly config: Config
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
  readonly clock: Clock
  readonly log: Log
  readonly logLevels: RunningLogLevels
  readonly api: ResourceApi
  readonly more: readonly Route[]
  readonly checks: HealthOptions['checks']
  readonly health: HealthMeasures
  readonly pprof: PprofParts
}

export function routesOf(parts: RouteParts): Route[] {
  const { config, metrics, lifecycle, clock, log, logLevels, api, more, checks, health, pprof } = parts
  const routes: Route[] = [
    ...api.routes,
    ...healthRoutes({
      checks,
      inGracePeriod: lifecycle.inGracePeriod,
      log,
      onChecked: (endpoint, name, isFine) => health.note(endpoint, name, isFine),
    }),
    { path: '/version', subtree: true, handler: showVersion(versionInfo(config.level)) },
    { path: '/metrics', handler: showMetrics(metrics) },
    { path: '/metrics/slis', handler: showMetrics(metrics.slis) },
    ...logLevelRoutes(logLevels),
    ...(config.profiling ? pprofRoutes(pprof) : []),
    ...more,
  ]
  routes.push(...pagesBeside(routes, { config, clock }))
  const index: Handler = indexPage(routes)
  return [...routes, { path: '/', handler: index }, { path: '/index.html', handler: index }]
}

/** The pages about the server itself. /statusz lists the paths of all others, so it comes last. */
function pagesBeside(
  routes: readonly Route[],
  { config, clock }: Pick<RouteParts, 'config' | 'clock'>,
): readonly Route[] {
  const { featureGates: gates, flags } = config
  const cbor = gates.CBORServingAndStorage
  const pages: Route[] =
    gates['ComponentFlagz'] === true ? [{ path: '/flagz', handler: showFlagz({ flags, cbor }) }] : []
  if (gates['ComponentStatusz'] !== true) return pages
  const paths = [...routes, ...pages, { path: '/statusz' }].map(({ path }) => path)
  const startedAt = clock.timeOfDay()
  const statusz = showStatusz({
    version: versionInfo(config.level),
    startedAt,
    now: () => clock.timeOfDay(),
    paths,
    cbor,
  })
  return [...pages, { path: '/statusz', handler: statusz }]
}
