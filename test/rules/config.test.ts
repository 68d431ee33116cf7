import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '#config.ts'
import { Failure } from '#contract/failure.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

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

  it('that are wrong are told without a credential that may be in them', () => {
    const wrong = [
      { OIDC_ISSUER: 'https://me:s3cret@id.example.com' },
      { OIDC_ISSUER: 'https://:s3cret@id.example.com' },
      { OIDC_ISSUER: 'https://id.example.com/?key=s3cret' },
      { PUBLIC_URL: 'https://me:s3cret@docs.example.com' },
      { PUBLIC_URL: 'https://:s3cret@docs.example.com' },
      { PREVIEW_DOMAIN: 'me:s3cret@example.net' },
      { OPERATOR_CONTACT: 'https://me:s3cret@example.com' },
      { PLAN_CHANGE_URL: 'http://example.com/?key=s3cret' },
      { WEBHOOK_ALLOW_HOSTS: 'me:s3cret@hooks.internal' },
      { TRUST_PROXY: 'me:s3cret@10.0.0.1' },
      { DNS_SERVERS: 'me:s3cret@192.0.2.1' },
      { MAIL_FROM: 'smtps://me:s3cret@mail.example.com', SMTP_URL: 'smtp://mail.example.com' },
      { METRICS_PORT: `s3cret${'0123456789abcdef'.repeat(2)}` },
      { METRICS_TOKEN: 's3cret' },
      { SECRET_KEY: 's3cret' },
      { SECRET_KEY_FILE: 's3cret' },
      { MODEL_PRICES: 'me:s3cret@models.example.com' },
    ]
    for (const settings of wrong) {
      const read = () => readConfig(settings)
      expect(read, JSON.stringify(settings)).toThrow(Object.keys(settings)[0])
      expect(read, JSON.stringify(settings)).not.toThrow(/s3cret/)
    }
    expect(() => readConfig({ PUBLIC_URL: 'docs.example.com' })).toThrow('it is "docs.example.com"')
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

describe('the settings of mail', () => {
  const server = { SMTP_URL: 'smtps://quire:secret@mail.example.com:465', MAIL_FROM: 'Quire <quire@example.com>' }

  it('are a server and an address, both or none', () => {
    expect(readConfig({}).mail).toBeUndefined()
    expect(readConfig(server).mail).toEqual({ url: server.SMTP_URL, from: server.MAIL_FROM })
    expect(readConfig({ ...server, MAIL_FROM: 'quire@example.com' }).mail?.from).toBe('quire@example.com')
    expect(() => readConfig({ SMTP_URL: server.SMTP_URL })).toThrow('MAIL_FROM must be set, too, where SMTP_URL is')
    expect(() => readConfig({ MAIL_FROM: server.MAIL_FROM })).toThrow('SMTP_URL must be set, too, where MAIL_FROM is')
  })

  it('that are wrong are named, without the password', () => {
    for (const url of [
      'https://a:secret@b.example',
      'smtp://',
      'secret',
      `${server.SMTP_URL}?secret=1`,
      'smtp://a/b',
    ]) {
      const read = () => readConfig({ ...server, SMTP_URL: url })
      expect(read).toThrow(/SMTP_URL must be the address of a server of mail/)
      expect(read).not.toThrow(/secret/)
    }
    for (const from of [
      'Quire',
      'a@b@c',
      'a@example.com, b@example.com',
      'Quire <quire@example.com> x',
      '"a" <a@b.example>',
    ])
      expect(() => readConfig({ ...server, MAIL_FROM: from })).toThrow(/MAIL_FROM must be an email address/)
  })
})

describe('the settings of language models', () => {
  const url = 'https://models.example.com/api/v1'

  it('have defaults for everything but the router', () => {
    expect(readConfig({}).models).toMatchObject({
      router: undefined,
      isDemo: false,
      primary: 'anthropic/claude-sonnet-4.5',
      fallback: 'openai/gpt-5',
      allowed: ['anthropic/claude-sonnet-4.5', 'openai/gpt-5'],
      maxTokens: 8192,
      generation: { requests: 200, tokens: 4_000_000 },
    })
    expect(readConfig({ MODEL_ROUTER_URL: url }).models.router).toEqual({ url, key: undefined })
    expect(readConfig({ MODEL_ROUTER_URL: url, MODEL_ROUTER_KEY: 'sk-1' }).models.router).toEqual({ url, key: 'sk-1' })
  })

  it('name models, and what they cost', () => {
    const { models } = readConfig({
      MODEL_PRIMARY: 'meta/Llama-4:free',
      MODEL_FALLBACK: 'none',
      MODEL_ALLOW: 'openai/gpt-5, meta/Llama-4:free',
      MODEL_PRICES: 'meta/Llama-4:free=0/0.25,openai/gpt-5=2/20',
    })
    expect(models).toMatchObject({ fallback: undefined, allowed: ['meta/Llama-4:free', 'openai/gpt-5'] })
    expect(Object.fromEntries(models.prices)).toEqual({
      'anthropic/claude-sonnet-4.5': { inputUsd: 3, outputUsd: 15 },
      'meta/Llama-4:free': { inputUsd: 0, outputUsd: 0.25 },
      'openai/gpt-5': { inputUsd: 2, outputUsd: 20 },
    })
  })

  it('are refused where they are wrong, and the key is in no message', () => {
    for (const wrong of ['models.example.com', 'ftp://a.example', 'https://me:x@a.example', `${url}?a=b`, `${url}#a`])
      expect(() => readConfig({ MODEL_ROUTER_URL: wrong })).toThrow(/MODEL_ROUTER_URL must be an http/)
    for (const keyed of ['https://me:s3cret@a.example', `${url}?key=s3cret`])
      expect(() => readConfig({ MODEL_ROUTER_URL: keyed })).not.toThrow(/s3cret/)
    expect(() => readConfig({ MODEL_ROUTER_KEY: 'sk-1' })).toThrow(/MODEL_ROUTER_URL must be set/)
    const broken = { MODEL_ROUTER_URL: url, MODEL_ROUTER_KEY: 'sk 1' }
    expect(() => readConfig(broken)).toThrow(/MODEL_ROUTER_KEY/)
    expect(() => readConfig(broken)).not.toThrow(/sk 1/)
    expect(() => readConfig({ MODEL_PRIMARY: 'a,b' })).toThrow(/MODEL_PRIMARY must be a model/)
    expect(() => readConfig({ MODEL_ALLOW: 'a,b c' })).toThrow(/MODEL_ALLOW/)
    expect(() => readConfig({ MODEL_PRICES: 'a=1' })).toThrow(/MODEL_PRICES/)
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

describe('how to get another plan', () => {
  it('is in the operator’s words: a line of text, a page or an address to write to', () => {
    expect(readConfig({}).planChange).toEqual({ text: undefined, url: undefined })
    const read = (settings: Record<string, string>) => readConfig(settings).planChange
    expect(read({ PLAN_CHANGE_TEXT: ' Ask Ada, room 4 <b>. ' }).text).toBe('Ask Ada, room 4 <b>.')
    for (const url of ['https://example.com/plans?from=docs', 'mailto:ada@example.com?subject=Plan'])
      expect(read({ PLAN_CHANGE_URL: url }).url).toBe(url)
  })

  it.each([
    'javascript:alert(1)',
    'http://example.com/plans',
    'https://user:password@example.com/',
    'example.com',
    'mailto:',
    'mailto:ada',
    'mailto:a@b.c,d@e.f',
  ])('is not at %s', (url) =>
    expect(() => readConfig({ PLAN_CHANGE_URL: url })).toThrow(/PLAN_CHANGE_URL must be an https address or mailto/),
  )

  it.each(['two\nlines', 'a\u2028b', 'x'.repeat(301)])('is no text of more than a line: %j', (text) =>
    expect(() => readConfig({ PLAN_CHANGE_TEXT: text })).toThrow(/PLAN_CHANGE_TEXT must be one line/),
  )
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
