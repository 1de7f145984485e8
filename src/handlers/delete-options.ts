// Reads DeleteOptions from query parameters.
import { parseInt64 } from '../api/json-number.ts'
import { ApiError } from '../api/status.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { isTrue, type Query } from '../http/query.ts'
import { IGNORE_READ_ERRORS } from '../registry/delete-options.ts'

export function deleteOptionsOfQuery(query: Query): ValueMap {
  const options: Record<string, Value> = {}
  const grace = query.get('gracePeriodSeconds')
  if (grace !== undefined) options['gracePeriodSeconds'] = integer(grace)
  if (query.has('orphanDependents')) options['orphanDependents'] = isTrue(query.get('orphanDependents'))
  const policy = query.get('propagationPolicy')
  if (policy !== undefined) options['propagationPolicy'] = policy
  const dryRun = query.all('dryRun')
  if (dryRun.length > 0) options['dryRun'] = dryRun
  // An empty parameter has no effect.
  const [uid, version] = [query.get('uid') ?? '', query.get('resourceVersion') ?? '']
  if (uid !== '' || version !== '') {
    options['preconditions'] = {
      ...(uid === '' ? {} : { uid }),
      ...(version === '' ? {} : { resourceVersion: version }),
    }
  }
  if (query.has(IGNORE_READ_ERRORS)) options[IGNORE_READ_ERRORS] = isTrue(query.get(IGNORE_READ_ERRORS))
  return options
}

function integer(text: string): number {
  const value = parseInt64(text)
  if (value !== undefined) return Number(value)
  const problem = /^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
  throw new ApiError('BadRequest', `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${problem}`)
}
