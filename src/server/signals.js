// Every entry of the command imports this file first. Without a listener, SIGUSR1 opens a debugger in Node, and a server
// must not end by SIGUSR2 or a hang-up (`command.ts` has the use of SIGHUP, once there is something to reload). Read by old Nodes.
const ignore = () => {}

// By that the supervisor of a worker finds out where it has stalled, and learns alone where the debugger is.
if (process.argv[2] !== 'worker') process.on('SIGUSR1', ignore)
if (process.argv[2] === 'serve' || process.argv[2] === 'worker') process.on('SIGHUP', ignore).on('SIGUSR2', ignore)
// A terminal and systemd tell the workers of a server what they tell the server, which stops them in order.
if (process.argv[2] === 'worker') process.on('SIGTERM', ignore).on('SIGINT', ignore)

// A signal that came before this line has opened it by the next turn of the event loop, or soon after.
const flags = process.execArgv.concat(process.env.NODE_OPTIONS || [])
if (!flags.some((flag) => flag.includes('--inspect'))) {
  const endDebugger = () => void import('node:inspector').then((inspector) => inspector.close(), ignore)
  setImmediate(endDebugger)
  setTimeout(endDebugger, 1000).unref()
}
