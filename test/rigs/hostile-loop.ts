// A program that attacks, several times at once, until each attack was sent so often: `node hostile-loop.ts <url>
// <authorization, or nothing> <how often> <names of attacks>`.
import { getPriority, setPriority } from 'node:os'
import { attacksBy } from '../corpora/attacks.ts'

const AT_A_TIME = 4
/** Whatever becomes of one, there is the next. */
const PATIENCE_MS = 3000

const [url = '', authorization = '', times, ...names] = process.argv.slice(2)
const all = attacksBy(authorization === '' ? {} : { authorization })
const attacks = names.map((name) => all.find((attack) => attack.name === name)!)
let next = 0

async function attack(): Promise<void> {
  while (next < attacks.length * Number(times)) {
    const { send } = attacks[next++ % attacks.length]!
    const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
    await Promise.race([send(url), patience]).catch(() => undefined)
  }
}

// Until all was sent.
process.exitCode = 1
// Attackers have machines of their own.
setPriority(Math.max(getPriority(), 5))
process.on('uncaughtException', () => undefined)
await Promise.all(Array.from({ length: AT_A_TIME }, attack))
process.exit(0)
