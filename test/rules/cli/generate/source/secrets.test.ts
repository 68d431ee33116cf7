import { describe, expect, it } from 'vitest'
import { findSecrets } from '#cli/generate/source/secrets.ts'

/** Written so that nobody who looks for secrets in this file finds one. */
const chance = (length: number): string => 'k7Qp2ZxV9mRt4LbN8sWd3HyF6cJg1TeU5aKq0XvPzM'.repeat(6).slice(0, length)
const joined = (...parts: readonly string[]): string => parts.join('')
const kindsIn = (text: string): string[] => findSecrets(text).map(({ kind }) => kind)

describe('finding secrets', () => {
  it.each([
    ['an AWS access key', joined('AKI', 'AQ7TZ2VXKM4RNB8W3')],
    ['a Google API key', joined('AI', 'za', chance(35))],
    ['a GitHub token', joined('gh', 'p_', chance(36))],
    ['a GitHub token', joined('github', '_pat_', chance(60))],
    ['a GitLab token', joined('gl', 'pat-', chance(20))],
    ['a Slack token', joined('xox', 'b-', chance(40))],
    ['a Stripe key', joined('sk', '_live_', chance(24))],
    ['an OpenAI key', joined('sk', '-proj-', chance(48))],
    ['an Anthropic key', joined('sk', '-ant-api03-', chance(90))],
    ['an npm token', joined('np', 'm_', chance(36))],
    ['a key of Quire', joined('quire', '_', chance(49))],
    ['a key of Quire', joined('quire', '_s_', chance(49))],
    ['a webhook secret', joined('whs', 'ec_', chance(40))],
    ['a JSON Web Token', joined('ey', 'JhbGciOiJIUzI1NiJ9.ey', 'Jzd7Qp2ZxV9mRt4.', chance(43))],
    ['a private key', joined('-----BEGIN RSA PRIV', 'ATE KEY-----\n', chance(64))],
    ['a private key', joined('"-----BEGIN PRIV', 'ATE KEY-----\\n', chance(64), '\\n"')],
    ['a private key', joined('// -----BEGIN EC PRIV', 'ATE KEY-----\n// ', chance(64))],
    ['an address with a password', joined('postgres://quire:', chance(12), '@db.internal/site')],
    ['a password or key in quotes', joined('const db = { pass', `word: "${chance(20)}" }`)],
    ['a password or key', joined('export API', `_KEY=${chance(32)}`)],
  ])('tells %s', (kind, text) => {
    expect(kindsIn(`first line\nthe second: ${text}\n`)).toContain(kind)
    expect(findSecrets(`first line\nthe second: ${text}\n`)[0]?.line).toBe(2)
  })

  it('sees tokens behind an escaped line end and in an encoded address', () => {
    expect(kindsIn(joined('"a\\n', 'gh', 'p_', chance(36), '"'))).toEqual(['a GitHub token'])
    expect(kindsIn(joined('?token%3D', 'gh', 'p_', chance(36)))).toEqual(['a GitHub token'])
  })

  it.each([
    joined('AKI', 'AIOSFODNN7EXAMPLE'),
    'sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'sk-your-key-goes-here-1234',
    'ghp_<your token>',
    'postgres://user:password@localhost/app',
    'postgres://quire:quire@localhost/quire',
    'postgres://${user}:${password}@${host}/app',
    'https://ada:s8f7a6sd5f@example.com/',
    "password: 'A password has at least twelve characters'",
    'const token = readTokenFromTheHeaderOfTheRequest2(request)',
    "tokenEndpoint: 'https://id.quire.test/oauth2/v1/token'",
    "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) return",
    'sk-fading-circle-with-many-parts { color: red }',
    'integrity: sha512-4yVnRk9IvkYGFPcJL5qQeyUeNnkdyGdQWFwVqYqfGHpS9VJqR7TNyAF0qWgBR0o9',
  ])('takes %s for what it is: no secret', (text) => {
    expect(findSecrets(text)).toEqual([])
  })

  it('never says what it found', () => {
    const token = joined('gh', 'p_', chance(36))
    expect(JSON.stringify(findSecrets(token))).not.toContain(token.slice(4, 20))
  })

  it('takes time in proportion to the text, whatever stands in it', () => {
    const pieces = [
      'eyJ',
      '-eyJ',
      'sk-',
      '://a:',
      'token="',
      'token',
      '-----BEGIN PRIVATE KEY-----\n',
      'a/',
      'aa://b:',
      ' ',
    ]
    // In quadratic time each would take minutes, and the test would not come to its end.
    for (const piece of pieces) expect(findSecrets(piece.repeat(Math.ceil(500_000 / piece.length)))).toEqual([])
  })
})
