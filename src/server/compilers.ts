// V8's optimizing compilers, which `quarterdeck.js` holds back while a server starts: what a start runs is seldom worth their
// work, and as long as they have done none, 10 MB of their own code and of what they leave behind are not in memory.
import { setFlagsFromString } from 'node:v8'

/** From here on what runs often is optimized. */
export function releaseCompilers(): void {
  setFlagsFromString('--maglev-filter=*')
  setFlagsFromString('--turbo-filter=*')
}
