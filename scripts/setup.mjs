// Makes a checkout ready to run: installs packages and builds `dist/` where they are missing or stale.
// Plain JavaScript on Node's own modules, because it runs before anything is installed.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
process.chdir(root)

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// As `engines` in package.json, which says what the packages it uses run on, too.
if (major < 20 || (major === 20 && minor < 19) || major === 21 || (major === 22 && minor < 12)) {
  console.error(
    `Quire needs Node 20.19 or newer of 20, or 22.12 or newer; this is ${process.version}. ` +
      'Install one of those and run the command again.',
  )
  process.exit(1)
}

const stamp = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
const hashOf = (files) => {
  const hash = createHash('sha256').update(process.version)
  for (const file of files) hash.update(file).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}
const installed = hashOf(['package-lock.json'])
if (stamp('node_modules/.quire-stamp') !== installed) {
  // Not `npm ci`: it wants every platform's optional binaries in the lock, and registries do not have all of them.
  execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  })
  writeFileSync('node_modules/.quire-stamp', installed)
}

// Looks by itself what is stale.
const { build } = await import('./build.mjs')
await build()
