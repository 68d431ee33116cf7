import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from '#config.ts'
import { root } from '#lib/paths.ts'
import { startService } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const run = promisify(execFile)
const shown = join(root, 'self-hosting')

/** The units of `self-hosting/`, in a folder of their own: systemd looks at the names of all files there. */
async function units(): Promise<string[]> {
  const directory = await temporaryDirectory()
  const names = (await readdir(shown)).filter((name) => /\.(?:service|socket|timer)$/.test(name))
  for (const name of names) await cp(join(shown, name), join(directory, name))
  return names.map((name) => join(directory, name))
}

it('systemd has nothing to say of the units', async () => {
  const { stdout, stderr } = await run('systemd-analyze', ['verify', ...(await units())])
  expect(stdout + stderr).toBe('')
})

it('they read settings from a file, which a reload reads anew', async () => {
  for (const path of (await units()).filter((unit) => unit.endsWith('.service'))) {
    const text = await readFile(path, 'utf8')
    expect(text).toMatch(/^Environment=SETTINGS_FILE=\/etc\/quire\/quire\.env\b/m)
    expect(text).not.toMatch(/^EnvironmentFile=/m)
  }
  expect(readConfig({ SETTINGS_FILE: join(shown, 'quire.env.example') })).toMatchObject({
    publicUrl: 'https://docs.example.com',
    previewDomain: 'example-docs.net',
    trustProxy: '127.0.0.1',
    signup: 'closed',
  })
})

it('they are exposed to little, as systemd counts it', async () => {
  const services = (await units()).filter((path) => path.endsWith('.service'))
  expect(services).toHaveLength(2)
  // Of 10 that are 100 here; what is not hardened at all has 9.6.
  for (const path of services) await run('systemd-analyze', ['security', '--offline=true', '--threshold=40', path])
})

/** What the unit of the service takes away, by other means: file systems, rights of root, new rights of programs. */
const hardened = `set -e
mount --make-rprivate /
mount --bind "$DATA_DIR" "$DATA_DIR"
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mount -o remount,bind,ro /
exec setpriv --reuid=nobody --regid=nogroup --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"`

it.runIf(process.getuid?.() === 0)('what renders pages is isolated as well as ever under them', async () => {
  const data = join(await temporaryDirectory(), 'data')
  await mkdir(data)
  await run('chmod', ['711', join(data, '..')])
  await run('chown', ['nobody:nogroup', data])
  const service = await startService(data, { LOG_LEVEL: 'info' }, undefined, {
    through: ['unshare', '--mount', 'sh', '-c', hardened, 'sh'],
  })
  onTestFinished(() => service.stop())
  expect(service.log()).toContain('"isolation":"strong"')
  expect(service.log()).toContain('namespaces (user, mount, network, IPC)')
})
