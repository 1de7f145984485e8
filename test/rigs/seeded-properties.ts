// Property tests begin from the one seed; vitest loads this before the unit tests of each thread.
import { configureGlobal, readConfigureGlobal } from 'fast-check'
import { SEED } from './seed.ts'

configureGlobal({ ...readConfigureGlobal(), seed: SEED })
