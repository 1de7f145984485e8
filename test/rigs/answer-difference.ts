// Two servers' answers to one request, and what a client could tell them apart by. What is another one on every server (times,
// identities, random names) and the order of several faults is no difference.
import { jsonText, parseJsonText } from '../../src/api/json-text.ts'
import { isList, isMap, type Value, type ValueMap } from '../../src/api/value.ts'
import type { ServerAnswer } from './running-server.ts'

const MAX_SHOWN = 600

/** Nothing where they say the same. */
export function answerDifferences(wanted: ServerAnswer, found: ServerAnswer): readonly string[] {
  const told: string[] = []
  if (wanted.status !== found.status) told.push(`status: ${wanted.status}, ours ${found.status}`)
  const [a, b] = [readAnswer(wanted), readAnswer(found)]
  compareSets('cause', a.causes, b.causes, told)
  compareSets('warning', a.warnings, b.warnings, told)
  compare(a.body, b.body, '', told)
  return told
}

interface ReadAnswer {
  readonly body: Value
  readonly causes: readonly string[]
  readonly warnings: readonly string[]
}

function readAnswer({ body, headers }: ServerAnswer): ReadAnswer {
  const value = parseJsonText(body.replaceAll(/selfType\d+/g, 'selfType'))
  const warnings = [headers['warning'] ?? []].flat().flatMap((line) => line.split(/, (?=299 )/))
  if (!isMap(value)) return { body: value, causes: [], warnings }
  if (value['kind'] !== 'Status') return { body: ofItself(value), causes: [], warnings }
  const details = isMap(value['details'] ?? null) ? (value['details'] as ValueMap) : {}
  const { causes, name, ...others } = details
  const texts = isList(causes ?? null) ? (causes as readonly Value[]).map((cause) => JSON.stringify(cause)) : []
  const isGenerated = typeof name === 'string' && RANDOM_END.test(name)
  const status = { ...value, details: { ...others, ...(isGenerated || name === undefined ? {} : { name }) } }
  // The message joins the causes, in their order.
  return { body: texts.length > 0 || isGenerated ? without(status, 'message') : status, causes: texts, warnings }
}

const RANDOM_END = /-[bcdfghjklmnpqrstvwxz2456789]{5}$/

function without(map: ValueMap, ...keys: readonly string[]): ValueMap {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)))
}

/** Without what the server itself decides. */
function ofItself(object: ValueMap): ValueMap {
  const { metadata } = object
  if (metadata === undefined || !isMap(metadata)) return object
  const kept = without(metadata, 'uid', 'creationTimestamp', 'resourceVersion', 'managedFields')
  const named = typeof metadata['generateName'] === 'string' ? without(kept, 'name') : kept
  return { ...object, metadata: named, ...(object['kind'] === 'CustomResourceDefinition' ? withoutTimes(object) : {}) }
}

function withoutTimes({ status }: ValueMap): ValueMap {
  if (status === undefined || !isMap(status) || !isList(status['conditions'] ?? null)) return {}
  const conditions = (status['conditions'] as readonly ValueMap[]).map((one) =>
    without(one, 'lastTransitionTime', 'observedGeneration'),
  )
  return {
    status: { ...status, conditions: conditions.sort(byType) },
  }
}

function byType({ type: a }: ValueMap, { type: b }: ValueMap): number {
  return typeof a === 'string' && typeof b === 'string' && a < b ? -1 : 1
}

function compareSets(name: string, wanted: readonly string[], found: readonly string[], told: string[]): void {
  for (const one of wanted) if (!found.includes(one)) told.push(`${name} missing: ${one.slice(0, MAX_SHOWN)}`)
  for (const one of found) if (!wanted.includes(one)) told.push(`${name} added: ${one.slice(0, MAX_SHOWN)}`)
  if (new Set(wanted).size === new Set(found).size && wanted.length !== found.length) {
    told.push(`${name}s: ${wanted.length}, ours ${found.length}`)
  }
}

/** Adds a line for every place where the two differ. */
export function compare(wanted: Value | undefined, found: Value | undefined, at: string, told: string[]): void {
  if (wanted === found) return
  if (wanted === undefined || found === undefined) {
    told.push(`${at}: ${show(wanted)}, ours ${show(found)}`)
  } else if (isList(wanted) && isList(found)) {
    for (let i = 0; i < Math.max(wanted.length, found.length); i++) compare(wanted[i], found[i], `${at}[${i}]`, told)
  } else if (isMap(wanted) && isMap(found)) {
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(found)])) {
      compare(wanted[key], found[key], `${at}.${key}`, told)
    }
  } else told.push(`${at}: ${show(wanted)}, ours ${show(found)}`)
}

function show(value: Value | undefined): string {
  return value === undefined ? 'nothing' : jsonText(value).slice(0, MAX_SHOWN)
}
