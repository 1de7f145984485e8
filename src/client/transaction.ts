// Transactions: operations on several objects, which the server stores in one revision or not at all. Only Quarterdeck has them.
import { checkOptions, checkValue, isRecord, type OptionTypes, type ValueType } from '../lib/known-options.ts'
import { CALL, type PatchType, type WriteOptions } from './endpoint.ts'
import type { KubernetesObject } from './objects.ts'
import type { Requests } from './requests.ts'
import type { DeleteOptions } from './resource.ts'

/** An object with its apiVersion and kind. */
export type TransactionObject = KubernetesObject & { readonly apiVersion: string; readonly kind: string }

export interface TransactionTarget {
  readonly apiVersion: string
  readonly kind: string
  /** For objects that belong to a namespace. */
  readonly namespace?: string
  readonly name: string
}

/** Each has exactly one verb. */
export type TransactionOperation =
  | { readonly create: TransactionObject; readonly fieldManager?: string }
  | { readonly update: TransactionObject; readonly fieldManager?: string }
  | { readonly apply: TransactionObject; readonly fieldManager: string; readonly force?: boolean }
  | {
      readonly patch: { readonly target: TransactionTarget; readonly type: PatchType; readonly patch: unknown }
      readonly fieldManager?: string
    }
  | {
      readonly delete: {
        readonly target: TransactionTarget
        readonly options?: Pick<DeleteOptions, 'gracePeriodSeconds' | 'propagationPolicy'> & {
          readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
        }
      }
    }
  /** The object must have this version before the transaction. */
  | { readonly expect: { readonly target: TransactionTarget; readonly resourceVersion: string } }
  | { readonly expect: { readonly target: TransactionTarget; readonly absent: true } }

export type TransactionVerb = 'create' | 'update' | 'apply' | 'patch' | 'delete' | 'expect'

/** The result of an operation. */
export interface TransactionResult {
  readonly operation: TransactionVerb
  /** `deleting`: the object is marked, and goes when its finalizers or its grace period allow it. */
  readonly result: 'created' | 'updated' | 'unchanged' | 'deleted' | 'deleting' | 'expected'
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly uid?: string
  readonly resourceVersion?: string
}

export interface TransactionAnswer {
  /** The ID of the transaction. Its audit events have the same ID. */
  readonly id: string
  /** The resourceVersion of all written objects. Absent for a dry run. */
  readonly resourceVersion?: string
  /** One result for each operation, in the order of the operations. */
  readonly results: readonly TransactionResult[]
}

const VERBS: readonly string[] = ['create', 'update', 'apply', 'patch', 'delete', 'expect']
const FIELDS = { fieldManager: 'text?', fieldValidation: ['Ignore', 'Warn', 'Strict'] } as const
const OPTIONS: OptionTypes<WriteOptions> = { ...CALL, ...FIELDS, dryRun: 'boolean' }

/** Throws `ApiStatusError` if an operation is refused. `details.causes` has the place of the operation, such as `operations[2]`. */
export async function sendTransaction(
  requests: Requests,
  operations: readonly TransactionOperation[],
  options: WriteOptions = {},
): Promise<TransactionAnswer> {
  checkOptions('transaction', options, OPTIONS)
  if (!Array.isArray(operations)) throw new TypeError('transaction: the operations must be a list')
  for (const [at, operation] of operations.entries()) {
    checkValue(`transaction: operations[${at}]`, 'operation', operation, ONE_VERB)
  }
  const { dryRun, fieldManager, fieldValidation, ...call } = options
  const { status } = await requests.json<{ readonly status: TransactionAnswer }>({
    method: 'POST',
    path: '/apis/transactions.quarterdeck.io/v1/transactions',
    query: { dryRun: dryRun === true ? 'All' : undefined, fieldManager, fieldValidation },
    body: { kind: 'Transaction', apiVersion: 'transactions.quarterdeck.io/v1', operations },
    ...call,
  })
  return status
}

const ONE_VERB: ValueType = {
  wanted: `an object with exactly one of ${VERBS.join(', ')}`,
  fits: (value: unknown): boolean => isRecord(value) && VERBS.filter((verb) => value[verb] !== undefined).length === 1,
}
