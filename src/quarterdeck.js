#!/usr/bin/env node
// The command as it is installed and started. Plain JavaScript, so that compiled code can be kept between starts before the
// first line of TypeScript is read: without it a start takes twice as long and the type stripper stays in memory.
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import path from 'node:path'

const caches = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache')
enableCompileCache(path.join(caches, 'quarterdeck'))
await import('./main.ts')
