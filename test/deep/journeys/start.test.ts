import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { quire } from '#test/support/command-line.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

/** Ends a process with 99 as soon as it looks up a name or opens a connection. */
const guard = `
import dns from 'node:dns'
import net from 'node:net'
const end = () => process.exit(99)
dns.lookup = end
net.Socket.prototype.connect = end
`

describe('the command line asks no network', () => {
  let environment: Record<string, string>

  beforeEach(async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, { 'guard.mjs': guard })
    environment = { NODE_OPTIONS: `--import=${join(directory, 'guard.mjs')}`, XDG_CONFIG_HOME: directory }
  })

  it.each(['--version', '--help'])('for %s', async (word) => {
    const { code, stdout } = await quire([word], environment)
    expect(code).toBe(0)
    if (word === '--version') expect(stdout).toBe(`${manifest.version}\n`)
  })

  it('but where the service is asked', async () => {
    expect((await quire(['whoami'], { ...environment, SERVICE_API_KEY: 'none' })).code).toBe(99)
  })
})
