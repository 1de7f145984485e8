// Objects of every kind with most of their fields set, each field changed in every way that is easy to get wrong: taken away, null, empty,
// repeated, of another type, out of bounds. Created and updated on kube-apiserver and on this server: the same answers, word for word.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { API_LEVELS, type ApiLevel } from '../../src/api/level.ts'
import { type Both, openBoth } from '../rigs/beside-reference.ts'
import type { OpenServer } from '../rigs/running-server.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type JsonObject = Readonly<Record<string, Json>>
type Place = readonly (string | number)[]

interface Sample {
  /** Of the collection. */
  readonly path: string
  readonly object: JsonObject
}

const FILE = new URL('../fixtures/objects-with-many-fields.json', import.meta.url)
const SAMPLES = JSON.parse(readFileSync(FILE, 'utf8')) as readonly Sample[]
const GONE = Symbol('taken away')
const LONG = 'x'.repeat(300)

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function* places(value: Json, at: Place = []): Generator<Place> {
  if (at.length > 0) yield at
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    yield* places(member, [...at, Array.isArray(value) ? Number(name) : name])
  }
}

function* wrongValues(value: Json): Generator<Json | typeof GONE> {
  yield GONE
  yield null
  if (Array.isArray(value)) {
    yield* [[], [null], [...value, ...value.slice(0, 1)]]
    yield typeof value[0] === 'string' ? [''] : [{}]
  } else if (isObject(value)) {
    yield {}
    if (Object.values(value).every((member) => typeof member === 'string')) yield* [{ '': '' }, { '-a_/b/c': '!!' }]
  } else if (typeof value === 'boolean') yield !value
  else if (typeof value === 'string') yield* ['', LONG, '-A b_é', 7]
  else yield* [0, -1, 2 ** 31 - 1, 'a']
}

function withValue(object: Json, at: Place, value: Json | typeof GONE): Json {
  const [name, ...rest] = at
  if (name === undefined) return object
  const copy = (Array.isArray(object) ? [...object] : { ...(object as JsonObject) }) as Record<string, Json>
  if (rest.length > 0) copy[name] = withValue(copy[name]!, rest, value)
  else if (value !== GONE) copy[name] = value
  else if (Array.isArray(copy)) copy.splice(Number(name), 1)
  else delete copy[name]
  return copy
}

function valueAt(object: Json, at: Place): Json {
  return at.reduce<Json>((value, name) => (value as Record<string, Json>)[name]!, object)
}

interface Change {
  readonly what: string
  readonly body: JsonObject
}

/** Every object that is one change away. What all objects have in common is changed in two kinds of them. */
function* changed(object: JsonObject): Generator<Change> {
  const isPlain = object['kind'] === 'ConfigMap' || object['kind'] === 'Pod'
  for (const at of places(object)) {
    if (at[0] === 'kind' || at[0] === 'apiVersion' || (at[0] === 'metadata' && !isPlain)) continue
    for (const value of wrongValues(valueAt(object, at))) {
      const shown = value === GONE ? 'gone' : JSON.stringify(value).slice(0, 40)
      yield { what: `${at.join('.')}: ${shown}`, body: withValue(object, at, value) as JsonObject }
    }
  }
}

interface Told {
  readonly status: number
  readonly words: string
  readonly object: string
  readonly warnings: string
}

async function tell(server: OpenServer, method: string, url: string, body: JsonObject): Promise<Told> {
  const answer = await server.request(url, { method, body })
  const { status } = answer
  const said = answer.json() as JsonObject & { readonly message?: string }
  const warnings = answer.headers['warning'] ?? ''
  if (status >= 400) return { status, words: alike(said.message ?? ''), object: '', warnings }
  return { status, words: '', object: unnamed(JSON.stringify(comparable(said))), warnings }
}

/** What another server, or the controllers of one, say otherwise. */
const OF_A_SERVER = ['status', 'clusterIP', 'clusterIPs', 'nodePort', 'healthCheckNodePort']
const OF_AN_OBJECT = ['uid', 'creationTimestamp', 'resourceVersion', 'managedFields']

function comparable(said: JsonObject): Json {
  const metadata = Object.entries(said['metadata'] as JsonObject).filter(([name]) => !OF_AN_OBJECT.includes(name))
  const strip = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(strip)
    if (!isObject(value)) return value
    const kept = Object.entries(value).filter(([name]) => !OF_A_SERVER.includes(name))
    return Object.fromEntries(kept.map(([name, member]) => [name, strip(member)]))
  }
  return strip({ ...said, metadata: Object.fromEntries(metadata) })
}

/** Without names that were made up. */
function unnamed(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replaceAll(/(?<=kube-api-access-)\w{5}/g, 'RANDOM')
    .replaceAll(/10\.96\.\d+\.\d+/g, 'ADDRESS')
}

/** Without what is known to differ: README.md, "Not there yet". */
function alike(words: string): string {
  return (
    unnamed(words)
      .replaceAll(/x{100,}(?:\.\.\.)?/g, 'LONG')
      // How the spec that was sent differs from the stored one.
      .replaceAll(/(?:\n[ +\-@][^\n]*)+/g, '')
      // Whether something was empty or absent.
      .replaceAll(/(?<=(?:Invalid|Unsupported) value: |":)(?:null|\[\]|\{\})(?=[:,}])/g, 'EMPTY')
      .replaceAll(/(?<=spec\.template: Invalid value: )\{.*\}(?=: field is immutable)/g, 'TEMPLATE')
  )
}

interface KeptText {
  readonly what: RegExp
  readonly as: string
  readonly why: string
}

/** What the reference of a level says otherwise, and this server does not. Statuses, reasons and fields are compared at every level. */
const KEPT_TEXTS: Readonly<Record<ApiLevel, readonly KeptText[]>> = {
  '1.36': [
    { what: /,"DerivedAttributes":EMPTY/g, as: '', why: 'values are shown with the fields of the newest level' },
  ],
  '1.37': [
    { what: /(?<=Required value): .*$/, as: '', why: 'D37: the reference no longer says why' },
    { what: /(?<=Invalid value: ).*(?=: field is immutable$)/, as: 'VALUE', why: 'D37: the reference shows null' },
    {
      what: /(?<=Duplicate value: ).*$/,
      as: 'VALUE',
      why: 'the key that is there twice says more than the whole item',
    },
    {
      what: /(?<=(?:may not|must) be (?:no )?more than \d+ )(?:bytes|characters)$/,
      as: 'UNITS',
      why: 'such values are ASCII: a byte is a character',
    },
    {
      what: /\ban? (?:lowercase )?RFC 1123 subdomain must .*$/,
      as: 'SUBDOMAIN',
      why: 'both take upper case, and the reference now says so',
    },
  ],
}

/** The start of a fault in a list of faults. */
const NEXT_FAULT =
  /, (?=[a-zA-Z]+(?:[.[]\S*)?: (?:Invalid|Required|Unsupported|Duplicate|Forbidden|Too (?:long|many))\b)/

/** The words without the texts that are kept. Since 1.37 the order of faults is left out: the reference tells some of them later. */
function atLevel(level: ApiLevel, words: string): string {
  const [, head, list] = /^(\S+ "[^"]*" is invalid: )\[?(.*?)\]?$/.exec(words) ?? []
  if (head === undefined || list === undefined) return words
  const faults = list
    .split(NEXT_FAULT)
    .map((fault) => KEPT_TEXTS[level].reduce((text, { what, as }) => text.replace(what, as), fault))
  return head + (level === '1.36' ? faults : faults.sort()).join(', ')
}

class Comparison {
  readonly different: string[] = []
  compared = 0
  readonly #both: Both
  readonly #level: ApiLevel

  constructor(both: Both, level: ApiLevel) {
    this.#both = both
    this.#level = level
  }

  /** `bodies`: for each of them. */
  async compare(what: string, method: string, url: string, bodies: readonly [JsonObject, JsonObject]): Promise<void> {
    const asked = this.#both.map((server, i) => tell(server, method, url, bodies[i]!).catch(() => undefined))
    const [wanted, found] = await Promise.all(asked)
    // Where the reference breaks down there is nothing to compare with.
    if (wanted === undefined || wanted.status >= 500) return
    this.compared++
    const [shown, expected] = [found, wanted].map(
      (told) => told && JSON.stringify({ ...told, words: atLevel(this.#level, told.words) }),
    )
    if (shown !== expected) this.different.push(`${what}\n  found  ${shown}\n  wanted ${expected}`)
  }
}

/** The object as each of them has it, which is there then. */
async function stored(both: Both, { path: collection, object }: Sample): Promise<readonly [JsonObject, JsonObject]> {
  const { name } = object['metadata'] as { readonly name: string }
  const read = async (server: OpenServer): Promise<JsonObject> => {
    await server.must(collection, { method: 'POST', body: { ...object, metadata: { name } } })
    const { metadata, ...rest } = (await server.must(`${collection}/${name}`)) as JsonObject
    const { managedFields: _, ...kept } = metadata as JsonObject
    return { ...rest, metadata: kept }
  }
  const [theirs, ours] = both
  return [await read(theirs), await read(ours)]
}

/** Controllers write to them, and what may be changed depends on it. */
const IN_STAGES = ['APIService', 'CustomResourceDefinition', 'FlowSchema', 'Namespace']

/** The reference does not warn of this kind alone, and takes the absence of a label for the stable form of any other. */
const NOT_THE_SAME =
  /^changed (?:ReplicationController, spec\.template\.spec\.terminationGracePeriodSeconds: -1$|PersistentVolume, spec\.nodeAffinity\..*\.key: )/

it.each(API_LEVELS)('says what the reference says of every field of an object, at level %s', async (level) => {
  await using opened = new AsyncDisposableStack()
  const both = await openBoth(opened, { level })
  const comparison = new Comparison(both, level)
  for (const sample of SAMPLES) {
    const { path: collection, object } = sample
    const { kind, metadata } = object as { readonly kind: string; readonly metadata: { readonly name: string } }
    for (const { what, body } of changed(object)) {
      await comparison.compare(`new ${kind}, ${what}`, 'POST', `${collection}?dryRun=All`, [body, body])
    }
    if (IN_STAGES.includes(kind)) continue
    const [theirs, ours] = (await stored(both, sample)).map((live) => [...changed(live)])
    for (const [i, { what, body }] of theirs!.entries()) {
      if (/^(?:metadata|status)/.test(what) || NOT_THE_SAME.test(`changed ${kind}, ${what}`)) continue
      const change = ours!.find((one) => one.what === what) ?? ours![i]!
      const url = `${collection}/${metadata.name}?dryRun=All`
      await comparison.compare(`changed ${kind}, ${what}`, 'PUT', url, [body, change.body])
    }
    const gone = { method: 'DELETE', body: { gracePeriodSeconds: 0 } }
    for (const server of both) await server.request(`${collection}/${metadata.name}`, gone)
  }
  expect(comparison.different.join('\n')).toBe('')
  expect(comparison.compared).toBeGreaterThan(10_000)
})
