// V8's optimizing compilers, held back while a server starts: what a start runs is seldom worth their work, and as long as they have
// done none, 10 MB of their own code and of what they leave behind are not in memory.
import { setFlagsFromString } from 'node:v8'

/** So few are answered as well without them: probes, and somebody who has a look. */
const FEW_REQUESTS = 50

/** Nothing is optimized until they are released. */
export function holdCompilers(): void {
  setFlagsFromString('--maglev-filter=-*')
  setFlagsFromString('--turbo-filter=-*')
}

/** From here on what runs often is optimized. */
export function releaseCompilers(): void {
  setFlagsFromString('--maglev-filter=*')
  setFlagsFromString('--turbo-filter=*')
}

/** To be called for each request: lets them go on once there is something to do. */
export function releaseByRequests(): () => void {
  let left = FEW_REQUESTS
  return () => {
    if (left > 0 && --left === 0) releaseCompilers()
  }
}
