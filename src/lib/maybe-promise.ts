// What is mostly at hand and sometimes awaited: going on without a turn of the queue where nothing has to be waited for.

export type MaybePromise<T> = T | Promise<T>

/** `next` on the value, at once if it is there. */
export function whenKnown<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
