// Property tests begin from the one seed; vitest loads this before each unit test.
import { configureGlobal, readConfigureGlobal } from 'fast-check'
import { SEED } from './seed.ts'

configureGlobal({ ...readConfigureGlobal(), seed: SEED })
