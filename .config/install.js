// Installs packages as the lock file has them, and tells how far it is: npm itself says nothing for half a minute and longer.
//
//     node .config/install.js        everything: what tests and development need too
//     node .config/install.js run    what running needs, and what builds dist
//
// Every Node that npm runs on can read this file: the right one may be among the packages. Where everything is installed already, everything stays.
//
// npm writes node_modules/.package-lock.json last. This program removes the file first: without it, an installation was interrupted.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { tellProgress } from './progress.js'

const project = fileURLToPath(new URL('..', import.meta.url))
/** A package that only tests need. */
const ONE_OF_ALL = 'node_modules/vitest'
const everything = process.argv[2] !== 'run' || existsSync(path.join(project, ONE_OF_ALL))
const ourLibc = process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc'
const { packages } = JSON.parse(readFileSync(path.join(project, 'package-lock.json'), 'utf8'))
const wanted = Object.keys(packages).filter((place) => isWanted(place, packages[place]))
const installed = path.join(project, 'node_modules/.package-lock.json')
if (isInstalled()) process.exit()
rmSync(installed, { force: true })
const [what, size] = everything ? ['everything', '700 MB'] : ['what running needs', '280 MB']
console.error(`installing ${what}: ${wanted.length} packages, ${size} on the disk`)

// Until npm has removed what is there, all would be counted as done.
let begun = !existsSync(path.join(project, 'node_modules'))
const endProgress = tellProgress(told)
const quietly = ['--no-progress', '--no-fund', '--no-audit', '--no-update-notifier', '--no-json', '--loglevel=error']
const args = ['ci', everything ? '--include=dev' : '--omit=dev', '--foreground-scripts', ...quietly]
const npm = spawn('npm', args, { cwd: project, stdio: ['ignore', 2, 2] })
npm.on('error', (error) => end(`npm does not start: ${error.message}`))
npm.on('exit', (code) => end(code === 0 ? undefined : 'npm could not install the packages'))

/** Whether npm finished with every package in the version of the lock file. */
function isInstalled() {
  try {
    const there = JSON.parse(readFileSync(installed, 'utf8')).packages
    return wanted.every((place) => there[place].version === packages[place].version && there[place].integrity === packages[place].integrity)
  } catch {
    return false
  }
}

function isWanted(place, { dev, link, os, cpu, libc }) {
  const fits = (list, ours) => list === undefined || list.includes(ours)
  const fitsMachine = fits(os, process.platform) && fits(cpu, process.arch) && (process.platform !== 'linux' || fits(libc, ourLibc))
  return place.startsWith('node_modules/') && !link && (everything || !dev) && fitsMachine
}

function told() {
  const done = wanted.filter((place) => existsSync(path.join(project, place, 'package.json'))).length
  begun ||= done < wanted.length
  // The build, which tells its own progress on the same line, is what npm runs then.
  if (begun && done === wanted.length) return undefined
  return begun ? `${done} of ${wanted.length} packages are there` : 'removing what is there'
}

function end(failure) {
  endProgress(failure === undefined ? `${wanted.length} of ${wanted.length} packages are there` : undefined)
  if (failure === undefined) return
  console.error(failure)
  process.exitCode = 1
}
