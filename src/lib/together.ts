// Concurrent work with a common end: the caller continues when all of it has ended.
import { throwIfCancelled } from './errors.ts'
import { anySignal } from './light-signal.ts'

/** Waits until all work of `start` has ended. The first failure fires `until` for the other work, and is thrown at the end. */
export async function together(
  signal: AbortSignal,
  start: (until: AbortSignal) => readonly Promise<unknown>[],
): Promise<void> {
  const stop = new AbortController()
  const failures: unknown[] = []
  const onFailure = (error: unknown): void => {
    failures.push(error)
    stop.abort()
  }
  await Promise.all(start(anySignal([signal, stop.signal])).map((work) => work.catch(onFailure)))
  if (failures.length > 0) throw failures[0]
}

/**
 * Runs `work` for each item, at most `most` at a time. After a failure, and once the signal has fired, no further item is begun. Resolves, or throws
 * the first failure, when nothing is under way any more.
 */
export async function forEachAtOnce<T>(
  items: Iterable<T>,
  { most, signal }: { readonly most: number; readonly signal?: AbortSignal },
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = Iterator.from(items)
  const failures: unknown[] = []
  const worker = async (): Promise<void> => {
    while (failures.length === 0) {
      const next = rest.next()
      if (next.done === true) return
      try {
        if (signal !== undefined) throwIfCancelled(signal)
        await work(next.value)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: most }, worker))
  if (failures.length > 0) throw failures[0]
}
