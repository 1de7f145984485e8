// Messages between the main thread and a thread for large writes. Objects travel as JSON text: the main thread parses an object only if an
// effect reads it.
import type { ApiLevel } from '../api/level.ts'
import type { AdmissionOperation, AdmissionPhase, AdmissionRequest } from '../admission/admission.ts'
import type { AuditedBody } from '../audit/redact.ts'
import type { User } from '../api/user.ts'
import type { ValueMap } from '../api/value.ts'
import type { AskedSelectors, DeniedAccess, PathAccess, ResourceAccess } from '../auth/authorizer.ts'
import type { BuiltInGroup } from '../schema/built-in-resources.ts'
import type { RequestHeaders } from '../http/http.ts'
import type { ResourceInfo } from '../http/request-info.ts'
import type { OtherForm } from '../codec/large-values.ts'
import type { UnreadableObject } from '../store/store.ts'
import type { ValueChange } from './object-changes.ts'
import type { WriteVerb } from '../handlers/resource-parts.ts'

/** The settings for every thread at its start. */
export interface WriteThreadSettings {
  readonly level: ApiLevel
  /** The groups of the built-in resources. */
  readonly groups: readonly BuiltInGroup[]
  readonly gates: ReadonlySet<string>
  readonly serviceRange: string
  readonly nodePorts: { readonly first: number; readonly last: number }
  readonly eventTtlSeconds: number
  readonly allowPrivileged: boolean
}

/** The task of a thread. */
export type ThreadInput = WriteInput | EncodeInput | AuditInput

/** A value that is to be written in another encoding. */
export interface EncodeInput {
  readonly verb: 'encode'
  readonly form: OtherForm
  readonly json: Uint8Array
}

/** A body whose text is wanted for the audit log. */
export interface AuditInput {
  readonly verb: 'audit'
  readonly body: AuditedBody
}

/** One write. */
export interface WriteInput {
  readonly verb: WriteVerb
  readonly info: ResourceInfo
  readonly method: string
  /** The query, as sent. */
  readonly search: string
  readonly headers: RequestHeaders
  readonly namespace: string
  /** Whether the write is part of a batch. */
  readonly isInBatch: boolean
  readonly user: User
  readonly body: Uint8Array
  readonly now: string
  readonly timeOfDay: number
  /** Whether webhooks, policies or functions take part in admission. */
  readonly hasExtensions: Readonly<Record<AdmissionPhase, boolean>>
  /** The operations whose objects admission reads. Only those objects are sent to the main thread. */
  readonly readsObjects: Readonly<Record<AdmissionPhase, readonly AdmissionOperation[]>>
  /** The definition of a custom resource. Undefined: the resource is built in. */
  readonly definition: SentDefinition | undefined
  /** The served custom kinds, for error messages. Undefined: they have not changed. */
  readonly customKinds: readonly string[] | undefined
}

export interface SentDefinition {
  readonly name: string
  readonly revision: number
  /** Absent: the thread has the definition already. */
  readonly bytes: Uint8Array | undefined
  /** Whether a webhook or a function converts the objects. */
  readonly convertsElsewhere: boolean
}

/** Facts about the write that the thread knows, and that effects need. */
export interface SentContext {
  readonly dryRun: boolean
  readonly fieldManager: string
  readonly options: ValueMap
}

/** The answer of admission. */
export type SentVerdict =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'changed'; readonly change: ValueChange }
  /** A plugin reads the objects, which were not sent. */
  | { readonly kind: 'objectsMissing' }

type ObjectTexts = { readonly object: string | undefined; readonly oldObject: string | undefined }

export type SentAdmission = Omit<SentContext, 'fieldManager'> & {
  /** Absent: admission is not expected to read the objects. */
  readonly texts: ObjectTexts | undefined
} & Pick<
    AdmissionRequest,
    'operation' | 'kind' | 'resource' | 'requestKind' | 'requestResource' | 'subresource' | 'namespace' | 'name'
  >

export interface SentGuardedWrite extends SentContext, ObjectTexts {
  readonly name: string
}

export type SentReserve = SentContext & ObjectTexts

export interface SentReservation {
  readonly id: number
  /** Absent: the object is as it was sent. */
  readonly object: string | undefined
}

export interface SentAction extends SentContext {
  readonly body: string
  readonly explain: boolean
}

/** An object is sent as its difference to the body. Undefined: it is the body. */
export type SentActionAnswer =
  | { readonly kind: 'done' }
  | { readonly kind: 'object'; readonly change: ValueChange | undefined }

/** A question to the authorizer. */
export interface SentAccess {
  readonly access: Omit<ResourceAccess, 'selectors'> | PathAccess
  readonly selectors: AskedSelectors | undefined
}

/** The refusal that the authorizer explains. */
export interface SentDenial extends Pick<DeniedAccess, 'decision' | 'reader'> {
  readonly asked: SentAccess
}

export interface SentConversion {
  readonly objects: readonly string[]
  readonly toApiVersion: string
}

export interface SentKey {
  readonly namespace: string
  readonly name: string
}

export type SentItem =
  | { readonly kind: 'object'; readonly revision: number; readonly bytes: Uint8Array }
  | UnreadableObject
  | undefined

/** The thread's decision about the stored object. */
export type SentDecision =
  | { readonly kind: 'put'; readonly bytes: Uint8Array; readonly ttlSeconds: number | undefined }
  | { readonly kind: 'remove' }
  | { readonly kind: 'keep' }
  /** The decision threw an error. The thread keeps it, and throws it when the write has ended. */
  | { readonly kind: 'thrown' }

/** A message of the store to a write. */
export type StoreMessage =
  | { readonly kind: 'decide'; readonly current: SentItem }
  | { readonly kind: 'put' | 'removed'; readonly revision: number; readonly created: boolean }
  /** The stored object is the object that was sent last. */
  | { readonly kind: 'kept' }
  /** The write fails with the error that the decision threw. */
  | { readonly kind: 'thrown' }

export type WriteNote =
  | { readonly kind: 'warn'; readonly text: string }
  | { readonly kind: 'annotate'; readonly key: string; readonly value: string }
  | { readonly kind: 'name'; readonly object: Readonly<Record<string, string>> }
  | { readonly kind: 'rules'; readonly seconds: number; readonly of: 'compilations' | 'evaluations' }

/** The answer. `body` is absent if the answer has none. */
export interface WriteResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Uint8Array | undefined
  readonly compress: boolean
}
