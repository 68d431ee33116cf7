import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../src/config.ts'
import { Failure } from '../src/contract/failure.ts'
import { temporaryDirectory } from './support/temporary.ts'

describe('settings', () => {
  it('have defaults for a developer’s machine', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 4000,
      publicUrl: 'http://localhost:4000',
      previewDomain: 'localhost:4000',
      defaultPlan: 'pro',
      signup: 'open',
    })
  })

  it('are careful where the service is public', () => {
    const config = readConfig({ PUBLIC_URL: 'https://app.example.com/', PREVIEW_DOMAIN: 'Sites.Example.net' })
    expect(config).toMatchObject({
      publicUrl: 'https://app.example.com',
      previewDomain: 'sites.example.net',
      defaultPlan: 'free',
      signup: 'closed',
      maxProjects: 100,
    })
    expect(readConfig({ MAX_PROJECTS: '0' }).maxProjects).toBe(Infinity)
    expect(readConfig({}).maxProjects).toBe(Infinity)
    expect(() => readConfig({ BUILD_SECONDS: '0' })).toThrow(/BUILD_SECONDS/)
  })

  it('that are wrong are all named at once', () => {
    const read = () =>
      readConfig({ PORT: '70000', SIGNUP: 'maybe', PUBLIC_URL: 'example.com', LOG_LEVEL: '', DRAIN_SECONDS: '-1' })
    expect(read).toThrow(Failure)
    expect(read).toThrow(/PORT .*SIGNUP .*DRAIN_SECONDS|PORT .*PUBLIC_URL .*SIGNUP .*DRAIN_SECONDS/)
  })

  it('name proxies by address, network or what is known of them', () => {
    const trusted = '127.0.0.1, 10.0.0.0/8,2001:db8::/32,loopback'
    expect(readConfig({ TRUST_PROXY: trusted }).trustProxy).toBe(trusted)
    expect(readConfig({}).trustProxy).toBe(false)
    for (const wrong of ['true', '1', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/0', 'proxy.internal', ','])
      expect(() => readConfig({ TRUST_PROXY: wrong })).toThrow(/TRUST_PROXY must be addresses/)
  })

  it('allow a weak isolation only by its name', () => {
    expect(readConfig({}).allowWeakIsolation).toBe(false)
    expect(readConfig({ ALLOW_WEAK_ISOLATION: 'yes' }).allowWeakIsolation).toBe(true)
    expect(() => readConfig({ ALLOW_WEAK_ISOLATION: 'perhaps' })).toThrow(/ALLOW_WEAK_ISOLATION/)
  })

  it('of webhooks are lists between commas', () => {
    const lists = { WEBHOOK_ALLOW_HOSTS: 'Hooks.internal, 127.0.0.1:4400', WEBHOOK_RETRY_SCHEDULE: '0,0.5, 300' }
    expect(readConfig(lists)).toMatchObject({
      webhookAllowHosts: ['hooks.internal', '127.0.0.1:4400'],
      webhookRetrySchedule: [0, 0.5, 300],
    })
    expect(readConfig({})).toMatchObject({ webhookAllowHosts: [], webhookRetrySchedule: undefined })
    expect(() => readConfig({ WEBHOOK_RETRY_SCHEDULE: '0,,5' })).toThrow(/WEBHOOK_RETRY_SCHEDULE/)
    expect(() => readConfig({ WEBHOOK_RETRY_SCHEDULE: '0,soon' })).toThrow(/WEBHOOK_RETRY_SCHEDULE/)
    expect(() => readConfig({ WEBHOOK_ALLOW_HOSTS: 'https://hooks.internal/x' })).toThrow(/WEBHOOK_ALLOW_HOSTS/)
  })
})

describe('keys for secrets', () => {
  const [key, older] = [Buffer.alloc(32, 0xfb), Buffer.alloc(32, 7)]

  it('are 32 bytes in Base64 or hex, the newest first, in a setting or in a file', async () => {
    const expected = [key, older]
    expect(readConfig({}).secretKeys).toEqual([])
    for (const text of [
      `${key.toString('base64')}, ${older.toString('hex')}`,
      `${key.toString('base64url')},${older.toString('base64')}`,
    ])
      expect(readConfig({ SECRET_KEY: text }).secretKeys).toEqual(expected)
    const file = join(await temporaryDirectory(), 'key')
    await writeFile(file, `${key.toString('hex')}\n${older.toString('base64')}\n`)
    expect(readConfig({ SECRET_KEY_FILE: file }).secretKeys).toEqual(expected)
    expect(() => readConfig({ SECRET_KEY_FILE: file, SECRET_KEY: key.toString('hex') })).toThrow(
      /SECRET_KEY_FILE must not/,
    )
  })

  it('that are wrong are refused, and in no message', async () => {
    const file = join(await temporaryDirectory(), 'key')
    await writeFile(file, 'too-short\n')
    expect(() => readConfig({ SECRET_KEY_FILE: file })).toThrow(/SECRET_KEY_FILE must name a file with 32 random bytes/)
    expect(() => readConfig({ SECRET_KEY: 'too-short' })).not.toThrow(/too-short/)
    expect(() => readConfig({ SECRET_KEY_FILE: `${file}-2` })).toThrow(
      /SECRET_KEY_FILE names a file that cannot be read/,
    )
    for (const wrong of ['too-short', `${key.toString('hex')},too-short`, ',', key.toString('base64').slice(1)]) {
      expect(() => readConfig({ SECRET_KEY: wrong })).toThrow(/SECRET_KEY must be 32 random bytes/)
    }
  })
})

describe('the settings of an identity provider', () => {
  const settings = {
    OIDC_ISSUER: 'https://id.example.com/realm',
    OIDC_CLIENT_ID: 'quire',
    OIDC_CLIENT_SECRET: 's3cret',
  }

  it('go together, and its host is its name where none is given', () => {
    expect(readConfig({}).oidc).toBeUndefined()
    expect(readConfig(settings).oidc).toEqual({
      issuer: 'https://id.example.com/realm',
      clientId: 'quire',
      clientSecret: 's3cret',
      name: 'id.example.com',
    })
    expect(readConfig({ ...settings, OIDC_NAME: 'Example ID' }).oidc?.name).toBe('Example ID')
    expect(() => readConfig({ ...settings, OIDC_CLIENT_ID: '' })).toThrow(/OIDC_CLIENT_ID must be set/)
    expect(() => readConfig({ OIDC_CLIENT_SECRET: 's3cret' })).toThrow(/OIDC_ISSUER .*OIDC_CLIENT_ID/)
  })

  it.each(['http://id.example.com', 'id.example.com', 'https://id.example.com/?a=b', 'ftp://id.example.com'])(
    'do not take %s',
    (issuer) => expect(() => readConfig({ ...settings, OIDC_ISSUER: issuer })).toThrow(/OIDC_ISSUER must be/),
  )

  it('take plain HTTP on this machine, and tell no secret', () => {
    expect(readConfig({ ...settings, OIDC_ISSUER: 'http://127.0.0.1:4400' }).oidc?.issuer).toBe('http://127.0.0.1:4400')
    expect(() => readConfig({ OIDC_CLIENT_SECRET: 's3cret' })).not.toThrow(/s3cret/)
  })
})
