// The front door: queries on lists and watches. Parameters become a query that is checked against the schema of the kind. The query then
// selects, orders and groups the objects of a plain list of the same user.
import { createHash } from 'node:crypto'
import { INDEXES } from '../../api/indexed-place.ts'
import { pathName, queryFault } from '../../api/path-text.ts'
import { type ApiObject, formatGroupResource } from '../../api/object.ts'
import type { StoredObject } from '../../api/read.ts'
import { ApiError } from '../../api/status.ts'
import type { Clock } from '../../lib/clock.ts'
import { TokenBucket } from '../../lib/token-bucket.ts'
import { Turns } from '../../lib/turns.ts'
import { compileCondition } from '../../schema/object-conditions.ts'
import type { Resource } from '../registry.ts'
import { type Grouping, parseGrouping } from './groups.ts'
import { type OrderTerm, parseOrder } from './order.ts'
import { parseSelect, type Selected } from './select.ts'
import { type Allowance, Condition, type ConditionOptions, REQUEST_COST } from './where.ts'

export type { Condition, Grouping, Selected }
export { collectObjects, type Collecting, collectRows } from './collect.ts'
export { watchAccessible, withinReach } from './accessible.ts'
export { checkIndexedPlaces } from './fields.ts'
export { changedEvents } from './changed-events.ts'

interface Parameters {
  get(name: string): string | null | undefined
  has(name: string): boolean
}

type Where = Pick<ConditionOptions, 'text' | 'program' | 'pins' | 'arePinsEnough' | 'advice'>

export interface ObjectQuery {
  readonly where: Where | undefined
  readonly order: readonly OrderTerm[]
  readonly select: Selected | undefined
  readonly grouping: Grouping | undefined
  /** The answer has only the objects that the caller may read. */
  readonly isAccessible: boolean
  /** The answer is the plan of the query and its cost. */
  readonly isExplained: boolean
  /** Equal for equal queries: a `continue` of another query is refused. */
  readonly digest: string
}

export interface ObjectQueryOptions {
  /** The largest number of objects that a query without an index reads. */
  readonly scanLimit: number
  readonly clock: Pick<Clock, 'now'>
}

/** Returns the object in the served version. */
export interface ObjectOf {
  (stored: StoredObject): ApiObject
  readonly form: string
}

/** The time in which the budget of a watch is refilled. */
const WATCH_SECONDS = 60

export class ObjectQueries {
  readonly #options: ObjectQueryOptions
  /** All lists and watches together evaluate conditions in these turns. */
  readonly #turns = new Turns()
  /** The objects that were parsed last, because all watches examine the same objects one after the other. */
  #parsed: readonly (readonly [StoredObject, string, ApiObject])[] = []

  constructor(options: ObjectQueryOptions) {
    this.#options = options
  }

  /** Throws `ApiError` `BadRequest` with the position of a fault. */
  parse(resource: Resource, parameters: Parameters, verb: 'list' | 'watch'): ObjectQuery {
    const text = (name: string): string => parameters.get(name) ?? ''
    const isGrouped = isTrue(parameters, 'count') || ['groupBy', 'sum', 'min', 'max'].some((name) => text(name) !== '')
    if (verb === 'watch') {
      const other = OF_LISTS.find((name) => (FLAGS.has(name) ? isTrue(parameters, name) : text(name) !== ''))
      if (other !== undefined) throw new ApiError('BadRequest', `${other}: a watch cannot have it`)
    }
    if (isGrouped && text('select') !== '') {
      throw new ApiError('BadRequest', 'select: a query with count, groupBy, sum, min or max has no objects')
    }
    const { shape } = resource.schema
    return {
      where: text('where') === '' ? undefined : parseWhere(resource, text('where')),
      order: isGrouped || text('orderBy') === '' ? [] : parseOrder(text('orderBy'), shape),
      select: text('select') === '' ? undefined : parseSelect(text('select'), resource.schema),
      grouping: isGrouped ? parseGrouping(parameters, shape) : undefined,
      isAccessible: isTrue(parameters, 'accessible'),
      isExplained: isTrue(parameters, 'explainQuery'),
      digest: digestOf(resource, parameters),
    }
  }

  condition(where: Where, objectOf: ObjectOf, verb: 'list' | 'watch'): Condition {
    const { form } = objectOf
    const key = `${form} ${where.text}`
    return new Condition({ ...where, key, objectOf, allowance: this.#allowance(verb), turns: this.#turns })
  }

  /** `form` distinguishes the versions of a kind. Remembers two objects, because a change has an old and a new object. */
  objectOf(form: string, make: (stored: StoredObject) => ApiObject): ObjectOf {
    const objectOf = (stored: StoredObject): ApiObject => {
      for (const [known, knownForm, object] of this.#parsed) if (known === stored && knownForm === form) return object
      const object = make(stored)
      const last = this.#parsed.at(-1)
      this.#parsed = last === undefined ? [[stored, form, object]] : [last, [stored, form, object]]
      return object
    }
    return Object.assign(objectOf, { form })
  }

  #allowance(verb: 'list' | 'watch'): Allowance {
    const { scanLimit, clock } = this.#options
    const perSecond = verb === 'watch' ? 1 / WATCH_SECONDS : 0
    const now = (): number => clock.now()
    const bucket = (burst: number): TokenBucket => new TokenBucket({ burst, perSecond: burst * perSecond }, now())
    const [looks, costs] = [bucket(scanLimit), bucket(REQUEST_COST)]
    return {
      look: () => looks.take(1, now),
      most: scanLimit,
      spend: (cost) => costs.take(cost, now),
    }
  }
}

const OF_LISTS: readonly string[] = ['orderBy', 'count', 'groupBy', 'sum', 'min', 'max', 'explainQuery']
const FLAGS: ReadonlySet<string> = new Set(['count', 'explainQuery'])

function isTrue(parameters: Parameters, name: string): boolean {
  const value = parameters.get(name)
  return value !== undefined && value !== null && value !== '0' && value.toLowerCase() !== 'false'
}

function parseWhere(resource: Resource, text: string): Where {
  const compiled = compileCondition(text, resource.schema)
  if (compiled.kind === 'program') {
    const { program } = compiled
    const { all, isWhole } = program.equalities('object')
    // A conversion may move all fields except the name and the namespace.
    const pins = resource.conversion.isIdentity
      ? all
      : all.filter(({ path }) => /^metadata\.name(space)?$/.test(path.join('.')))
    return {
      text,
      program,
      pins,
      arePinsEnough: isWhole && pins.length === all.length,
      advice: indexAdvice(resource, pins),
    }
  }
  const causes = compiled.issues.map(({ message, line, column }) => ({
    reason: 'FieldValueInvalid',
    message: `${Math.max(line, 1)}:${Math.max(column, 1)}: ${message}`,
    field: 'where',
  }))
  const [first] = causes
  if (first === undefined) throw queryFault('where', 1, 'the expression cannot be read')
  throw new ApiError('BadRequest', causes.map(({ message }) => `where: ${message}`).join('\n'), { details: { causes } })
}

/** Advice to the operator: an index with which such a query reads fewer objects. */
function indexAdvice(resource: Resource, pins: Where['pins']): string {
  const [pin] = pins
  if (pin === undefined) return 'select fewer objects with a namespace, a labelSelector or a field that equals a value'
  const name = pathName(pin.path)
  const kind = formatGroupResource(resource.stored)
  if (!resource.isCustom) return `an index would help: --index ${kind}=${name}`
  return `an index would help: the annotation ${INDEXES}: ${name} on the definition of ${kind}`
}

const IN_DIGEST: readonly string[] = [
  'where',
  'orderBy',
  'select',
  'count',
  'groupBy',
  'sum',
  'min',
  'max',
  'accessible',
  'labelSelector',
  'fieldSelector',
]

function digestOf({ group, version, resource }: Resource, parameters: Parameters): string {
  const parts = IN_DIGEST.map((name) => parameters.get(name) ?? '')
  return createHash('sha256')
    .update(JSON.stringify([group, version, resource, ...parts]))
    .digest('base64url')
    .slice(0, 22)
}
