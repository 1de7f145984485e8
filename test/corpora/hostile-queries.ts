// Queries that could cost more than their bytes: expressions, lists of values, and fields.
import type { HostileRequest, HostileRow } from '../rigs/hostile-cost.ts'
import { filled, MAPS, PODS } from './hostile-rows.ts'

/** An expression has 100,000 characters at most, a list of fields 16,384. */
const query = (parameters: Readonly<Record<string, string>>, path = MAPS): HostileRequest => ({
  path,
  method: 'QUERY',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(parameters),
})

const where = (expression: string, path = MAPS): HostileRequest =>
  query({ where: expression, explainQuery: 'true' }, path)

const terms = (bytes: number, make: (i: number) => string, joint: string): string =>
  filled(bytes, (i) => make(i) + joint)
    .map((text) => (text as string).slice(0, -joint.length))
    .join(joint)

const times = (bytes: number, text: string): string => text.repeat(Math.max(1, Math.floor(bytes / text.length)))

/** They run on a config map with 5,000 entries and on a few others. */
export const OBJECT_QUERIES: Readonly<Record<string, HostileRow>> = {
  'equalities of one field': (n) => where(terms(n, (i) => `object.metadata.name == 'n${i}'`, ' && ')),
  alternatives: (n) => where(terms(n, (i) => `object.metadata.name == 'n${i}'`, ' || ')),
  'a list of values': (n) => where(`object.metadata.name in [${terms(n, (i) => `'n${i}'`, ', ')}]`),
  'a list of values of an indexed field': (n) =>
    where(`object.spec.nodeName in [${terms(n, (i) => `'n${i}'`, ', ')}]`, PODS),
  'lists of values': (n) =>
    where(
      terms(n, (i) => `object.spec.nodeName in ['a${i}', 'b${i}']`, ' && '),
      PODS,
    ),
  'a long value': (n) => where(`object.metadata.name == '${times(n, 'a')}'`),
  brackets: (n) => where(`${times(n / 2, '(')}true${times(n / 2, ')')}`),
  negations: (n) => where(`${times(n, '!')}true`),
  'a long sum': (n) => where(`${terms(n, () => '1', ' + ')} == 1`),
  'walks in walks': (n) =>
    where(`object.data.all(a, object.data.all(b, object.data.all(c, a + b != c + '${times(n / 4, 'x')}')))`),
  'walks one after the other': (n) => where(terms(n, () => 'object.data.all(a, a.size() > 0)', ' && ')),
  'patterns that backtrack': (n) => where(`'${times(n / 2, 'a')}'.matches('(a*)*(a*)*b') || true`),
  'a pattern for each entry': () => where("object.data.all(a, a.matches('(k|[0-9]*)*'))"),
  'texts that grow': () => where("object.data.map(a, object.data.map(b, b).join(',')).join(',').size() > 0"),
  'misspelt fields': (n) => where(terms(n, (i) => `object.f${i} == 1`, ' && ')),
  'an unfinished expression': (n) => where(times(n, 'object.metadata.name == ')),
  'fields to sort by': (n) => query({ orderBy: terms(Math.min(n, 16_000), (i) => `metadata.labels.l${i} desc`, ',') }),
  'deep fields': (n) => query({ select: `data.${times(Math.min(n, 16_000), 'x.')}y` }),
  'the same field': (n) => query({ select: terms(Math.min(n, 16_000), () => 'data', ',') }),
  'fields to group by': (n) =>
    query({ groupBy: terms(Math.min(n, 700), (i) => `data.k${i}`, ','), sum: 'metadata.generation' }),
  'fields to measure': (n) => query({ min: terms(Math.min(n, 700), (i) => `data.k${i}`, ','), max: 'metadata.name' }),
  'brackets in fields': (n) => query({ orderBy: `data${times(Math.min(n, 16_000), "['")}` }),
  'parameters that no list has': (n) =>
    query(Object.fromEntries(filled(n, (i) => [`p${i}`, '']) as [string, string][])),
}
