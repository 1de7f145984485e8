// The front door of admission: plugins, policies and webhooks change or refuse a write before it is stored.
import type { ApiObject, GroupVersionKind, GroupVersionResource } from '../api/object.ts'
import type { User } from '../api/user.ts'
import type { ValueMap } from '../api/value.ts'
import type { WriteCondition } from '../api/write-condition.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** Registers a function that is called when it is known whether the write was stored. */
export type AtEnd = (settle: (isStored: boolean) => Promise<void>) => void

export interface AdmissionRequest {
  readonly operation: AdmissionOperation
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  /** The kind in the version of the path. `kind` and `resource` have the stored version. */
  readonly requestKind: GroupVersionKind
  readonly requestResource: GroupVersionResource
  /** Empty for the resource itself. */
  readonly subresource: string
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  /** Empty if the name is still to be generated, and for each object of a deletecollection. */
  readonly name: string
  /** Absent for DELETE. Reading this member may cost a parse of the object. */
  readonly object: ApiObject | undefined
  /** Absent for CREATE. */
  readonly oldObject: ApiObject | undefined
  readonly user: User
  readonly dryRun: boolean
  /** The CreateOptions, UpdateOptions or DeleteOptions of the request. */
  readonly options: ValueMap
  /** Sends a warning to the client, without refusing the request. */
  readonly warn: (text: string) => void
  /** Adds an audit annotation such as `pod-security.kubernetes.io/enforce-policy`. The first value of a key is kept. */
  readonly annotate: (key: string, value: string) => void
  /** The deadline, by `performance.now()`. Absent: none. */
  readonly deadline?: number | undefined
  /** Set for the writes of a batch, which may fail long after they were admitted. */
  readonly atEnd?: AtEnd | undefined
  /** The conditions of the write. Plugins of the validating phase set them. */
  onlyIf?: readonly WriteCondition[]
  /** Set by the chain while mutating, if a plugin of the chain may ask for reinvocation. */
  walk?: MutatingWalk | undefined
}

/** The mutating phase of a request: one pass through the chain, and a second one if a late change asks for it (W-447). */
export interface MutatingWalk {
  readonly isSecond: boolean
  /** The state that plugins keep from the first pass, by plugin. */
  readonly memory: Map<string, unknown>
  /** Asks for a second pass. Ignored in the second pass. */
  repeat(): void
}

/** Admits writes. The methods throw `ApiError` to refuse a write. They are called again after a conflict, with a new object. */
export interface Admission {
  /** Returns the object to store. Undefined: nothing changes. */
  mutate(request: AdmissionRequest, signal: AbortSignal): MaybePromise<ApiObject | undefined>
  validate(request: AdmissionRequest, signal: AbortSignal): MaybePromise<void>
  /** Whether webhooks, policies or functions take part in this phase. They must get complete objects. */
  hasExtensions(phase: AdmissionPhase): boolean
  /** Whether a plugin may read the objects of such a request in this phase, as far as is known now. */
  readsObjects(phase: AdmissionPhase, request: AdmissionPlace): boolean
}

export type AdmissionPhase = 'mutate' | 'validate'

export type AdmissionPlace = Pick<AdmissionRequest, 'resource' | 'operation' | 'namespace'>

/** A plugin of the chain. It is called only for its resources and operations. */
export interface AdmissionPlugin {
  /** The name in flags. Absent: the plugin is always enabled. */
  readonly name?: string
  /** The resources, such as `pods` or `ingresses.networking.k8s.io`, with their subresources. Absent: all resources. */
  readonly resources?: readonly string[]
  /** Absent: all operations. */
  readonly operations?: readonly AdmissionOperation[]
  /** The plugin may ask for a second pass. */
  readonly mayRepeat?: boolean
  /** Returns the changed object. Undefined or the same object: nothing changes. */
  readonly mutate?: (
    request: AdmissionRequest,
    signal: AbortSignal,
  ) => ApiObject | undefined | Promise<ApiObject | undefined>
  readonly validate?: (request: AdmissionRequest, signal: AbortSignal) => void | Promise<void>
  /** Whether the plugin passes objects on to webhooks, policies or functions. Absent: it does not. */
  readonly hasExtensions?: () => boolean
  /** Whether the plugin reads the objects of a request. Absent: `hasExtensions` decides. If both are absent, the plugin reads them. */
  readonly readsObjects?: (request: AdmissionPlace) => boolean
}

export const ADMIT_ALL: Admission = Object.freeze({
  mutate: () => undefined,
  validate: () => {},
  hasExtensions: () => false,
  readsObjects: () => false,
})
