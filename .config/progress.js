// Tells how far something is: on a terminal in one line that moves twice a second, elsewhere in a line each five seconds.

/** `told`: what is done so far; undefined while there is nothing to tell. Returns the function that ends it, with the last words. */
export function tellProgress(told, output = process.stderr) {
  const begun = performance.now()
  let longest = 0
  const tell = () => {
    const words = told()
    if (words === undefined) return
    const line = `${words}, ${Math.floor((performance.now() - begun) / 1000)} s`
    output.write(output.isTTY ? `\r${line.padEnd(longest)}` : `${line}\n`)
    longest = Math.max(longest, line.length)
  }
  tell()
  const telling = setInterval(tell, output.isTTY ? 500 : 5000)
  return (words) => {
    clearInterval(telling)
    if (words === undefined) {
      if (output.isTTY && longest > 0) output.write('\n')
      return
    }
    const line = `${words}, ${((performance.now() - begun) / 1000).toFixed(1)} s`
    output.write(`${output.isTTY ? '\r' : ''}${line.padEnd(output.isTTY ? longest : 0)}\n`)
  }
}
