// How many frames that ask for nothing a client may send: answering them costs us more than it.
import { ENHANCE_YOUR_CALM, WireError } from '../lib/http2-frames.ts'

/** So many a second are the most that a client can mean well. */
const MOST_A_SECOND = 2000

export class IdleFrames {
  #count = 0
  #since = 0

  note(): void {
    const now = performance.now()
    if (now - this.#since > 1000) {
      this.#since = now
      this.#count = 0
    }
    if (++this.#count > MOST_A_SECOND) throw new WireError(ENHANCE_YOUR_CALM, 'frames without end')
  }
}
