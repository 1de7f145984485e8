// Values that are usually available and sometimes awaited. The functions here continue without a microtask if the value is available.

export type MaybePromise<T> = T | Promise<T>

/** Calls `onValue` or `onError` with the outcome of `work`, without a microtask if it is known. */
export function settle<T, R>(
  work: () => MaybePromise<T>,
  onValue: (value: T) => MaybePromise<R>,
  onError: (error: unknown) => MaybePromise<R>,
): MaybePromise<R> {
  let value: MaybePromise<T>
  try {
    value = work()
  } catch (error) {
    return onError(error)
  }
  return value instanceof Promise ? value.then(onValue, onError) : onValue(value)
}

/** Calls `next` with the value, without a microtask if it is known. */
export function whenKnown<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
