// Every entry of the command imports this file first, so old versions of Node must be able to read it. Without a listener, SIGUSR1 opens a
// debugger in Node. SIGUSR2 and SIGHUP must not end a server. Once there is something to reload, `commands/commands.ts` handles SIGHUP.
const ignore = () => {}

// A worker does not ignore SIGUSR1: its supervisor opens the debugger to find out where the worker has stalled. Only the supervisor learns
// the address of the debugger.
if (process.argv[2] !== 'worker') process.on('SIGUSR1', ignore)
if (process.argv[2] === 'serve' || process.argv[2] === 'worker') process.on('SIGHUP', ignore).on('SIGUSR2', ignore)
// A terminal and systemd send these signals to the supervisor and to its workers. The supervisor stops the workers in order.
if (process.argv[2] === 'worker') process.on('SIGTERM', ignore).on('SIGINT', ignore)

// A signal that came before these lines opens the debugger by the next turn of the event loop, or soon after.
const flags = process.execArgv.concat(process.env.NODE_OPTIONS || [])
if (!flags.some((flag) => flag.includes('--inspect'))) {
  const endDebugger = () => void import('node:inspector').then((inspector) => inspector.close(), ignore)
  setImmediate(endDebugger)
  setTimeout(endDebugger, 1000).unref()
}
