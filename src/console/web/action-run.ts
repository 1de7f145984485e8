// Tries actions with a dry run, tells their effects, and then runs them. Each object has requests of its own: if one object is refused, the
// action still runs for the others.
import { type ActionRequest, type AnyObject, readPath, type Target, type WriteAction } from './actions.ts'
import { ask, messageOf } from './api.ts'
import { MANAGER } from './apply-intent.ts'
import { changesBetween } from './object-changes.ts'

export interface Attempt {
  readonly target: Target
  /** Undefined: the dry run failed. */
  readonly request?: ActionRequest
  /** The changes that the dry run made. */
  readonly effects: readonly string[]
  readonly problem?: string
  readonly isDone?: boolean
}

/** A chosen action. The names and times that it writes use the same `now` for all objects. */
export interface Wish {
  readonly action: WriteAction
  readonly input: string
  readonly now: Date
}

export async function tryAction({ action, input, now }: Wish, target: Target): Promise<Attempt> {
  try {
    const before = await ask<AnyObject>(readPath(action, target))
    if (target.uid !== undefined && target.uid !== before.metadata.uid)
      return { target, effects: [], problem: 'Another object has taken this name since you chose it.' }
    const request = action.request(target, before, input, now)
    const after = await send(request, true)
    return { target, request, effects: effectsOf(request, before, after) }
  } catch (error) {
    return { target, effects: [], problem: messageOf(error) }
  }
}

export async function runAttempt({ target, request, effects }: Attempt): Promise<Attempt> {
  try {
    if (request !== undefined) await send(request, false)
    return { target, effects, isDone: true }
  } catch (error) {
    return { target, effects, problem: messageOf(error) }
  }
}

function send({ method, path, body }: ActionRequest, isDry: boolean): Promise<AnyObject> {
  // The options of a delete are in its body. The server then ignores options in the query.
  if (method === 'DELETE') {
    return ask(path, { method, body: JSON.stringify(isDry ? { ...body, dryRun: ['All'] } : body) })
  }
  const query = new URLSearchParams({ fieldManager: MANAGER, ...(isDry ? { dryRun: 'All' } : {}) })
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  return ask(`${path}?${query.toString()}`, { method, contentType, body: JSON.stringify(body) })
}

function effectsOf({ method }: ActionRequest, before: AnyObject, after: AnyObject): readonly string[] {
  if (method === 'POST') return [`creates ${after.kind} ${after.metadata.name}`]
  if (method === 'PATCH') return changesBetween(before, after)
  const { finalizers = [] } = after.kind === 'Status' ? {} : (after.metadata as { finalizers?: readonly string[] })
  const held = finalizers.length === 0 ? '' : `, when its finalizers are removed: ${finalizers.join(', ')}`
  return [`is deleted${CONTENTS[before.kind] ?? ''}${held}`]
}

const CONTENTS: Readonly<Record<string, string>> = {
  Namespace: ' with everything in it',
  CustomResourceDefinition: ' with all objects of its kind',
}
