// Turns errors into answers, so that the filters around this one see only answers. The first piece of a body is pulled here, so that a
// failure before it becomes an error answer.
import { ApiError } from '../../api/status.ts'
import { answerError, type ErrorAnswers } from '../errors.ts'
import { type AuditFilterOptions, auditRefusal } from './audit.ts'
import type { Filter, HttpResponse, Piece } from '../http.ts'

/** Turns errors into answers. `audit`: also audits refusals of filters that run before the audit filter. */
export function catchFaults(answers: ErrorAnswers, audit?: AuditFilterOptions): Filter {
  return (next) => async (request) => {
    try {
      if (request.info.kind === 'broken') throw new ApiError('BadRequest', request.info.message)
      const response = await next(request)
      return response.body.kind === 'pieces' ? await begin(response) : response
    } catch (error) {
      if (audit !== undefined && !request.isAudited && error instanceof ApiError) auditRefusal(audit, request, error)
      const answer = answerError(error, request, answers)
      if (answer === undefined) throw error
      return answer
    }
  }
}

async function begin(response: HttpResponse): Promise<HttpResponse> {
  const { body } = response
  if (body.kind !== 'pieces') return response
  const { pieces } = body
  if (Symbol.iterator in pieces) {
    const iterator = pieces[Symbol.iterator]()
    return { ...response, body: { ...body, pieces: resume(iterator.next(), iterator) } }
  }
  const iterator = pieces[Symbol.asyncIterator]()
  return { ...response, body: { ...body, pieces: resumeAsync(await iterator.next(), iterator) } }
}

function* resume(first: IteratorResult<Piece>, iterator: Iterator<Piece>): Generator<Piece> {
  try {
    for (let step = first; step.done !== true; step = iterator.next()) yield step.value
  } finally {
    iterator.return?.()
  }
}

async function* resumeAsync(first: IteratorResult<Piece>, iterator: AsyncIterator<Piece>): AsyncGenerator<Piece> {
  try {
    for (let step = first; step.done !== true; step = await iterator.next()) yield step.value
  } finally {
    await iterator.return?.()
  }
}
