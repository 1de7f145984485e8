// For how long the event loop of this process is held up while something is done, by processor time: a busy machine does not matter.

/** Of the longest turn of the event loop, in milliseconds. */
export async function longestStall(work: () => Promise<unknown>): Promise<number> {
  let [last, longest, isOver] = [process.threadCpuUsage(), 0, false]
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.threadCpuUsage()
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  try {
    await work()
  } finally {
    isOver = true
  }
  return longest
}
