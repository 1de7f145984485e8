// The types that all kinds share.
import type { ListMeta, ObjectMeta } from './gen/k8s.ts'

/** The members of every object. An informer shares its objects with all readers: do not change them, change a copy. */
export interface KubernetesObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
}

/** An object of a kind of your own: `client.resource<CustomObject<WidgetSpec>>({ group, version, plural })`. */
export interface CustomObject<Spec = unknown, Status = unknown> extends KubernetesObject {
  readonly spec: Spec
  readonly status?: Status
}

/** An object as the server stores it, with the members that the server sets. */
export type Stored<T extends KubernetesObject> = T & {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly resourceVersion: string
    readonly creationTimestamp: string
  }
}

/** A page of a list, or the whole list. */
export interface List<T extends KubernetesObject> {
  readonly metadata: ListMeta & { readonly resourceVersion: string }
  readonly items: readonly Stored<T>[]
}
