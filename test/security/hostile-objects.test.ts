// Every list and map of every built-in kind, made from the table of kinds, with as many items as a body of some size has room for:
// the cost of a create grows with its bytes and not with their square, and memory does not grow with either. So with every text.
// In `make test` each place has one variety of items, in turns; `make test-cost` has all of them, with bodies as large as they may be.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { allBuiltInGroups, type BuiltInResource } from '../../src/schema/built-in-resources.ts'
import { loadBuiltInSchema } from '../../src/schema/schema.ts'
import { tooCostly } from '../rigs/hostile-cost.ts'
import { hostileBody, type Place, placesOf, VARIETIES } from '../corpora/hostile-objects.ts'
import { type MeasuredServer, startMeasuredServer } from '../rigs/measured-server.ts'
import { bodyWithText, TEXTS, textPlacesOf } from '../corpora/hostile-texts.ts'

/** As large as a body may be where all is asked for; what takes a while is tried with four times as much. */
const IS_WHOLE = process.env['HOSTILE_BYTES'] !== undefined
const BYTES = Number(process.env['HOSTILE_BYTES'] ?? 48 * 1024)
/** For all places of a kind. */
const TIMEOUT_MS = IS_WHOLE ? 3_600_000 : 240_000
/** Beyond what the process has taken at the start: what is collected is not given back at once. */
const MAX_PEAK_BYTES = 768 * 1024 * 1024

const schema = loadBuiltInSchema()
let server: MeasuredServer
let peakAtStart: number

beforeAll(async () => {
  server = await startMeasuredServer([
    '--in-memory',
    '--runtime-config=api/all=true',
    '--feature-gates=AllAlpha=true,AllBeta=true',
  ])
  peakAtStart = server.peakBytes()
})
afterAll(() => server?.[Symbol.asyncDispose]())

const resources = allBuiltInGroups()
  .flatMap(({ versions }) => versions.flatMap(({ resources: rows }) => rows))
  .filter(({ verbs }) => verbs.includes('create'))

/** Where the objects of a resource are made. */
function pathOf({ group, version, namespaced, plural }: BuiltInResource): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return `${root}${namespaced ? '/namespaces/default' : ''}/${plural}?dryRun=All`
}

/** Types that many kinds have, as pod templates and metadata, are looked into once. */
function once(): (place: Pick<Place, 'owner'>) => boolean {
  const seen = new Set<string>()
  return ({ owner }) => !seen.has(owner) && seen.add(owner).size > 0
}

const [isNew, isNewText] = [once(), once()]
/** Of the varieties, over all places of all kinds. */
let turn = 0

it.each(resources.map((resource) => [`${resource.group}/${resource.version} ${resource.kind}`, resource] as const))(
  '%s costs no more than its bytes, whatever it is full of',
  async (_name, resource) => {
    const kind = schema.kind(resource)!
    const path = pathOf(resource)
    const faults: string[] = []
    for (const place of placesOf(kind).filter(isNew)) {
      for (const variety of IS_WHOLE ? VARIETIES : [VARIETIES[turn++ % VARIETIES.length]!]) {
        const row = (bytes: number) => ({ path, method: 'POST', body: hostileBody(kind, place, variety, bytes) })
        const fault = await tooCostly(server, row, BYTES)
        if (fault !== '') faults.push(`${place.text} (${variety}) ${fault}`)
      }
    }
    expect(faults).toEqual([])
  },
  TIMEOUT_MS,
)

/** What looks at a text again for each of its characters takes seconds for this. */
const TEXT_BYTES = 48 * 1024
const TEXT_KINDS = Object.entries(TEXTS)

it.each(resources.map((resource) => [`${resource.group}/${resource.version} ${resource.kind}`, resource] as const))(
  '%s costs no more than its bytes, however long its texts are',
  async (_name, resource) => {
    const kind = schema.kind(resource)!
    const path = pathOf(resource)
    const faults: string[] = []
    for (const [i, place] of textPlacesOf(kind).filter(isNewText).entries()) {
      for (const [name, make] of IS_WHOLE ? TEXT_KINDS : [TEXT_KINDS[i % TEXT_KINDS.length]!]) {
        const row = (bytes: number) => ({ path, method: 'POST', body: bodyWithText(kind, place, make(bytes)) })
        const fault = await tooCostly(server, row, TEXT_BYTES)
        if (fault !== '') faults.push(`${place.text} of ${name} ${fault}`)
      }
    }
    expect(faults).toEqual([])
  },
  TIMEOUT_MS,
)

it('the memory of all of them stays small at its peak', () => {
  expect(server.peakBytes() - peakAtStart).toBeLessThan(MAX_PEAK_BYTES)
})
