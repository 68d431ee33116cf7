import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '#lib/paths.ts'

interface LockedPackage {
  readonly integrity?: string
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}
const [, ...installed] = Object.entries(packages)

// `npm install` beside packages that are there already forgets the binaries of other platforms, and `npm ci` refuses
// such a lock; `npm install --package-lock-only` brings them back.
describe('the lock', () => {
  it('has the binaries of all platforms', () => {
    const locked = new Set(installed.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 13)))
    const missing = installed.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).flatMap((name) => (locked.has(name) ? [] : [`${name} of ${path}`])),
    )
    expect(missing).toEqual([])
  })

  it('has a checksum of every package, and no registry', () => {
    expect(installed.flatMap(([path, { integrity }]) => (integrity === undefined ? [path] : []))).toEqual([])
    expect(installed.flatMap(([path, { resolved }]) => (resolved === undefined ? [] : [path]))).toEqual([])
  })
})
