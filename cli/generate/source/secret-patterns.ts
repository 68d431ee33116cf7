/** How one kind of secret is known. */
export interface SecretPattern {
  /** For people, after `holds`. */
  readonly kind: string
  /**
   * Global. Every repetition is bounded, or begins where nothing before could have been part of it: the time is in
   * proportion to the text. The group `value` is what must look like a secret; without it, the whole.
   */
  readonly pattern: RegExp
  /** Entropy per character that what was generated at random has at least. */
  readonly bits: number
  /** Instead of the entropy. */
  readonly isSecret?: (value: string, groups: Readonly<Record<string, string | undefined>>) => boolean
}

/** Tokens with a form of their issuer's: a prefix, then this many characters. */
const tokens: readonly (readonly [kind: string, form: RegExp])[] = [
  ['an AWS access key', /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])/],
  ['a Google API key', /AIza[\w-]{35}/],
  ['a Google OAuth secret', /GOCSPX-[\w-]{28}|ya29\.[\w-]{30,300}/],
  ['a GitHub token', /gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{36,255}/],
  ['a GitLab token', /gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent|oas)-[\w-]{20,300}/],
  ['a Slack token', /xox[abceoprs]-[\w-]{10,300}|xapp-\d-[\w-]{20,300}/],
  ['a Slack webhook', /hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/]{20,200}/],
  ['a Stripe key', /[srp]k_(?:live|test)_[A-Za-z0-9]{16,255}/],
  ['an Anthropic key', /sk-ant-[\w-]{20,300}/],
  ['an OpenRouter key', /sk-or-[\w-]{20,300}/],
  ['an OpenAI key', /sk-(?!ant-|or-)(?:[a-z]{1,10}-)?[A-Za-z0-9_-]{20,300}/],
  ['an npm token', /npm_[A-Za-z0-9]{36}|_authToken\s{0,3}=\s{0,3}[\w-]{20,100}/],
  ['a PyPI token', /pypi-[\w-]{50,300}/],
  ['a crates.io token', /cio[A-Za-z0-9]{32}(?![A-Za-z0-9])/],
  ['a Docker token', /dckr_(?:pat|oat)_[\w-]{20,100}/],
  ['a Hugging Face token', /hf_[A-Za-z]{34}(?![A-Za-z])/],
  ['a SendGrid key', /SG\.[\w-]{22}\.[\w-]{43}/],
  ['a Twilio key', /SK[0-9a-f]{32}(?![0-9a-f])/],
  ['a DigitalOcean token', /do[opr]_v1_[a-f0-9]{64}/],
  ['a Shopify token', /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/],
  ['a Vault token', /hv[sb]\.[\w-]{24,300}/],
  ['a Telegram token', /\d{8,10}:AA[\w-]{33}/],
  ['an age key', /AGE-SECRET-KEY-1[A-Z0-9]{58}/],
  ['an Azure storage key', /AccountKey=[A-Za-z0-9+/]{80,90}==/],
  ['a webhook secret', /whsec_[A-Za-z0-9+/]{24,100}/],
  ['a key of Quire', /quire_(?:[sv]_)?[0-9A-Za-z]{32,100}/],
  ['a JSON Web Token', /eyJ[\w-]{10,4000}\.eyJ[\w-]{10,4000}\.[\w-]{20,2000}/],
]

/** Passwords that say of themselves that they are none. */
const usual = new Set(
  'admin changeit demo foo bar baz guest hunter2 letmein mysql none null pass passwd postgres pw pwd root s3cret test toor user username'.split(
    ' ',
  ),
)

/** Names of RFC 2606 and 6761 that nobody serves. */
const reservedHost = /^(?:[\w-]{1,63}\.){0,9}(?:example(?:\.(?:com|net|org))?|test|invalid)$/i

/** What a name ends or begins with whose value is nobody's business. */
const secretName =
  '(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|credentials?)'

/** Where a text tells them, keys have as many digits as chance gives them; names that were numbered have few. */
function isMixed(value: string): boolean {
  const digits = value.replace(/\D/g, '').length
  return digits >= 3 && digits >= value.length * 0.1 && /[A-Za-z]/.test(value) && new Set(value).size >= 10
}

export const secretPatterns: readonly SecretPattern[] = [
  ...tokens.map(([kind, form]) => ({
    kind,
    pattern: new RegExp(`(?<!(?<!\\\\|%[0-9A-F])[A-Za-z0-9_-])(?:${form.source})`, 'g'),
    // 34 letters or 16 of base 32 have more; a word that was repeated has less.
    bits: kind === 'a Hugging Face token' ? 0 : 2.8,
    ...(kind === 'a Hugging Face token' ? { isSecret: (value: string) => new Set(value).size > 12 } : {}),
  })),
  {
    kind: 'a private key',
    // In code the line ends may be escaped, quoted or behind the mark of a comment. A header alone is no key.
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\\[nrt]|[\s"'`+,*#>/]){1,60}(?<value>[A-Za-z0-9+/=]{20,80}|Proc-Type|Version|Comment)/g,
    bits: 0,
    isSecret: () => true,
  },
  {
    kind: 'an address with a password',
    pattern:
      /(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/(?<user>[^\s:@/'"`<>?#]{0,100}):(?<value>[^\s@/'"`<>?#]{3,200})@(?<host>[A-Za-z0-9.[][\w.-]{0,200})/g,
    bits: 0,
    isSecret: (value, { user = '', host = '' }) =>
      value.toLowerCase() !== user.toLowerCase() &&
      !usual.has(value.toLowerCase()) &&
      !/^[$%{(:#]|^x+$|^p(?:ass)?w(?:or)?d?\d?$/i.test(value) &&
      !reservedHost.test(host),
  },
  {
    kind: 'a password or key in quotes',
    pattern: new RegExp(
      `${secretName}[A-Za-z0-9_-]{0,30}["'\`\\]]{0,2}\\s{0,5}(?::=|=>|=|:)\\s{0,5}["'\`](?<value>[^\\s"'\`]{12,300})["'\`]`,
      'gi',
    ),
    bits: 0,
    // Addresses, paths, and names with dots or blanks are no keys.
    isSecret: (value) => isMixed(value) && !/^(?:[\w.-]+\/)+[\w.-]*$|:\/\/|^[./$]|[()]/.test(value),
  },
  {
    kind: 'a password or key',
    pattern: new RegExp(
      `${secretName}[A-Za-z0-9_-]{0,30}[ \\t]{0,5}[=:][ \\t]{0,5}(?<value>[A-Za-z0-9+/_=-]{20,300})(?=\\s|$)`,
      'gi',
    ),
    bits: 0,
    isSecret: (value) => value.replace(/\D/g, '').length >= value.length * 0.15 && isMixed(value),
  },
]
