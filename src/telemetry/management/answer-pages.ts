// Answers the pages of the management address. They are routes of the API's port, called in this process and without the filters. The
// management listener has already decided whether the visitor may read the page.
import { ApiError } from '../../api/status.ts'
import { Exchange } from '../../http/exchange.ts'
import { type Caller, type HttpResponse, NOT_AUDITED, type RemoteEnd, type ResponseBody } from '../../http/http.ts'
import { RequestInfos } from '../../http/request-info.ts'
import { plainText } from '../../http/responses.ts'
import { type Route, routeRequests } from '../../http/router.ts'
import { systemRandom } from '../../lib/random.ts'
import type { AnswerPage, PageAnswer } from './management.ts'

const CALLER: Caller = Object.freeze({
  user: Object.freeze({ name: 'system:quarterdeck:operator', uid: '', groups: [], extra: {} }),
  audit: NOT_AUDITED,
})
const REMOTE: RemoteEnd = Object.freeze({
  address: '127.0.0.1',
  isLoopback: true,
  protocol: 'http/1.1',
  certificate: undefined,
  hangUp: () => {},
})
const NO_BODY = Object.freeze({ listen: () => {}, mute: () => {} })

export function answerPages(routes: readonly Route[]): AnswerPage {
  const routed = routeRequests({ routes })
  const infos = new RequestInfos()
  const parts = { remote: REMOTE, transport: 'plain', infos, random: systemRandom } as const
  return async ({ target, accept }, signal) => {
    const sent = { method: 'GET', target, headers: { accept }, rawHeaders: [], body: NO_BODY }
    const request = new Exchange(sent, { ...parts, requestTimeoutMs: Infinity })
    const onGone = (): void => request.signal.fire(signal.reason)
    if (signal.aborted) onGone()
    else signal.addEventListener('abort', onGone, { once: true })
    try {
      return await whole(await routed(request, CALLER))
    } catch (error) {
      if (error instanceof ApiError) return whole(plainText(error.code, `${error.message}\n`))
      throw error
    } finally {
      signal.removeEventListener('abort', onGone)
    }
  }
}

async function whole({ status, headers, body }: HttpResponse): Promise<PageAnswer> {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
  return { status, headers: Object.fromEntries(texts), body: Buffer.concat(await piecesOf(body)) }
}

/** Returns copies of the pieces, because a piece is valid only until the next piece. */
async function piecesOf(body: ResponseBody): Promise<readonly Buffer[]> {
  if (body.kind === 'bytes') return [body.bytes]
  if (body.kind !== 'pieces') return []
  const all: Buffer[] = []
  for await (const piece of body.pieces) all.push(Buffer.concat(Buffer.isBuffer(piece) ? [piece] : piece))
  return all
}
