// The pages at the management address, as data. No other paths exist there, and no page is a resource.

export interface Page {
  readonly path: string
  /** Whether the page also has all paths below `path`. */
  readonly subtree?: boolean
  /** The page only shows whether the server is healthy. */
  readonly isProbe?: boolean
  /** JSON schemas of query parameters. Other parameters are ignored, as on the port of the API. */
  readonly query?: Readonly<Record<string, object>>
}

const WORD = Object.freeze({ type: 'string', maxLength: 253 })
const HEALTH = Object.freeze({ verbose: WORD, exclude: { type: 'array', maxItems: 100, items: WORD } })

export const PAGES: readonly Page[] = [
  { path: '/livez', subtree: true, isProbe: true, query: HEALTH },
  { path: '/readyz', subtree: true, isProbe: true, query: HEALTH },
  { path: '/healthz', subtree: true, isProbe: true, query: HEALTH },
  { path: '/metrics' },
  { path: '/metrics/slis' },
  { path: '/version' },
  { path: '/debug/flow' },
  { path: '/debug/watchers' },
  { path: '/debug/requests' },
  {
    path: '/debug/pprof',
    subtree: true,
    query: { seconds: { type: 'integer', minimum: 1, maximum: 3600 }, worker: WORD },
  },
]
