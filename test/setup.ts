import { execFileSync } from 'node:child_process'

/** Tests that start real processes run the built program: build it when it is missing or stale. */
export default function setup(): void {
  if (process.env['QUIRE_SETUP'] === 'skip') return
  execFileSync(process.execPath, ['scripts/build/setup.mjs'], { stdio: 'inherit' })
}
