// The events of a watch that selects fields: a change of other fields is no event. Bookmarks still tell of it.
import type { WatchEvent } from '../../api/read.ts'
import type { Watch } from '../../store/store.ts'

/** `isChanged` is asked once for each event, whatever its type is. */
export function changedEvents(watch: Watch, isChanged: (event: WatchEvent) => boolean): Watch {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const events of watch) {
        const told = events.filter(isChanged)
        if (told.length > 0) yield told
      }
    },
    ...(watch.follow === undefined
      ? {}
      : { follow: (take) => watch.follow!((event) => !isChanged(event) || take(event)) }),
    ...(watch.passedOn === undefined ? {} : { passedOn: () => watch.passedOn!() }),
  }
}
