// /debug/pprof and /debug/flags: profiles of the running server for `go tool pprof`, and the verbosity of its log (R-341, P-474).
import type { Handler, HttpResponse } from '../http/http.ts'
import { bytesOf, plainText } from '../http/responses.ts'
import type { Route } from '../http/router.ts'

/** The profiles, with the default number of seconds. */
const PROFILES = {
  allocs: { seconds: 5, about: 'The memory that was allocated during this time.' },
  heap: { seconds: 5, about: 'The memory that was allocated during this time and is still in use.' },
  profile: { seconds: 30, about: 'The work of the processor during this time.' },
} as const
export type ProfileName = keyof typeof PROFILES

const MOST_SECONDS = 3600

export interface ProfileOrder {
  readonly name: ProfileName
  readonly seconds: number
  /** The name of the worker to profile. Undefined: any worker. Ignored if there is only one. */
  readonly worker?: string | undefined
}

export interface Profiler {
  readonly hasWorkers: boolean
  /** Takes a profile of the next seconds, and compresses it. `busy`: another profile is being taken. */
  take(order: ProfileOrder, signal: AbortSignal): Promise<Buffer | 'busy' | 'unknown worker'>
}

export interface PprofParts {
  readonly profiler: Profiler
  readonly setVerbosity: (level: number) => Promise<void>
}

export function pprofRoutes({ profiler, setVerbosity }: PprofParts): readonly Route[] {
  const listed = (): readonly string[] => []
  return [
    { path: '/debug/pprof', subtree: true, handler: showProfile(profiler), listed },
    { path: '/debug/pprof', handler: toIndex, listed },
    { path: '/debug/flags', handler: flagIndex, listed },
    { path: '/debug/flags/', handler: flagIndex, listed },
    { path: '/debug/flags/v', handler: takeVerbosity(setVerbosity), listed },
  ]
}

const toIndex: Handler = () => {
  const location = '/debug/pprof/'
  const bytes = Buffer.from(`<a href="${location}">Found</a>.\n\n`)
  return { status: 302, headers: { 'content-type': HTML, location }, body: { kind: 'bytes', bytes } }
}

const HTML = 'text/html; charset=utf-8'

function page(title: string, body: string): HttpResponse {
  const text = `<html>\n<head>\n<title>${title}</title>\n</head>\n<body>\n${title}<br>\n${body}\n</body>\n</html>\n`
  return bytesOf(HTML, Buffer.from(text), { 'x-content-type-options': 'nosniff' })
}

function showProfile(profiler: Profiler): Handler {
  return async (request) => {
    const name = request.path.slice('/debug/pprof/'.length)
    if (name === '') return profileIndex(profiler.hasWorkers)
    if (name === 'symbol') return plainText(200, 'num_symbols: 1\n')
    if (!isProfile(name)) return plainText(404, 'Unknown profile\n', { 'x-go-pprof': '1' })
    const asked = Number(request.query.get('seconds') ?? '')
    const seconds = asked > 0 ? Math.min(asked, MOST_SECONDS) : PROFILES[name].seconds
    const packed = await profiler.take({ name, seconds, worker: request.query.get('worker') }, request.signal)
    if (packed === 'unknown worker') return plainText(404, 'Unknown worker\n', { 'x-go-pprof': '1' })
    if (packed === 'busy') return plainText(409, 'another profile is being taken\n', { 'x-go-pprof': '1' })
    return bytesOf('application/octet-stream', packed, {
      'content-disposition': `attachment; filename="${name}"`,
      'x-content-type-options': 'nosniff',
    })
  }
}

function isProfile(name: string): name is ProfileName {
  return Object.hasOwn(PROFILES, name)
}

function profileIndex(hasWorkers: boolean): HttpResponse {
  const rows = Object.entries(PROFILES).map(([name, { seconds, about }]) => {
    return `<li><a href="${name}?seconds=${seconds}">${name}</a>: ${about}</li>`
  })
  return page(
    '/debug/pprof/',
    `<p>For go tool pprof. ?seconds= sets the duration${hasWorkers ? ', ?worker= the worker (1, 2, …)' : ''}.</p>\n<ul>\n${rows.join('\n')}\n</ul>`,
  )
}

const flagIndex: Handler = () => page('/debug/flags/', 'flags: v')

const LONGEST_NUMBER = 20

/** The text of the reference's faults comes from Go's parser. */
function takeVerbosity(setVerbosity: PprofParts['setVerbosity']): Handler {
  return async (request) => {
    const answer = (status: number, text: string): HttpResponse =>
      plainText(status, `${text}\n`, { 'content-type': 'text/plain' })
    if (request.method !== 'PUT') return answer(406, 'unsupported http method')
    const text = (await request.body.read()).toString()
    if (!/^\d+$/.test(text) || text.length > LONGEST_NUMBER) {
      return answer(400, `strconv.ParseUint: parsing ${JSON.stringify(text.slice(0, 100))}: invalid syntax`)
    }
    await setVerbosity(Number(text))
    return answer(200, `successfully set klog.logging.verbosity to ${text}`)
  }
}
