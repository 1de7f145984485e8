// The shapes that every kind shares.
import type { ListMeta, ObjectMeta } from './gen/k8s.ts'

/** What every object has. Objects are shared, by an informer with all who read from it: make a changed copy, do not change them. */
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

/** An object as the server has it: what it fills in is there. */
export type Stored<T extends KubernetesObject> = T & {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly resourceVersion: string
    readonly creationTimestamp: string
  }
}

/** A page of a list, or all of it. */
export interface List<T extends KubernetesObject> {
  readonly metadata: ListMeta & { readonly resourceVersion: string }
  readonly items: readonly Stored<T>[]
}
