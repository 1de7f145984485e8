// Queries on lists and watches. Only Quarterdeck has them. Lists are sent with the method QUERY: other servers refuse it, but would answer
// a GET with all objects.
import { fits, type OptionTypes, type ValueType } from '../lib/known-options.ts'
import { CALL, type CallOptions, type Endpoint } from './endpoint.ts'
import type { KubernetesObject, Stored } from './objects.ts'
import type { Query } from './requests.ts'

/** Selects objects by their fields, and by the rights of the caller. */
export interface Condition {
  /** An expression in CEL: `object.status.phase == 'Running' && object.spec.priority > 3`. */
  readonly where?: string
  /** Selects the objects that the caller may read, in any namespace. Otherwise the server may answer with `Forbidden`. */
  readonly accessible?: boolean
}

/** One field or several: `metadata.name`, `spec.containers[0].image`, `metadata.labels['app.kubernetes.io/name']`. */
export type Fields = string | readonly string[]

/** The fields that divide the objects into groups, and the fields that are measured for each group. */
export interface Grouping {
  /** The objects with equal values of these fields are one group. */
  readonly by: Fields
  /** Fields with numbers or quantities. */
  readonly sum?: Fields
  readonly min?: Fields
  readonly max?: Fields
  /** Fields of `by`, or `count`: `count desc`. Default: the values of the group. */
  readonly orderBy?: Fields
}

/** The measurements of a group. A value is null if no object has the field. */
export interface QueryRow {
  readonly group: Readonly<Record<string, unknown>>
  readonly count: number
  readonly sum?: Readonly<Record<string, number | string | null>>
  readonly min?: Readonly<Record<string, unknown>>
  readonly max?: Readonly<Record<string, unknown>>
}

/** An object with some of its fields. */
export type Selected<T extends KubernetesObject> = Part<T> & {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Pick<Stored<T>['metadata'], 'name' | 'resourceVersion'>
}

type Part<T> = T extends readonly (infer Item)[]
  ? readonly Part<Item>[]
  : T extends object
    ? { readonly [K in keyof T]?: Part<T[K]> }
    : T

/** An empty list would mean all fields. */
export const FIELDS: ValueType = {
  wanted: 'the name of a field, or a list of names',
  fits: (value) => fits(value, 'text') || (fits(value, 'texts') && (value as readonly string[]).length > 0),
}
export const CONDITION: OptionTypes<Condition> = { where: 'text', accessible: 'boolean?' }
export const ORDER = { orderBy: FIELDS } as const
export const GROUPING: OptionTypes<Grouping> = { by: FIELDS, sum: FIELDS, min: FIELDS, max: FIELDS, orderBy: FIELDS }

export function isQuery({ where, accessible, orderBy }: Condition & { readonly orderBy?: Fields }): boolean {
  return where !== undefined || accessible === true || orderBy !== undefined
}

/** `parameters`: the parameters of the list. */
export async function sendQuery<R>(
  endpoint: Endpoint,
  { accessible, ...parameters }: Query,
  options: CallOptions,
): Promise<R> {
  const body = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined))
  const query = accessible === true ? { accessible } : {}
  return endpoint.call<R>({ verb: 'list', method: 'QUERY', place: {}, query, body }, options)
}

export async function sendGrouping(
  endpoint: Endpoint,
  parameters: Query,
  options: CallOptions,
): Promise<readonly QueryRow[]> {
  const { rows } = await sendQuery<{ readonly rows: readonly QueryRow[] }>(endpoint, parameters, options)
  return rows
}

export function fieldsText(fields: Fields | undefined): string | undefined {
  return typeof fields === 'string' ? fields : fields?.join(',')
}

export const QUERY_CALL = { ...CALL, ...CONDITION } as const
