// `quarterdeck/extensions`, for authors of extensions: types, and a function that applies them. The import does not load the server.
import type { Kind, KubernetesObject } from '../client/client.ts'

type MaybePromise<T> = T | Promise<T>

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** `mutating` functions come first and may change the object. `validating` functions see the object that will be stored. */
export type AdmissionType = 'mutating' | 'validating'

/** The requests that a function is called for, in the form of a webhook's `rules`. An asterisk matches all. */
export interface ResourceRule<O extends AdmissionOperation = AdmissionOperation> {
  readonly operations: readonly (O | '*')[]
  readonly apiGroups: readonly string[]
  readonly apiVersions: readonly string[]
  /** `pods`, `pods/status`, `pods/*`, `*` */
  readonly resources: readonly string[]
  readonly scope?: 'Cluster' | 'Namespaced' | '*'
}

/** As `metav1.LabelSelector`. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
    readonly values?: readonly string[]
  }[]
}

/** The requests for which a function is called, and how. The members have the meaning and the defaults of a webhook configuration. */
export interface AdmissionRule<T, O extends AdmissionOperation, P extends AdmissionType> {
  /** Appears in messages, metrics and audit annotations: `owner.example.com`. Functions and webhooks are called in the order of names. */
  readonly name: string
  /** Absent: `validating`. */
  readonly type?: P
  /** The kind of the written objects: `k8s.Pod`, `Backup.versions.v1`. */
  readonly resource?: Kind<T>
  /** Absent: CREATE and UPDATE. Needs `resource`. */
  readonly operations?: readonly O[]
  /** Replaces `resource`, for several kinds or for subresources. */
  readonly rules?: readonly ResourceRule<O>[]
  /** Absent: `Equivalent`. An object of another version is converted to the version that the rule names. */
  readonly matchPolicy?: 'Exact' | 'Equivalent'
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  /** CEL expressions that must all be true. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[]
  /** The outcome for the request if the function throws or takes too long. Absent: `Fail`. */
  readonly failurePolicy?: 'Fail' | 'Ignore'
  /** More than 0, at most 30. Absent: 10. */
  readonly timeoutSeconds?: number
  /** Absent: `None`. A dry run that would call a function with `Some` is refused. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun' | 'Some'
  /** Whether a mutating function is called again if other functions or webhooks have changed the object since. Absent: `Never`. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded'
}

interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

interface GroupVersionResource {
  readonly group: string
  readonly version: string
  readonly resource: string
}

interface AdmissionFacts<O> {
  readonly uid: string
  /** The kind of `object` and `oldObject`. `requestKind` is the kind in the client's request. */
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly subResource?: string
  readonly requestKind: GroupVersionKind
  readonly requestResource: GroupVersionResource
  readonly requestSubResource?: string
  /** Absent if the server has not generated the name yet. */
  readonly name?: string
  readonly namespace?: string
  readonly operation: O
  readonly userInfo: {
    readonly username: string
    readonly uid?: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
  readonly dryRun: boolean
  /** The CreateOptions, UpdateOptions or DeleteOptions. */
  readonly options: Readonly<Record<string, unknown>> | null
}

interface AdmittedObjects<T> {
  readonly CREATE: { readonly object: T; readonly oldObject: null }
  readonly UPDATE: { readonly object: T; readonly oldObject: T }
  readonly DELETE: { readonly object: null; readonly oldObject: T }
  readonly CONNECT: { readonly object: unknown; readonly oldObject: null }
}

/** The `request` of an AdmissionReview, `admission.k8s.io/v1`. The objects are copies, which the function may change. */
export type AdmissionRequest<T = KubernetesObject, O extends AdmissionOperation = AdmissionOperation> = {
  [P in O]: AdmissionFacts<P> & AdmittedObjects<T>[P]
}[O]

interface AdmissionNotes {
  /** Shown to the client. */
  readonly warnings?: readonly string[]
  /** Written to the audit log, under the name of the function. */
  readonly auditAnnotations?: Readonly<Record<string, string>>
}

export interface Denied extends AdmissionNotes {
  readonly allowed: false
  readonly message?: string
  /** The code of the answer, from 400 to 599. Absent: 400. */
  readonly code?: number
  /** `Forbidden`, `Invalid`, … */
  readonly reason?: string
}

export interface Allowed extends AdmissionNotes {
  readonly allowed?: true
}

/** As in RFC 6902. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string }

/** The whole new object, or a patch of the given object. */
export type Changed<T> = Allowed &
  ({ readonly object: T } | { readonly object?: never; readonly patch: readonly JsonPatchOperation[] })

/** The answer of a function to a write. Undefined: the write is allowed without changes. */
export type AdmissionResult<T, P extends AdmissionType> =
  | Allowed
  | Denied
  | (P extends 'mutating' ? Changed<T> : never)
  | undefined
  | void

/** The `spec` of a SubjectAccessReview, `authorization.k8s.io/v1`: the user and the access. */
export interface SubjectAccess {
  readonly user: string
  readonly groups?: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
  /** For a request for objects. Empty members are absent. */
  readonly resourceAttributes?: {
    readonly verb: string
    readonly group?: string
    readonly version: string
    readonly resource: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
  }
  /** For every other request. */
  readonly nonResourceAttributes?: { readonly verb: string; readonly path: string }
}

/** Undefined: the function has no opinion, and the next authorizer decides. */
export type AccessResult =
  | { readonly allowed: true; readonly reason?: string }
  | { readonly denied: true; readonly reason?: string }
  | undefined
  | void

export interface AuthorizeOptions {
  /** The name in metrics. Absent: the name of the extension's file, or `function` if there is no file. */
  readonly name?: string
  /** The outcome for the request if the function throws or takes too long. Absent: `Deny`. */
  readonly failurePolicy?: 'Deny' | 'NoOpinion'
  /** Absent: 3. */
  readonly timeoutSeconds?: number
}

/** The part of a resource from `defineResource` that conversion uses. */
export interface ConvertedResource {
  readonly definition: { readonly spec: { readonly group: string; readonly names: { readonly kind: string } } }
  convert(object: never, to: never): unknown
}

/** Returns the object in the version `to`. The server fills in `apiVersion`. In the metadata, only labels and annotations may differ. */
export type ConvertFunction = (object: KubernetesObject, to: string) => MaybePromise<object>

/**
 * A server to which functions can be added: the server of `startServer()`, or of `quarterdeck serve --extensions`. Functions are called
 * like webhooks, with the same rules but without HTTP. A function that throws counts as a webhook that cannot be reached: its failure
 * policy decides, the client gets no details, and the server logs the error. Disposing of a method's result removes the added function.
 */
export interface Extensible {
  /** Calls a function for the writes that the rule names. */
  readonly admit: <
    T = KubernetesObject,
    const O extends AdmissionOperation = 'CREATE' | 'UPDATE',
    const P extends AdmissionType = 'validating',
  >(
    rule: AdmissionRule<T, O, P>,
    admit: (request: AdmissionRequest<T, O>) => MaybePromise<AdmissionResult<T, P>>,
  ) => Disposable
  /**
   * Converts the objects of a custom kind between its versions: by the `convert` of `defineResource`, or by a function. This conversion
   * takes precedence over the conversion of the definition.
   */
  readonly convert: {
    (resource: ConvertedResource): Disposable
    (of: { readonly group: string; readonly kind: string }, convert: ConvertFunction): Disposable
  }
  /**
   * Calls a function for every request, before all authorizers of `--authorization-mode`, but not for `system:masters`. Several functions are called
   * in the order of their names, and functions of one name in the order of their addition.
   */
  readonly authorize: (
    authorize: (access: SubjectAccess) => MaybePromise<AccessResult>,
    options?: AuthorizeOptions,
  ) => Disposable
}

/** The default export of a file of `--extensions`, or the export `extension`. Each process calls it once, to add the functions. */
export type Extension = (server: Extensible) => void

/** Gives the parameter its type: `export default defineExtension((server) => { server.admit(…) })`. */
export function defineExtension(extension: Extension): Extension {
  return extension
}
