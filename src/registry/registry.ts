// The front door: the record of a served resource, and the verbs on it. The record has facts and the strategy of its kind. The pipelines in
// this folder are the same for all resources.
import type { Admission, AtEnd } from '../admission/admission.ts'
import type { FieldError } from '../api/field-error.ts'
import type { ApiObject, GroupVersionKind, GroupVersionResource } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import type { SelectableFields } from '../api/selector-fields.ts'
import type { User } from '../api/user.ts'
import type { ValueMap } from '../api/value.ts'
import type { TableShape } from '../codec/table.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Random } from '../lib/random.ts'
import type { KindVersions } from '../patch/ownership.ts'
import type { SharedField } from '../patch/view-ownership.ts'
import type { DefaultsContext } from '../schema/defaults/defaults.ts'
import type { Decoded } from '../schema/decode.ts'
import type { SourceValue } from '../schema/exact-value.ts'
import type { KindSchema } from '../schema/table.ts'
import type { Store, StoredResource } from '../store/store.ts'

/** A kind in one version, as it is read and written: the kind of a resource, of a view, or of the body of an action. */
export interface WrittenKind extends GroupVersionKind {
  readonly schema: KindSchema
  /** Custom resources have other messages and routes in a few places. */
  readonly isCustom: boolean
  /** The stored kind. The pipelines work on objects of this kind. */
  readonly storedKind: GroupVersionKind
  readonly conversion: Pick<Conversion, 'isIdentity' | 'fromStored'>
  /** The object with every default of its kind filled in, in the served version. */
  readonly withDefaults: (object: ApiObject, context: DefaultsContext) => ApiObject
  /**
   * Decodes a document to an object of the served version. Throws `DecodeError`. Parts that are shared with `known`, a canonical object,
   * are not decoded again.
   */
  readonly decode: (source: SourceValue, known?: ValueMap) => Decoded
  /** All versions under which managed fields may be recorded. */
  readonly versions: KindVersions
  /** The printer columns. */
  readonly columns: TableShape
  /** The part of a definition about serving its objects; absent for built-in kinds. */
  readonly custom?: CustomFacts
}

/** A resource in one served version. Versions of one resource share their stored objects. */
export interface Resource extends GroupVersionResource, WrittenKind {
  readonly singular: string
  readonly namespaced: boolean
  /** The verbs that are served, in the words of discovery. */
  readonly verbs: ReadonlySet<string>
  /** The subresources of an object, by name. */
  readonly subresources: ReadonlyMap<string, Subresource>
  /** The warnings in every answer. */
  readonly deprecations: readonly string[]
  readonly stored: StoredResource
  /** The fields by which clients can select objects. */
  readonly selectable: SelectableFields
  readonly conversion: Conversion
  /** Returns the stored form: members are in order, and members that answers leave out are removed. */
  readonly toCanonical: (object: ApiObject, known?: KnownObject) => ApiObject
  readonly strategy: Strategy
  /** Estimates the costs of the expressions in an object, in one step for each expression. Absent: the kind has no expressions. */
  readonly ruleCosts?: ((object: ApiObject) => Generator<void, ValueMap>) | undefined
}

/** A canonical object from which another object was made. Parts that the objects share need not be visited. */
export interface KnownObject {
  readonly object: ValueMap
  /** Whether its members are in the order in which they are stored. */
  readonly isInOrder: boolean
}

export interface CustomFacts {
  readonly listKind: string
  /** Whether objects are stored in this version; absent if the kind has no versions of its own. */
  readonly isStorageVersion?: boolean
  /** Converts objects to another version of the kind, and keeps their order. Absent if the kind has no versions of its own. */
  readonly convert?: (
    objects: readonly ApiObject[],
    toApiVersion: string,
    signal: AbortSignal,
  ) => MaybePromise<readonly ApiObject[]>
}

export interface Subresource {
  readonly kind: GroupVersionKind
  readonly verbs: ReadonlySet<string>
  /** Present if the subresource shows objects of the resource as another kind. */
  readonly view?: ObjectView
}

/**
 * Shows an object as another kind, through which clients can change it (`scale`). Objects are in the stored version. `conversion` makes the
 * view without managedFields.
 */
export interface ObjectView extends WrittenKind {
  /** Like `conversion.fromStored`, but for writes: an object that cannot be shown can still be written. */
  readonly live?: (stored: ApiObject) => ApiObject
  /** The stored object with the changes of the view. */
  readonly merge: (view: ApiObject, stored: ApiObject) => ApiObject
  readonly validate: (view: ApiObject) => readonly FieldError[]
  readonly sharedField: SharedField
}

/** The served resources. There is one table for the server's life, and definitions change its content. */
export interface ResourceTable {
  find(resource: GroupVersionResource): Resource | undefined
  all(): Iterable<Resource>
  findAction(place: GroupVersionResource & { readonly subresource: string }): Action | undefined
  /** Whether discovery lists the resource although it stores nothing. */
  isDeclared(resource: GroupVersionResource): boolean
  /** Whether the kind exists, served or not. */
  knowsKind(kind: GroupVersionKind): boolean
  /** Calls `tell` after every change of the table, until the returned function is called. */
  onChange(tell: () => void): () => void
}

/** Converts between a served version and the stored one. The identity if they are equal. */
export interface Conversion {
  readonly isIdentity: boolean
  toStored(object: ApiObject): ApiObject
  fromStored(object: ApiObject): ApiObject
}

export type Propagation = 'Background' | 'Foreground' | 'Orphan'

export interface PropagationOptions {
  readonly orphanDependents: boolean | undefined
  readonly propagationPolicy: Propagation | undefined
}

/** The particular behaviour of a kind. Objects are in the stored version and never changed in place. */
export interface Strategy<T extends ApiObject = ApiObject> {
  /** PUT with a resourceVersion creates an object that does not exist (W-095). */
  readonly createOnUpdate: boolean
  /** PUT without a resourceVersion overwrites (W-107). */
  readonly unconditionalUpdate: boolean
  /** The first `metadata.generation`. Undefined: objects have no generation. */
  readonly firstGeneration: number | undefined
  /** Without this gate, objects have no generation. */
  readonly generationGate?: string | undefined
  /** Whether an update changes the specification, and so the generation. Called only for kinds with a generation. */
  readonly bumpsGeneration: (object: T, stored: T) => boolean
  /** The subresources whose writes can change the generation (`scale`, `resize`, `ephemeralcontainers`). */
  readonly bumpsGenerationOn: ReadonlySet<string>
  /** The answer to a removal is the object, not a Status (W-309). */
  readonly answersDeleteWithObject: boolean
  /** The default propagation policy of deletions. Undefined: the kind has no dependents, and finalizers are never added (W-325). */
  readonly defaultPropagation: Propagation | undefined
  /** Changes a new object to the form in which it is first stored. */
  readonly prepareForCreate: (object: T, context: WriteContext) => T
  readonly main: UpdateEndpoint<T>
  /** The subresources, by name: `status`, `finalize`, … */
  readonly subresources: Readonly<Record<string, UpdateEndpoint<T>>>
  readonly validateCreate: (object: T, context: WriteContext) => readonly FieldError[]
  readonly warnings: (object: T, stored: T | undefined, context: WriteContext) => readonly string[]
  readonly ttlSeconds: number | undefined
  /** The grace period of a deletion. Undefined: objects of the kind are removed at once (all but pods). */
  readonly gracePeriodSeconds: ((object: T, asked: number | undefined) => number) | undefined
  /** Whether something besides finalizers keeps a terminating object, such as a namespace's own finalizers. */
  readonly isHeldBack: (object: T) => boolean
  /**
   * Marks an object whose first deletion only marks it (namespaces, custom definitions). The kind's controller does the rest. Undefined for
   * other kinds.
   */
  readonly markOnDelete: ((object: T, now: string, propagation: PropagationOptions) => T) | undefined
  /** The reason why the object may not be deleted. Undefined: the object may be deleted. */
  readonly refuseDelete: (name: string) => string | undefined
  /** The warning for a delete without a propagation policy. */
  readonly deleteWarning: string | undefined
  /** Reservations that must be made before the object can be stored (addresses, ports). */
  readonly reserve: Reserve<T> | undefined
  /** Throws `Forbidden` if the user may write such objects, but not this one. Called after admission and before validation. */
  readonly authorizeWrite?: AuthorizeWrite<T> | undefined
}

export type AuthorizeWrite<T extends ApiObject = ApiObject> = (
  write: GuardedWrite<T>,
  context: WriteContext,
  parts: RegistryParts,
) => Promise<void>

export interface GuardedWrite<T extends ApiObject = ApiObject> {
  readonly object: T
  /** Absent: the object is created. */
  readonly stored: T | undefined
  /** The name in the path. Empty for a create in a collection. */
  readonly name: string
}

/**
 * Makes the reservation of an object, and fills the reserved values in. `settle` is called at most once: with true if the object was
 * stored, with false to release the reservation, and not at all if the outcome is unknown. A dry run reserves nothing.
 */
export type Reserve<T extends ApiObject = ApiObject> = (
  change: ReserveRequest<T>,
  context: WriteContext,
  parts: RegistryParts,
) => Promise<Reservation<T>>

export interface ReserveRequest<T extends ApiObject = ApiObject> {
  /** Absent: the object is removed. */
  readonly object: T | undefined
  /** Absent: the object is created. */
  readonly stored: T | undefined
}

export interface Reservation<T extends ApiObject = ApiObject> {
  readonly object: T | undefined
  readonly settle: (stored: boolean) => Promise<void>
}

/** The part of a stored object that one endpoint may change. */
export interface UpdateEndpoint<T extends ApiObject = ApiObject> {
  /** The object to store: fields that this endpoint cannot change come from the stored object. */
  readonly prepare: (object: T, stored: T, context: WriteContext) => T
  readonly validate: (object: T, stored: T, context: WriteContext) => readonly FieldError[]
  /** The dotted paths of the fields that get no owner from a write through this endpoint. */
  readonly resetFields: readonly string[]
  /** The warnings for writes through a subresource. */
  readonly warnings?: (object: T) => readonly string[]
}

export interface WriteContext {
  readonly user: User
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  readonly dryRun: boolean
  /** RFC 3339 in whole seconds: one moment for the whole request. */
  readonly now: string
  /** The source of uids, generated names and free addresses. Absent: the system's. */
  readonly random?: Random | undefined
  /** The names of the feature gates that are on. */
  readonly gates: ReadonlySet<string>
  readonly warn: (text: string) => void
  /** Adds an audit annotation; only the first value of a key counts. */
  readonly annotate: (key: string, value: string) => void
  readonly signal: AbortSignal
  /** The deadline for webhooks, by `performance.now()`. Absent: no limit. */
  readonly deadline?: number | undefined
  /** The field manager, for writes that are not applies. */
  readonly fieldManager: string
  /** The request's CreateOptions, UpdateOptions, PatchOptions or DeleteOptions, for admission. */
  readonly options: ValueMap
  /** Throws `Forbidden` if the user may not use this verb on the object. The verb of the request itself is already authorized. */
  readonly authorize: (verb: string) => Promise<void>
  /** Absent: the write belongs to no batch. */
  readonly batch?: WriteBatch | undefined
  /** Call this after a wait: from now on, the time of the event loop counts for the request. Absent: no request. */
  readonly resume?: (() => void) | undefined
}

/** Writes that are stored together or not at all. */
export interface WriteBatch {
  /** The server's own parts: reservations are made at once, and roles are those from before the batch. */
  readonly registry: RegistryParts
  /** The function is called when it is known whether the batch was stored; not at all if that remains unknown. */
  readonly atEnd: AtEnd
}

export interface RegistryParts {
  readonly store: Store
  readonly dryRunStore: Store
  readonly admission: Admission
}

export interface WriteAnswer {
  readonly object: ApiObject | StoredObject
  readonly created: boolean
}

export interface ActionPlace extends GroupVersionResource {
  /** Empty: the action is the resource, and has no name. */
  readonly subresource: string
  readonly namespaced: boolean
}

export interface Action<T extends ApiObject = ApiObject> {
  readonly at: ActionPlace
  /** The kind of the body, and of the answer unless the answer is a Status. */
  readonly body: WrittenKind
  /** Other versions of the body's group in which clients may send the body, because they mean the same. */
  readonly alsoVersions: readonly string[]
  /** Runs the action. The body is decoded and defaulted, and admission may have changed it. Throws `ApiError`. */
  readonly run: (body: T, context: ActionContext) => Promise<ActionAnswer>
}

export type ActionAnswer =
  /** The answer is a Status. */
  | { readonly kind: 'done' }
  /** The answer is this object, which has the kind of the body. */
  | { readonly kind: 'object'; readonly object: ApiObject }

export interface ActionContext extends WriteContext {
  readonly parts: RegistryParts
  readonly resources: ResourceTable
  /** The name in the path; empty if the action is the resource. */
  readonly name: string
  /** The caller requests an explanation of the answer. */
  readonly explain?: boolean
  /** Runs validating admission. Call this once, before anything is done. */
  readonly validate: (body: ApiObject) => Promise<void>
}
