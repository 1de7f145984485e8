// The declaration of a resource, and the static types that follow from it.
import type { ConversionReview } from './conversion.ts'
import type { InputOf, OutputOf, Schema, Unstructural } from './infer.ts'
import type { Rule, StructuralSchema } from './structural.ts'

/** The metadata of every object. Members that the server fills in are optional, because a new object does not have them yet. */
export interface ObjectMeta {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: OwnerReference[]
}

/** An owner of an object. The object is deleted after all of its owners. */
export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string
  /** `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status` */
  readonly jsonPath: string
  /** Absent: taken from the schema. */
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  readonly description?: string
  /** More than 0: only shown with `-o wide`. */
  readonly priority?: number
}

/** A condition of a status, as Kubernetes defines it. */
export interface StatusCondition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  /** One word in CamelCase, for programs. */
  reason: string
  /** For people. */
  message: string
  lastTransitionTime: string
  /** The generation of the object that the condition is about. */
  observedGeneration?: number
}

/** The paths at which `kubectl scale` and autoscalers find the replicas. */
export interface Scale {
  readonly specReplicasPath: `.spec.${string}`
  readonly statusReplicasPath: `.status.${string}`
  readonly labelSelectorPath?: `.spec.${string}` | `.status.${string}`
}

/** One version of a resource: the content of its objects, and their presentation and subresources. */
export interface VersionOptions {
  /** The desired state. Required in every object unless its schema is optional or has a default. */
  readonly spec: Schema
  /** The observed state. With it, the resource has the subresource `status`, and writes of the object itself do not change it. */
  readonly status?: Schema
  /** The status has the list `conditions`, as in built-in kinds. */
  readonly conditions?: true
  /** The purpose of the kind; `kubectl explain` shows it. */
  readonly description?: string
  /** CEL rules over the whole object: `self.spec`, `self.status`, `self.metadata.name`. */
  readonly rules?: readonly Rule[]
  /** The columns that `kubectl get` shows after the name. Absent: the time of creation. */
  readonly columns?: readonly Column[]
  readonly scale?: Scale
  /** Fields for `kubectl get --field-selector`, as JSON paths: `.spec.color`. */
  readonly selectableFields?: readonly `.${string}`[]
  /** Whether the version is served. Default: true. */
  readonly served?: boolean
  /** Whether objects are stored in this version. Exactly one version has this. Default: true for a single version. */
  readonly storage?: boolean
  /** The server warns clients, with this text or a text of its own. */
  readonly deprecated?: boolean | string
}

/** The versions by their names: `v1`, `v1beta1`. */
export type Versions = Readonly<Record<string, VersionOptions>>

/** The address of the served conversion functions, in the form of `spec.conversion.webhook.clientConfig`. */
export interface WebhookClientConfig {
  readonly url?: string
  readonly service?: {
    readonly namespace: string
    readonly name: string
    readonly path?: string
    readonly port?: number
  }
  /** PEM in base64. */
  readonly caBundle?: string
}

/** The options of `defineResource`: the names of the resource, and its versions. */
export interface ResourceOptions<Group extends string, Kind extends string, V extends Versions> {
  /** `example.com` */
  readonly group: Group
  /** `CronTab` */
  readonly kind: Kind
  /** The plural of the kind in lower case. Absent: derived from the kind. */
  readonly plural?: string
  readonly scope: 'Namespaced' | 'Cluster'
  readonly shortNames?: readonly string[]
  /** `kubectl get all` shows kinds with the category `all`. */
  readonly categories?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly versions: V
  /**
   * Functions from one version to another: `'v1 -> v2': ({ spec }) => ({ spec: … })`. Versions without a function of their own are reached
   * through other versions. Without functions, objects only change their `apiVersion`. The functions run where the resource is given to
   * `server.convert()` of `startServer()` or of an extension, and where `review()` is served as a webhook.
   */
  readonly convert?: Conversions<Group, Kind, V>
  /** The webhook that converts objects. If it is absent and `convert` is present, a server without the functions refuses to convert. */
  readonly webhook?: WebhookClientConfig
}

/** Refuses versions whose schemas are not structural, as far as the compiler can see it. */
export type Structural<V extends Versions> = {
  readonly [N in keyof V & string]: {
    readonly [Part in keyof V[N] & ('spec' | 'status')]: Said<Unstructural<V[N][Part], `versions.${N}.${Part}`>>
  }
}

type Said<Text> = [Text] extends [never] ? unknown : Text

interface TypeMeta<G extends string, K extends string, N> {
  apiVersion: `${G}/${N & string}`
  kind: K
}

type SpecField<S, Type> = undefined extends InputOf<S> ? { spec?: Type } : { spec: Type }

type StatusField<V, Type> = V extends { readonly conditions: true }
  ? { status?: Flat<StatusPart<V, Type> & { conditions?: StatusCondition[] }> }
  : V extends { readonly status: Schema }
    ? { status?: Type }
    : unknown

type StatusPart<V, Type> = V extends { readonly status: Schema } ? Type : unknown

/** An object as it is read from the server, with all defaults filled in. */
export type OutputObject<G extends string, K extends string, N, V extends VersionOptions> = Flat<
  TypeMeta<G, K, N> & { metadata: ObjectMeta; spec: OutputOf<V['spec']> } & StatusField<V, OutputOf<V['status']>>
>

/** An object as a client sends it. The client adds its `kind` and `apiVersion`. */
export type InputObject<G extends string, K extends string, N, V extends VersionOptions> = Flat<
  Partial<TypeMeta<G, K, N>> & { metadata: ObjectMeta } & SpecField<V['spec'], InputOf<V['spec']>> &
    StatusField<V, InputOf<V['status']>>
>

type Flat<T> = { [K in keyof T]: T[K] } & {}

/**
 * One function for each direction. A direction without a function is composed of others. Functions may change labels and annotations; other
 * metadata stays. Defaults are filled in afterwards.
 */
export type Conversions<G extends string, K extends string, V extends Versions> = {
  readonly [P in `${keyof V & string} -> ${keyof V & string}`]?: ConversionOf<G, K, V, P>
}

/** The condition on `V` makes the compiler infer `V` before it looks at the functions, so that their texts stay literals. */
type ConversionOf<G extends string, K extends string, V extends Versions, P> = [V] extends [Versions]
  ? P extends `${infer From} -> ${infer To}`
    ? (object: OutputObject<G, K, From, V[From]>) => Converted<InputObject<G, K, To, V[To]>>
    : never
  : never

/** The result of a conversion function. The version and the kind are set anyway. Metadata and a status that are left out stay. */
type Converted<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  apiVersion?: string
  kind?: string
  metadata?: ObjectMeta
}

/**
 * A version of a resource, for clients and informers. `Output` is the type of objects that are read, `Input` of objects that are sent. Both
 * exist only for the compiler.
 */
export interface ResourceType<Output, Input = Output> {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  /** This and `input` are never set. They bind the types to the resource. */
  readonly object?: Output
  readonly input?: Input
}

/** The result of `defineResource`. */
export interface DefinedResource<Group extends string, Kind extends string, V extends Versions> {
  /** The CustomResourceDefinition: apply it before anything else. */
  readonly definition: CustomResourceDefinition
  /** The definition as YAML. */
  yaml(): string
  /** The kinds for clients and informers: `Backup.versions.v1`. */
  readonly versions: {
    readonly [N in keyof V & string]: ResourceType<
      OutputObject<Group, Kind, N, V[N]>,
      InputObject<Group, Kind, N, V[N]>
    >
  }
  /** The object in version `to`, with its defaults. Throws the errors of the functions, and a RangeError for an unknown version. */
  convert<To extends keyof V & string>(
    object: { readonly [N in keyof V & string]: OutputObject<Group, Kind, N, V[N]> }[keyof V & string],
    to: To,
  ): OutputObject<Group, Kind, To, V[To]>
  /** Answers the API server's request to convert objects. Never throws: errors are in the answer. */
  review(review: ConversionReview): ConversionReview
}

type AnyResource = { readonly versions: Readonly<Record<string, ResourceType<unknown>>> }

/** The type of a resource's objects as they are read, of one version or of all: `InferResource<typeof Backup, 'v1'>`. */
export type InferResource<R extends AnyResource, N extends keyof R['versions'] = keyof R['versions']> = NonNullable<
  R['versions'][N]['object']
>

/** The type of a resource's objects as clients send them: fields with a default may be left out. */
export type InferInput<R extends AnyResource, N extends keyof R['versions'] = keyof R['versions']> = NonNullable<
  R['versions'][N]['input']
>

/** The type of the objects' `spec` as clients read it. */
export type InferSpec<R extends AnyResource, N extends keyof R['versions'] = keyof R['versions']> =
  InferResource<R, N> extends { spec: infer Spec } ? Spec : never

/** The type of `status` if it is present. `never`: the version has no status. */
export type InferStatus<R extends AnyResource, N extends keyof R['versions'] = keyof R['versions']> =
  InferResource<R, N> extends { status?: infer Status } ? Exclude<Status, undefined> : never

/** The definition that the API server accepts. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1'
  readonly kind: 'CustomResourceDefinition'
  readonly metadata: {
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: {
    readonly group: string
    readonly scope: 'Namespaced' | 'Cluster'
    readonly names: {
      readonly plural: string
      readonly singular: string
      readonly kind: string
      readonly listKind: string
      readonly shortNames?: readonly string[]
      readonly categories?: readonly string[]
    }
    readonly versions: readonly DefinitionVersion[]
    readonly conversion?: {
      readonly strategy: 'Webhook'
      readonly webhook: {
        readonly clientConfig: WebhookClientConfig
        readonly conversionReviewVersions: readonly string[]
      }
    }
  }
}

/** A version in the definition. */
export interface DefinitionVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: true
  readonly deprecationWarning?: string
  readonly schema: { readonly openAPIV3Schema: StructuralSchema }
  readonly subresources?: { readonly status?: object; readonly scale?: Scale }
  readonly additionalPrinterColumns?: readonly Column[]
  readonly selectableFields?: readonly { readonly jsonPath: string }[]
}
