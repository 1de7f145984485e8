// Every list and map of every built-in kind, made from the table of kinds, with as many items as a body of some size has room for:
// the cost of a create grows with its bytes and not with their square. `make hostile` does the same with bodies as large as
// they may be.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { builtInGroups, type BuiltInResource } from '../../src/schema/built-in-resources.ts'
import { loadBuiltInSchema } from '../../src/schema/schema.ts'
import { tooCostly } from '../fakes/hostile-cost.ts'
import { hostileBody, type Place, placesOf, VARIETIES } from '../fakes/hostile-objects.ts'
import { type OpenServer, openServer } from '../fakes/running-server.ts'

const BYTES = Number(process.env['HOSTILE_BYTES'] ?? 256 * 1024)
/** Not only one of the places that the same code judges. */
const IS_WHOLE = process.env['HOSTILE_BYTES'] !== undefined

const schema = loadBuiltInSchema()
let server: OpenServer

beforeAll(async () => {
  server = await openServer()
})
afterAll(() => server?.[Symbol.asyncDispose]())

const resources = builtInGroups()
  .flatMap(({ versions }) => versions.flatMap(({ resources: rows }) => rows))
  .filter(({ verbs }) => verbs.includes('create'))

/** Where the objects of a resource are made. */
function pathOf({ group, version, namespaced, plural }: BuiltInResource): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return `${root}${namespaced ? '/namespaces/default' : ''}/${plural}?dryRun=All`
}

const seen = new Set<string>()

/** Types that many kinds have, as pod templates and metadata, are looked into once. */
function isNew({ owner }: Place): boolean {
  if (IS_WHOLE) return true
  if (seen.has(owner)) return false
  seen.add(owner)
  return true
}

it.each(resources.map((resource) => [`${resource.group}/${resource.version} ${resource.kind}`, resource] as const))(
  '%s costs no more than its bytes, whatever it is full of',
  async (_name, resource) => {
    const kind = schema.kind(resource)!
    const path = pathOf(resource)
    const faults: string[] = []
    for (const place of placesOf(kind).filter(isNew)) {
      for (const variety of VARIETIES) {
        const row = (bytes: number) => ({ path, method: 'POST', body: hostileBody(kind, place, variety, bytes) })
        const fault = await tooCostly(server, row, BYTES)
        if (fault !== '') faults.push(`${place.text} (${variety}) ${fault}`)
      }
    }
    expect(faults).toEqual([])
  },
)
