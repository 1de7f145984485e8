// Deletes objects at the time in their annotation. It remembers only objects with the annotation, in the order of their times. An object
// that has changed meanwhile is not deleted: its new state has a time of its own.
import { EXPIRES_AT } from '../api/expiry.ts'
import { annotationsOf, metaText } from '../api/object-members.ts'
import type { StoredObject } from '../api/read.ts'
import { ApiError } from '../api/status.ts'
import { own } from '../api/value.ts'
import { newSortedTree } from '../lib/sorted-tree.ts'
import { compareStrings } from '../lib/text-order.ts'
import { forEachAtOnce } from '../lib/together.ts'
import { deleteObject } from '../registry/delete.ts'
import { IN_BACKGROUND } from '../registry/deletion.ts'
import { isTerminating } from '../registry/object-meta.ts'
import type { Resource, ResourceTable } from '../registry/registry.ts'
import { parseTime } from '../schema/time.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import type { InformerHandler } from './informer.ts'
import { eachType } from './stored-types.ts'
import { type InformedType, TypeInformers } from './type-informers.ts'
import { controllerContext, isReason } from './writes.ts'

const NAME = 'object-expiry'
const MARK = Buffer.from(EXPIRES_AT)

/** The machine's clock may be set during a wait, so waits are short. After each, only the first entry is checked. */
const LONGEST_WAIT_MS = 1_000
const RETRY_MS = 1_000
const ZERO_TIME = '0001-01-01T00:00:00Z'
const AT_ONCE = 16
/** The largest number of objects that are deleted in one round. Other work runs between the rounds. */
const MOST_DUE = 1_000

export function objectExpiry(parts: ControllerParts): Controller {
  return { name: NAME, canWait: true, run: (signal) => new Expiry(parts).run(signal) }
}

interface Entry {
  /** The key in the tree, which sorts by time. */
  readonly place: string
  readonly atMs: number
  readonly type: InformedType
  readonly key: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly revision: number
}

class Expiry {
  readonly #parts: ControllerParts
  readonly #informers: TypeInformers
  readonly #byKey = new Map<string, Entry>()
  readonly #inOrder = newSortedTree<string, Entry>(compareStrings)
  #alarm: { readonly atMs: number; readonly cancel: () => void } | undefined
  #deleting: Promise<void> | undefined
  #signal: AbortSignal | undefined

  constructor(parts: ControllerParts) {
    this.#parts = parts
    this.#informers = new TypeInformers({
      source: parts,
      typesIn: deletableTypes,
      handler: (type) => this.#handlerOf(type),
    })
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    try {
      await this.#informers.run(signal)
    } finally {
      this.#signal = undefined
      this.#alarm?.cancel()
      this.#alarm = undefined
      await this.#deleting
    }
  }

  #handlerOf(type: InformedType): InformerHandler {
    return {
      onPresent: (stored) => this.#onPresent(type, stored),
      onGone: (stored) => this.#forget(keyOf(type, stored)),
    }
  }

  #onPresent(type: InformedType, stored: StoredObject): void {
    const key = keyOf(type, stored)
    this.#forget(key)
    // Few objects have the annotation, and only those are parsed.
    if (!stored.bytes.includes(MARK)) return
    const object = stored.object()
    const atMs = timeOf(own(annotationsOf(object), EXPIRES_AT))
    if (atMs === undefined || isTerminating(object)) return
    const { namespace, name, revision } = stored
    const place = `${String(Math.max(atMs, 0)).padStart(16, '0')} ${key}`
    const entry = { place, atMs, type, key, namespace, name, uid: metaText(object, 'uid'), revision }
    this.#byKey.set(key, entry)
    this.#inOrder.set(place, entry)
    this.#setAlarm()
  }

  #forget(key: string): void {
    const entry = this.#byKey.get(key)
    if (entry === undefined) return
    this.#byKey.delete(key)
    this.#inOrder.delete(entry.place)
  }

  #setAlarm(atLeastMs = 0): void {
    const first = this.#first()
    if (this.#signal === undefined || this.#deleting !== undefined) return
    const { clock } = this.#parts
    const now = clock.timeOfDay()
    const atMs = first === undefined ? undefined : Math.max(first.atMs, now + atLeastMs)
    if (this.#alarm !== undefined && atMs !== undefined && this.#alarm.atMs <= atMs) return
    this.#alarm?.cancel()
    this.#alarm = undefined
    if (atMs === undefined) return
    const waitMs = Math.min(Math.max(atMs - now, 0), LONGEST_WAIT_MS)
    const cancel = clock.callAfter(waitMs, () => {
      this.#alarm = undefined
      return this.#deleteDue()
    })
    this.#alarm = { atMs: now + waitMs, cancel }
  }

  #first(): Entry | undefined {
    const key = this.#inOrder.minKey()
    return key === undefined ? undefined : this.#inOrder.get(key)
  }

  async #deleteDue(): Promise<void> {
    const signal = this.#signal
    if (signal === undefined || this.#deleting !== undefined) return
    const nowMs = this.#parts.clock.timeOfDay()
    const due: Entry[] = []
    for (const entry of this.#inOrder.values()) {
      if (entry.atMs > nowMs || due.length === MOST_DUE) break
      due.push(entry)
    }
    let hasFailed = false
    this.#deleting = forEachAtOnce(due, { most: AT_ONCE, signal }, async (entry) => {
      if (!(await this.#delete(entry, signal))) hasFailed = true
    }).catch(() => {})
    await this.#deleting
    this.#deleting = undefined
    this.#setAlarm(hasFailed ? RETRY_MS : 0)
  }

  /** Resolves to false if the deletion must be tried again. */
  async #delete(entry: Entry, signal: AbortSignal): Promise<boolean> {
    const { type, namespace, name, uid, revision } = entry
    if (this.#byKey.get(entry.key) !== entry) return true
    const options = { ...IN_BACKGROUND, preconditions: { uid, resourceVersion: String(revision) } }
    try {
      const context = controllerContext(this.#parts, namespace, signal)
      await deleteObject(this.#parts.registry, type.resource, { name, options }, context)
    } catch (error) {
      if (signal.aborted) return true
      // If the object has changed, the informer gets its next state.
      if (!isReason(error, 'NotFound', 'Conflict')) {
        const of = { resource: type.resource.resource, namespace, name }
        this.#parts.log.warn({ err: error, controller: NAME, ...of }, 'expired object could not be deleted')
        // After any other refusal, the server would refuse the deletion again until the object changes.
        if (!(error instanceof ApiError) || error.code >= 500) return false
      }
    }
    if (this.#byKey.get(entry.key) === entry) this.#forget(entry.key)
    return true
  }
}

function keyOf({ stored }: InformedType, { namespace, name }: StoredObject): string {
  return `${stored.storagePrefix}/${namespace}/${name}`
}

/**
 * Undefined: the text is not a time. Another server may have stored it. `Date.parse` refuses some texts that `parseTime` accepts, such as
 * `5:04:05` and `05,5`, so it gets the canonical text, which has no fraction.
 */
function timeOf(text: string | undefined): number | undefined {
  const parsed = text === undefined ? undefined : parseTime(text)
  if (text === undefined || parsed?.ok !== true) return undefined
  const [, fraction = ''] = /[.,](\d+)/.exec(text) ?? []
  return Date.parse(parsed.text ?? ZERO_TIME) + Math.ceil(Number(`0.${fraction}`) * 1_000)
}

function* deletableTypes(table: ResourceTable): Generator<Resource> {
  for (const resource of eachType(table)) {
    const { verbs } = resource
    if (verbs.has('delete') && verbs.has('list') && verbs.has('watch')) yield resource
  }
}
