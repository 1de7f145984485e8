// How fast this machine is: what is bounded in processor time takes longer on a slow or busy one.

/** What the platform takes for a piece of work that it does well, on the machine that the bound was found on. */
const USUAL_MS = 0.75
/** The system counts processor time in steps of some milliseconds: what is measured lasts many of them. */
const MEASURED_MS = 60

/** How much slower than that machine this one is now; one where it is not. */
export function slownessNow(): number {
  const text = JSON.stringify(
    Array.from({ length: 2000 }, (_, i) => ({
      name: `name-${i}`,
      value: i,
      labels: { a: `x${i}` },
      list: [1, 2, `${i}`],
    })),
  )
  const before = process.threadCpuUsage()
  let rounds = 0
  let milliseconds = 0
  while (milliseconds < MEASURED_MS) {
    JSON.stringify(JSON.parse(text))
    rounds++
    const { user, system } = process.threadCpuUsage(before)
    milliseconds = (user + system) / 1000
  }
  return Math.max(1, milliseconds / rounds / USUAL_MS)
}
