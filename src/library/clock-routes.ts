// /debug/clock, for programs in other languages. Needs `--dev`, a virtual clock, and the right to use the path, which administrators have
// by default. GET answers with the time of the server, `{"now":"2026-01-01T00:00:00.000Z"}`. POST takes `{"advance":"5m"}`, or a number of
// milliseconds, and answers with the new time when the server has done all the work that follows.
import { ApiError } from '../api/status.ts'
import { methodNotAllowedError } from '../http/errors.ts'
import type { Handler, HttpRequest } from '../http/http.ts'
import { bytesOf } from '../http/responses.ts'
import type { Route } from '../http/router.ts'
import type { Clock } from './virtual-clock.ts'

export function clockRoutes(clock: Clock): readonly Route[] {
  return [{ path: '/debug/clock', handler: serveClock(clock) }]
}

function serveClock(clock: Clock): Handler {
  return async (request) => {
    if (request.method === 'POST') await advance(clock, await readOrder(request))
    else if (request.method !== 'GET') throw methodNotAllowedError()
    return bytesOf('application/json', Buffer.from(`${JSON.stringify({ now: new Date(clock.now()) })}\n`))
  }
}

async function advance(clock: Clock, duration: number | string): Promise<void> {
  try {
    await clock.advance(duration)
  } catch (error) {
    throw error instanceof RangeError ? new ApiError('BadRequest', error.message) : error
  }
}

async function readOrder({ body }: HttpRequest): Promise<number | string> {
  const order = parsed((await body.read()).toString())
  const { advance: duration, ...others } = (order ?? {}) as Readonly<Record<string, unknown>>
  const isOrder = typeof duration === 'string' || typeof duration === 'number'
  if (isOrder && Object.keys(others).length === 0) return duration
  throw new ApiError('BadRequest', 'give the time to advance: {"advance":"5m"}, or a number of milliseconds')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ApiError('BadRequest', `the body is not JSON: ${(error as Error).message}`)
  }
}
