// The program of the thread for large documents: one job at a time, until it is ended.
import { parentPort } from 'node:worker_threads'
import { type Job, perform } from './jobs.ts'

const port = parentPort
port?.on('message', (job: Job) => port.postMessage(perform(job), []))
