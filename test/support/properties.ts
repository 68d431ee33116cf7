import * as fc from 'fast-check'
import { isDeep } from './depth.ts'

const usualCases = 50
const fuzzRuns = Number(process.env['FUZZ_RUNS'] ?? (isDeep ? 1000 : usualCases))

/**
 * Cases for a property whose single case takes long: `usual`, and in proportion more or fewer by `FUZZ_RUNS`. Without it a
 * property has 50.
 */
export const cases = (usual: number): number => Math.max(1, Math.round((usual * fuzzRuns) / usualCases))

/** The seed of all property tests of this run, which its first line names. */
export const fuzzSeed = Number(process.env['FUZZ_SEED'])

fc.configureGlobal({ numRuns: fuzzRuns, seed: fuzzSeed })
