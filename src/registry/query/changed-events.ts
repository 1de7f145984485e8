// The events of a watch that selects fields. A change of other fields is not an event, but later bookmarks have its version.
import type { WatchEvent } from '../../api/read.ts'
import type { Watch } from '../../store/store.ts'

/** `isChanged` is called once for each event of any type. */
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
