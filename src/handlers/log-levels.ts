// /debug/flags/log-level: the log level of each component, at run time. GET shows `{"cache":"info",…}`. PUT sets the level of all
// components. A PUT to /debug/flags/log-level/COMPONENT sets the level of one component. Only for users who may use the path.
import { ApiError } from '../api/status.ts'
import { methodNotAllowedError } from '../http/errors.ts'
import type { Handler, HttpRequest, HttpResponse } from '../http/http.ts'
import { bytesOf } from '../http/responses.ts'
import type { Route } from '../http/router.ts'
import { LOG_COMPONENTS, LOG_LEVELS, type LogComponent, type LogLevel } from '../lib/log.ts'

export interface RunningLogLevels {
  all(): Readonly<Partial<Record<LogComponent, string>>>
  /** Sets the level of the component, or of all. Resolves when every worker has applied it. */
  set(level: LogLevel, component?: LogComponent): Promise<void>
}

const PATH = '/debug/flags/log-level'

export function logLevelRoutes(levels: RunningLogLevels): readonly Route[] {
  const listed = (): readonly string[] => []
  return [
    { path: PATH, subtree: true, handler: serveOne(levels), listed },
    { path: PATH, handler: serveAll(levels), listed },
  ]
}

function serveAll(levels: RunningLogLevels): Handler {
  return async (request) => {
    if (request.method === 'PUT') await levels.set(await readLevel(request))
    else if (request.method !== 'GET') throw methodNotAllowedError()
    return json(levels.all())
  }
}

function serveOne(levels: RunningLogLevels): Handler {
  return async (request) => {
    const component = componentOf(request.path.slice(PATH.length + 1))
    if (request.method === 'PUT') await levels.set(await readLevel(request), component)
    else if (request.method !== 'GET') throw methodNotAllowedError()
    return json({ [component]: levels.all()[component] })
  }
}

function componentOf(name: string): LogComponent {
  const found = LOG_COMPONENTS.find((component) => component === name)
  if (found !== undefined) return found
  throw new ApiError(
    'NotFound',
    `there is no component ${JSON.stringify(name)}; there are ${LOG_COMPONENTS.join(', ')}`,
  )
}

/** Reads a level, with or without the quotes of JSON and a line end. */
async function readLevel({ body }: HttpRequest): Promise<LogLevel> {
  const text = (await body.read())
    .toString()
    .trim()
    .replace(/^"(.*)"$/, '$1')
  const found = LOG_LEVELS.find((level) => level === text)
  if (found !== undefined) return found
  const given = JSON.stringify(text.slice(0, 100))
  throw new ApiError('BadRequest', `${given} is not a log level; the body is one of ${LOG_LEVELS.join(', ')}`)
}

function json(content: object): HttpResponse {
  return bytesOf('application/json', Buffer.from(`${JSON.stringify(content)}\n`))
}
