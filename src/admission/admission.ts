// The front door: what others may change or refuse before a write is stored. The registry asks; plugins, policies and
// webhooks answer.
import type { ApiObject, GroupVersionKind, GroupVersionResource } from '../api/object.ts'
import type { User } from '../api/user.ts'
import type { ValueMap } from '../api/value.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

export interface AdmissionRequest {
  readonly operation: AdmissionOperation
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  /** What the client asked for: `kind` and `resource` say the stored version, these the version in the path. */
  readonly requestKind: GroupVersionKind
  readonly requestResource: GroupVersionResource
  /** Empty for the resource itself. */
  readonly subresource: string
  /** Empty for what belongs to the whole cluster. */
  readonly namespace: string
  /** Empty where the name is still to be generated, and for each object of a deletecollection. */
  readonly name: string
  /** Absent for DELETE. */
  readonly object: ApiObject | undefined
  /** Absent for CREATE. */
  readonly oldObject: ApiObject | undefined
  readonly user: User
  readonly dryRun: boolean
  /** The CreateOptions, UpdateOptions or DeleteOptions of the request. */
  readonly options: ValueMap
  /** Tells the client something without refusing the request. */
  readonly warn: (text: string) => void
  /** A note for the audit log, `pod-security.kubernetes.io/enforce-policy`; the first word on a key stands. */
  readonly annotate: (key: string, value: string) => void
  /** By `performance.now()`: when an answer is too late. Absent: never. */
  readonly deadline?: number | undefined
  /** Only in the mutating pass, and only where a plugin of the chain may ask for a second one. */
  readonly walk?: MutatingWalk
}

/** The mutating pass of one request: once through the chain, and once more where something late changed the object (W-447). */
export interface MutatingWalk {
  readonly isSecond: boolean
  /** What plugins remember of the first walk, each under its own name. */
  readonly memory: Map<string, unknown>
  /** The chain is to be walked a second time; nothing happens where this is the second. */
  repeat(): void
}

/** Throws `ApiError` to refuse. Called again with a fresh object where a write lost a race. */
export interface Admission {
  /** The object as it is to be stored; the very same one where nothing changes. */
  mutate(request: AdmissionRequest, signal: AbortSignal): MaybePromise<ApiObject | undefined>
  validate(request: AdmissionRequest, signal: AbortSignal): MaybePromise<void>
}

/** One of a chain. It is only asked about what it says it cares for. */
export interface AdmissionPlugin {
  /** As it is switched on and off by; absent: it is always on. */
  readonly name?: string
  /** `pods`, `ingresses.networking.k8s.io`; absent: all resources. Their subresources are meant too. */
  readonly resources?: readonly string[]
  /** Absent: all. */
  readonly operations?: readonly AdmissionOperation[]
  /** It may ask for a second walk. */
  readonly mayRepeat?: boolean
  readonly mutate?: (
    request: AdmissionRequest,
    signal: AbortSignal,
  ) => ApiObject | undefined | Promise<ApiObject | undefined>
  readonly validate?: (request: AdmissionRequest, signal: AbortSignal) => void | Promise<void>
}

/** Admits everything as it is. */
export const ADMIT_ALL: Admission = Object.freeze({
  mutate: (request: AdmissionRequest) => request.object,
  validate: () => {},
})
