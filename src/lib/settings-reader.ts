import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { IsEmail } from 'typebox/format'
import type { ErrorDetail } from '../contract/common.ts'
import { parseUrl } from './parse-url.ts'

/** 32 bytes in hex, Base64 or its variant for URLs. */
const keyPatterns = { hex: /^[0-9a-f]{64}$/i, base64: /^[\w+/-]{43}=?$/ } as const

/** An address with a user or a query, and what is as long as keys and tokens are: no message has it. */
const mayHoldSecret = /[@?#]|[\w+=-]{24,}/

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads settings one by one and remembers what is wrong with them, so that all of it is told at once. */
export class SettingsReader {
  readonly #environment: Environment
  readonly errors: ErrorDetail[] = []

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** An empty setting is one that is not set. */
  text(name: string): string | undefined {
    const value = this.#environment[name]?.trim()
    return value === '' ? undefined : value
  }

  /** Those of a program that reads them by itself. */
  beginningWith(prefix: string): Readonly<Record<string, string>> {
    const names = Object.keys(this.#environment).filter((name) => name.startsWith(prefix))
    return Object.fromEntries(names.map((name) => [name, this.text(name) ?? '']))
  }

  integer(name: string, fallback: number, range: readonly [from: number, to: number]): number {
    const text = this.text(name)
    if (text === undefined) return fallback
    const [from, to] = range
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= from && value <= to) return value
    return this.#wrong(name, text, `a whole number from ${from} to ${to}`, fallback)
  }

  /** A part of all, from 0 to 1; `off` is none, `on` is all. */
  share(name: string, fallback: number): number {
    const text = this.text(name)
    if (text === undefined) return fallback
    const value = text === 'off' ? 0 : text === 'on' ? 1 : Number(text)
    if (value >= 0 && value <= 1) return value
    return this.#wrong(name, text, 'off, on, or a share such as 0.01', fallback)
  }

  /** What nobody may guess; its value is in no message. */
  secret(name: string, least: number): string | undefined {
    const text = this.text(name)
    if (text !== undefined && !(text.length >= least && /^[\x21-\x7e]+$/.test(text)))
      this.errors.push({ path: name, message: `must have at least ${least} characters, all of them printable ASCII` })
    return text
  }

  /** Keys between commas or in lines, in a setting or in the file that another one names; they are in no message. */
  keys(name: string, fileName: string): readonly Uint8Array[] {
    const [inline, path] = [this.text(name), this.text(fileName)]
    if (inline !== undefined && path !== undefined)
      this.errors.push({ path: fileName, message: `must not be set where ${name} is` })
    const text = inline ?? (path === undefined ? undefined : this.#file(fileName, path))
    if (text === undefined) return []
    const keys = text.split(/[\s,]+/).filter((part) => part !== '')
    const decoded = keys.map(keyOf).filter((key) => key !== null)
    if (decoded.length > 0 && decoded.length === keys.length) return decoded
    this.errors.push({
      path: inline === undefined ? fileName : name,
      message: `must ${inline === undefined ? 'name a file with' : 'be'} 32 random bytes in Base64 or hex; older keys may follow after commas`,
    })
    return []
  }

  #file(name: string, path: string): string | undefined {
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      // Not its name, which may be the key itself.
      const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
      this.errors.push({ path: name, message: `names a file that cannot be read${reason}` })
      return undefined
    }
  }

  choice<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const text = this.text(name)
    if (text === undefined) return fallback
    return (
      choices.find((choice) => choice === text) ?? this.#wrong(name, text, `one of ${choices.join(', ')}`, fallback)
    )
  }

  origin(name: string, fallback: string): string {
    const text = this.text(name)
    if (text === undefined) return fallback
    const url = parseUrl(text)
    if (
      url !== undefined &&
      /^https?:$/.test(url.protocol) &&
      url.pathname === '/' &&
      url.search === '' &&
      url.username === '' &&
      url.password === ''
    )
      return url.origin
    return this.#wrong(name, text, 'an http or https origin such as https://docs.example.com', fallback)
  }

  /** An address below which others are; what it has behind its path would be lost. It is in no message: a key may be in it. */
  base(name: string): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const url = parseUrl(text)
    const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
    if (isPlain && !/[?#]/.test(text)) return text
    const wanted = 'an http or https address such as https://models.example.com/v1'
    this.errors.push({ path: name, message: `must be ${wanted}, with no user, password, query or fragment` })
    return undefined
  }

  /** Plain text for people. */
  line(name: string, most: number): string | undefined {
    const text = this.text(name)
    if (text === undefined || (text.length <= most && !/[\p{Cc}\p{Surrogate}\u2028\u2029]/u.test(text))) return text
    this.errors.push({ path: name, message: `must be one line of at most ${most} characters` })
    return undefined
  }

  /** Where people are sent: a page, or an address to write to. */
  contact(name: string): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const url = parseUrl(text)
    const isPage = url?.protocol === 'https:' && url.username === '' && url.password === ''
    const isMail = url?.protocol === 'mailto:' && /^[^\s@,?]+@[^\s@,?]+$/.test(url.pathname)
    if (url !== undefined && (isPage || isMail)) return url.href
    return this.#wrong(name, text, 'an https address or mailto: with one email address', undefined)
  }

  /** A server of mail. Its value is in no message: a password may be in it. */
  smtp(name: string): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const url = parseUrl(text)
    const isServer = url !== undefined && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
    if (isServer && /^\/?$/.test(url.pathname) && !/[?#]/.test(text)) return text
    const wanted = 'the address of a server of mail such as smtps://user:password@mail.example.com'
    this.errors.push({ path: name, message: `must be ${wanted}, with no path, query or fragment` })
    return undefined
  }

  /** An email address, with a name before it or without. */
  sender(name: string): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const address = /^(?:[^<>"@\p{Cc}]{1,100} )?<([^<>]+)>$/u.exec(text)?.[1] ?? text
    if (IsEmail(address)) return text
    return this.#wrong(name, text, 'an email address such as Quire <quire@example.com>', undefined)
  }

  /** As the provider writes it: the discovery document repeats it letter for letter. */
  issuer(name: string): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const url = parseUrl(text)
    const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(text))
    const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === ''
    if (safe && isPlain) return text
    const wanted = 'the https address of an OpenID Connect provider, with no user, password, query or fragment'
    return this.#wrong(name, text, wanted, undefined)
  }

  /** Settings that make sense together only: all of them, or undefined where none is set. */
  together<N extends string>(names: readonly N[]): Readonly<Record<N, string>> | undefined {
    const found = names.map((name) => [name, this.text(name)] as const)
    const missing = found.filter(([, value]) => value === undefined).map(([name]) => name)
    if (missing.length === names.length) return undefined
    for (const name of missing) {
      const others = names.filter((other) => !missing.includes(other)).join(' and ')
      this.errors.push({ path: name, message: `must be set, too, where ${others} is` })
    }
    return missing.length === 0 ? (Object.fromEntries(found) as Record<N, string>) : undefined
  }

  /** Parts between commas, each trimmed, at most so many; none when it is not set. */
  list(name: string, pattern: RegExp, wanted: string, most = Infinity): readonly string[] {
    const text = this.text(name)
    if (text === undefined) return []
    const parts = text.split(',').map((part) => part.trim())
    return parts.length <= most && parts.every((part) => pattern.test(part))
      ? parts
      : this.#wrong(name, text, wanted, [])
  }

  /** Addresses and networks between commas, or the names that proxy-addr has for private ones. */
  networks(name: string): string | undefined {
    const text = this.text(name)
    if (text === undefined || text.split(',').every((part) => isNetwork(part.trim()))) return text
    return this.#wrong(name, text, 'addresses or networks between commas, such as 127.0.0.1,10.0.0.0/8', undefined)
  }

  /** Addresses of name servers between commas, some with a port; none when it is not set. */
  servers(name: string): readonly string[] {
    const parts =
      this.text(name)
        ?.split(',')
        .map((part) => part.trim()) ?? []
    const isServer = (part: string): boolean => {
      const [, six, four, port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(part) ?? []
      return (
        isIP(part) !== 0 ||
        (isIP(six ?? four ?? '') === (six === undefined ? 4 : 6) && Number(port) > 0 && Number(port) <= 65_535)
      )
    }
    if (parts.every(isServer)) return parts
    return this.#wrong(
      name,
      parts.join(','),
      'addresses of name servers between commas, such as 192.0.2.1,192.0.2.2:53',
      [],
    )
  }

  domain(name: string, fallback: string): string {
    const text = this.text(name)?.toLowerCase()
    if (text === undefined) return fallback
    if (/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/.test(text) && !text.includes('..')) return text
    return this.#wrong(
      name,
      text,
      'a domain such as docs.example.net, with a port where it is not the default',
      fallback,
    )
  }

  #wrong<T>(name: string, value: string, wanted: string, fallback: T): T {
    const found = mayHoldSecret.test(value) ? '' : `; it is ${JSON.stringify(value)}`
    this.errors.push({ path: name, message: `must be ${wanted}${found}` })
    return fallback
  }
}

function keyOf(text: string): Uint8Array | null {
  if (keyPatterns.hex.test(text)) return Buffer.from(text, 'hex')
  return keyPatterns.base64.test(text) ? Buffer.from(text, 'base64') : null
}

/** Whether an address of the web is on this machine. */
export const isLoopback = (url: string): boolean =>
  /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)

function isNetwork(text: string): boolean {
  if (/^(?:loopback|linklocal|uniquelocal)$/.test(text)) return true
  const [address = '', bits, ...more] = text.split('/')
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  if (most === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most)
}
