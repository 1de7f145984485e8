// Converts objects between versions of a resource by the functions of its definition, and answers the API server's requests for conversion.
import { isList, isMap, type Value, type ValueMap } from '../api/value.ts'
import { fieldOf } from './field-path.ts'
import type { Report, StructuralSchema } from './structural.ts'

/** The API server's request to convert objects, or the answer to it, with `response`. */
export interface ConversionReview {
  readonly apiVersion: string
  readonly kind: string
  readonly request?: {
    readonly uid: string
    readonly desiredAPIVersion: string
    readonly objects: readonly ValueMap[]
  }
  readonly response?: {
    readonly uid: string
    readonly convertedObjects?: readonly ValueMap[]
    readonly result: { readonly status: 'Success' } | { readonly status: 'Failure'; readonly message: string }
  }
}

type Convert = (object: ValueMap) => ValueMap

export class Conversion {
  readonly #group: string
  readonly #names: readonly string[]
  readonly #schemas: ReadonlyMap<string, StructuralSchema>
  /** Empty: objects are the same in all versions. */
  readonly #functions: ReadonlyMap<string, Convert>

  /** The schemas of all versions, and the functions by `FROM -> TO`. */
  constructor(
    group: string,
    schemas: ReadonlyMap<string, StructuralSchema>,
    functions: Readonly<Record<string, Convert | undefined>>,
  ) {
    this.#group = group
    this.#schemas = schemas
    this.#names = [...schemas.keys()]
    const given = Object.entries(functions).filter((entry): entry is [string, Convert] => entry[1] !== undefined)
    this.#functions = new Map(given)
  }

  get hasFunctions(): boolean {
    return this.#functions.size > 0
  }

  /** Every version must be reachable from every other, because clients choose the version. */
  check(report: Report): void {
    for (const pair of this.#functions.keys()) {
      const [from = '', to = ''] = pair.split(' -> ')
      if (!this.#names.includes(from) || !this.#names.includes(to) || from === to) {
        report(`convert["${pair}"]`, `is not "FROM -> TO" with two of the versions ${this.#names.join(', ')}`)
      }
    }
    if (!this.hasFunctions) return
    for (const from of this.#names) {
      for (const to of this.#names) {
        if (this.#route(from, to) === undefined)
          report('convert', `no way from ${from} to ${to}: add "${from} -> ${to}"`)
      }
    }
  }

  /** The object in version `to`. Throws the errors of the functions, and a RangeError for an unknown version. */
  convert(object: ValueMap, to: string): ValueMap {
    const from = this.#versionIn(object['apiVersion'])
    const route = this.#names.includes(from) && this.#names.includes(to) ? this.#route(from, to) : undefined
    if (route === undefined)
      throw new RangeError(`cannot convert ${from} to ${to}: the versions are ${this.#names.join(', ')}`)
    return route.reduce((current, next) => this.#step(current, next), object)
  }

  review({ apiVersion, kind, request }: ConversionReview): ConversionReview {
    const uid = request?.uid ?? ''
    try {
      if (request === undefined) throw new TypeError('the review has no request')
      const to = this.#versionIn(request.desiredAPIVersion)
      const convertedObjects = request.objects.map((object) => this.convert(object, to))
      return { apiVersion, kind, response: { uid, convertedObjects, result: { status: 'Success' } } }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return { apiVersion, kind, response: { uid, result: { status: 'Failure', message } } }
    }
  }

  #versionIn(apiVersion: Value | undefined): string {
    return typeof apiVersion === 'string' ? apiVersion.replace(`${this.#group}/`, '') : ''
  }

  /** The versions on the shortest way, without the first. Undefined: there is no way. */
  #route(from: string, to: string): readonly string[] | undefined {
    if (!this.hasFunctions || from === to) return from === to ? [] : [to]
    const routes: string[][] = [[]]
    const seen = new Set([from])
    for (const route of routes) {
      const at = route.at(-1) ?? from
      if (at === to) return route
      const next = this.#names.filter((name) => !seen.has(name) && this.#functions.has(`${at} -> ${name}`))
      for (const name of next) {
        seen.add(name)
        routes.push([...route, name])
      }
    }
    return undefined
  }

  /**
   * Converts an object by one function, or only changes its version. The API server would refuse changes of metadata other than labels and
   * annotations, so other metadata stays. A status that the function leaves out stays too. The server fills in no defaults after a
   * conversion, but the next function and the readers expect them.
   */
  #step(object: ValueMap, to: string): ValueMap {
    const from = this.#versionIn(object['apiVersion'])
    const converted = this.#functions.get(`${from} -> ${to}`)?.(object) ?? object
    const before = (object['metadata'] ?? {}) as ValueMap
    const { labels, annotations } = (converted['metadata'] ?? before) as Readonly<Record<string, Value | undefined>>
    const { labels: _labels, annotations: _annotations, ...kept } = before
    const metadata = {
      ...kept,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    }
    const schema = this.#schemas.get(to)!
    const keepsStatus = !('status' in converted) && 'status' in object && schema.properties?.['status'] !== undefined
    const whole = withDefaults(
      schema,
      keepsStatus ? { ...converted, status: object['status']! } : converted,
    ) as ValueMap
    return { ...whole, apiVersion: `${this.#group}/${to}`, kind: object['kind']!, metadata }
  }
}

function withDefaults(schema: StructuralSchema, value: Value): Value {
  const { items, properties = {} } = schema
  if (isList(value)) return items === undefined ? value : value.map((item) => withDefaults(items, item))
  if (!isMap(value)) return value
  const given = Object.entries(value).filter(([, field]) => field !== undefined)
  const absent = Object.entries(properties).flatMap(([name, field]) =>
    field.default === undefined || value[name] !== undefined ? [] : [[name, field.default] as const],
  )
  const fields = [...given, ...absent].map(([name, field]) => {
    const known = fieldOf(schema, name)
    return [name, known === undefined ? field : withDefaults(known, field)]
  })
  return Object.fromEntries(fields) as ValueMap
}
