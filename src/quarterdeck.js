#!/usr/bin/env node
// The command as it is installed and started. Every Node since 12.20 can read this file and what it imports: one that is too old
// starts the one that came with the packages, or says which it needs.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import './server/signals.js'

const require = createRequire(import.meta.url)
const needed = require('../package.json').engines.node.replace('>=', '')

if (isAtLeast(process.versions.node, needed)) void import('./main.ts')
else startNewer()

function isAtLeast(version, least) {
  const [ours, theirs] = [version, least].map((text) => text.split('.').map(Number))
  const differs = ours.findIndex((part, i) => part !== theirs[i])
  return differs === -1 || ours[differs] > theirs[differs]
}

function startNewer() {
  let newer
  try {
    newer = require.resolve('node-' + process.platform + '-' + process.arch + '/bin/node')
  } catch {
    return refuse()
  }
  if (newer === process.execPath) return refuse()
  const args = process.execArgv.concat(process.argv.slice(1))
  // Newer ones can become the other program instead of waiting for it.
  if (process.execve) process.execve(newer, [newer].concat(args), process.env)
  let child
  // First of all: it may be running, and be asked to stop, before we go on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']) process.on(signal, () => child.kill(signal))
  // In a group of its own: what the terminal sends would come twice, once from it and once from here.
  child = spawn(newer, args, { stdio: 'inherit', detached: true })
  child.on('error', refuse)
  child.on('exit', (code) => process.exit(code === null ? 1 : code))
}

function refuse() {
  console.error('quarterdeck: this is Node ' + process.versions.node + ', and Node ' + needed + ' or newer is needed')
  process.exit(1)
}
