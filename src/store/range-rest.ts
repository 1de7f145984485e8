// Reads the rest of a range at one revision, after its first page: as one stream if the engine supports it, and otherwise in pages. A
// stream is cheaper for etcd, which counts all keys after a page with each page.
import type { KeyValue, Kv, ListResult, Range, StreamedRange } from '../kv/kv.ts'

export interface RestReader {
  readonly kv: Kv
  readonly list: (range: Range) => Promise<ListResult>
  /** The number of keys in the next page, by the previous page. */
  readonly pageKeys: (previous: readonly KeyValue[]) => number
}

/** `first`: the page before the rest. */
export async function* restOfRange(
  { kv, list, pageKeys }: RestReader,
  rest: StreamedRange,
  { first, signal }: { readonly first: readonly KeyValue[]; readonly signal: AbortSignal },
): AsyncGenerator<readonly KeyValue[], void, void> {
  const stream = await kv.stream?.(rest, signal)
  yield* stream ?? pages(list, rest, (previous) => pageKeys(previous ?? first))
}

async function* pages(
  list: RestReader['list'],
  rest: StreamedRange,
  pageKeys: (previous: readonly KeyValue[] | undefined) => number,
): AsyncGenerator<readonly KeyValue[], void, void> {
  let previous: readonly KeyValue[] | undefined
  for (let { start } = rest; ; ) {
    const page = await list({ ...rest, start, limit: pageKeys(previous) })
    previous = page.items
    yield page.items
    const last = page.more ? page.items.at(-1) : undefined
    if (last === undefined) return
    start = `${last.key}\0`
  }
}

/** Yields the same items. Each item is requested while the previous one is handled. */
export async function* ahead<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, void> {
  const iterator = items[Symbol.asyncIterator]()
  try {
    for (let next = iterator.next(); ; ) {
      const { done, value } = await next
      if (done === true) return
      next = iterator.next()
      // A reader that stops here does not wait for the next item, and ignores its error.
      next.catch(() => undefined)
      yield value
    }
  } finally {
    // Not awaited: the iterator may still wait for the storage.
    void iterator.return?.()
  }
}
