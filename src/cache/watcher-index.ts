// Finds the watchers of a change. Each watcher is registered under its narrowest selector, so that few watchers get changes that they do
// not select, even if many watch the type.
import type { SelectableField } from '../api/selector-fields.ts'
import type { StoredObject } from '../api/read.ts'
import { labelTextOf, labelValue } from '../store/selection.ts'
import type { HistoryRecord } from './history.ts'

/** The narrowest selector of a watcher. */
export type Scope =
  | { readonly kind: 'all' }
  | { readonly kind: 'namespace'; readonly prefix: string }
  /** One object: in a namespace, or of a type without namespaces. */
  | { readonly kind: 'key'; readonly key: string }
  /** One name in any namespace. `suffix`: the end of the key, with its slash. */
  | { readonly kind: 'name'; readonly suffix: string }
  | { readonly kind: 'field'; readonly place: number; readonly value: string }
  | { readonly kind: 'label'; readonly key: string; readonly value: string }

export class WatcherIndex<W> {
  #size = 0
  readonly #all = new Set<W>()
  readonly #namespaces = new Map<string, Set<W>>()
  readonly #keys = new Map<string, Set<W>>()
  readonly #names = new Map<string, Set<W>>()
  readonly #values: readonly Map<string, Set<W>>[]
  /** The watchers by label key, then by value. */
  readonly #labels = new Map<string, Map<string, Set<W>>>()

  /** `fields`: the type's indexed fields. The `place` of a scope is the place in this list. */
  constructor(fields: readonly SelectableField[]) {
    this.#values = fields.map(() => new Map<string, Set<W>>())
  }

  get size(): number {
    return this.#size
  }

  add(scope: Scope, watcher: W): void {
    this.#size++
    if (scope.kind === 'all') {
      this.#all.add(watcher)
      return
    }
    const { map, key } = this.#slot(scope)
    const set = map.get(key)
    if (set === undefined) map.set(key, new Set([watcher]))
    else set.add(watcher)
  }

  remove(scope: Scope, watcher: W): void {
    if (scope.kind === 'all') {
      if (this.#all.delete(watcher)) this.#size--
      return
    }
    const { map, key } = this.#slot(scope)
    const set = map.get(key)
    if (set?.delete(watcher) === true) this.#size--
    if (set?.size === 0) map.delete(key)
    if (scope.kind === 'label' && map.size === 0) this.#labels.delete(scope.key)
  }

  /** Calls `tell` once for every watcher with the change in its scope. */
  forEach(record: HistoryRecord, tell: (watcher: W) => void): void {
    this.#all.forEach(tell)
    const { key, before, now } = record
    const slash = key.indexOf('/')
    if (this.#namespaces.size > 0) this.#namespaces.get(key.slice(0, slash + 1))?.forEach(tell)
    if (this.#keys.size > 0) this.#keys.get(key)?.forEach(tell)
    if (this.#names.size > 0) this.#names.get(key.slice(slash))?.forEach(tell)
    for (const [place, values] of this.#values.entries()) {
      if (values.size === 0) continue
      const [is, was] = [now?.[place], before?.[place]]
      if (is !== undefined) values.get(is)?.forEach(tell)
      if (was !== undefined && was !== is) values.get(was)?.forEach(tell)
    }
    if (this.#labels.size > 0) this.#tellByLabels(record, tell)
  }

  #tellByLabels({ change }: HistoryRecord, tell: (watcher: W) => void): void {
    if (change.unreadable !== undefined) {
      // An unreadable object may have any label, so all these watchers get the change.
      for (const values of this.#labels.values()) values.forEach((set) => set.forEach(tell))
      return
    }
    const [current, previous] = [labelsOf(change.current), labelsOf(change.previous)]
    for (const [key, values] of this.#labels) {
      const [is, was] = [labelValue(current, key), labelValue(previous, key)]
      if (is !== undefined) values.get(is)?.forEach(tell)
      if (was !== undefined && was !== is) values.get(was)?.forEach(tell)
    }
  }

  everyone(): W[] {
    const maps = [this.#namespaces, this.#keys, this.#names, ...this.#values, ...this.#labels.values()]
    return [...this.#all, ...maps.flatMap((map) => [...map.values()].flatMap((set) => [...set]))]
  }

  #slot(scope: Exclude<Scope, { kind: 'all' }>): { map: Map<string, Set<W>>; key: string } {
    switch (scope.kind) {
      case 'namespace':
        return { map: this.#namespaces, key: scope.prefix }
      case 'key':
        return { map: this.#keys, key: scope.key }
      case 'name':
        return { map: this.#names, key: scope.suffix }
      case 'field':
        return { map: this.#values[scope.place] ?? new Map<string, Set<W>>(), key: scope.value }
      case 'label': {
        const map = this.#labels.get(scope.key) ?? new Map<string, Set<W>>()
        this.#labels.set(scope.key, map)
        return { map, key: scope.value }
      }
    }
  }
}

function labelsOf(object: StoredObject | undefined): string {
  return object === undefined ? '' : labelTextOf(object)
}
