import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { onTestFinished } from 'vitest'
import { root } from '#lib/paths.ts'
import { freePort } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

export const publicHost = 'docs.example.com'
export const previewDomain = 'example-docs.net'

/** A proxy in front of a service, with the files of `self-hosting/`. */
export interface Proxy {
  readonly port: number
  readonly plainPort: number
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Told of each piece of the answer as it comes. */
  readonly onData?: (text: string) => void
}

/** Asks through the proxy, as a client whose name servers lead there. */
export function ask(proxy: Proxy, host: string, path: string, asked: Asked = {}): Promise<Reply> {
  const body = asked.body === undefined ? undefined : JSON.stringify(asked.body)
  const headers = { host, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...asked.headers }
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: proxy.port,
        servername: host,
        rejectUnauthorized: false,
        path,
        method: asked.method ?? (body === undefined ? 'GET' : 'POST'),
        headers,
        agent: false,
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (piece: string) => {
          text += piece
          asked.onData?.(text)
        })
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

const shown = (file: string): Promise<string> => readFile(join(root, 'self-hosting', file), 'utf8')

/** A replacement that must find its place: a file that says something else is not what is tested. */
function replaced(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`the file does not say ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}

export async function startNginx(upstream: number): Promise<Proxy> {
  const directory = await temporaryDirectory()
  const [port, plainPort] = [await freePort(), await freePort()]
  const [certificate, key] = [join(directory, 'fullchain.pem'), join(directory, 'privkey.pem')]
  const names = `subjectAltName=DNS:${publicHost},DNS:*.${previewDomain}`
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-subj',
      `/CN=${publicHost}`,
      '-addext',
      names,
      '-keyout',
      key,
      '-out',
      certificate,
    ],
    { stdio: 'ignore' },
  )
  const site = replaced(await shown('nginx.conf'), [
    ['127.0.0.1:4000', `127.0.0.1:${upstream}`],
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    [`/etc/letsencrypt/live/${publicHost}/fullchain.pem`, certificate],
    [`/etc/letsencrypt/live/${publicHost}/privkey.pem`, key],
  ])
  await writeFile(join(directory, 'quire.conf'), site)
  // What Debian's nginx.conf has around it.
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  )
  const main = `pid ${directory}/pid; error_log stderr; daemon off; worker_processes 1; events {}
http { access_log off; ${temporary.join(' ')} include ${directory}/quire.conf; }`
  await writeFile(join(directory, 'nginx.conf'), main)
  await run('nginx', ['-p', directory, '-c', join(directory, 'nginx.conf')], { port })
  return { port, plainPort }
}

export async function startCaddy(upstream: number): Promise<Proxy> {
  const directory = await temporaryDirectory()
  const [port, plainPort] = [await freePort(), await freePort()]
  const own = `{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\thttp_port ${plainPort}\n\thttps_port ${port}\n\tdefault_bind 127.0.0.1\n\ton_demand_tls {`
  await writeFile(join(directory, 'Caddyfile'), replaced(await shown('Caddyfile'), [['{\n\ton_demand_tls {', own]]))
  // Debian's has no module for DNS, and this certificate is of its own authority.
  replaced(await shown('wildcard.caddy'), [['tls {\n\tdns cloudflare {$DNS_TOKEN}\n}', '']])
  await writeFile(join(directory, 'wildcard.caddy'), 'tls internal\n')
  await mkdir(join(directory, 'home'))
  await run('caddy', ['run', '--config', join(directory, 'Caddyfile'), '--adapter', 'caddyfile'], {
    port,
    environment: {
      HOME: join(directory, 'home'),
      PUBLIC_HOST: publicHost,
      PREVIEW_DOMAIN: previewDomain,
      QUIRE: `127.0.0.1:${upstream}`,
    },
  })
  // It listens before it has made its certificates.
  for (const name of [publicHost, `any.${previewDomain}`]) while (!(await hasCertificate(port, name))) await sleep(20)
  return { port, plainPort }
}

function hasCertificate(port: number, servername: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTls({ host: '127.0.0.1', port, servername, rejectUnauthorized: false }, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

/** Starts a program that listens at a port, and ends it with the test. */
export async function run(
  program: string,
  words: readonly string[],
  { port, environment = {} }: { readonly port: number; readonly environment?: Record<string, string> },
): Promise<void> {
  const child = spawn(program, words, {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (said += piece.toString()))
  onTestFinished(() => ended(child))
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended:\n${said}`)
    await sleep(50)
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  if (child.exitCode !== null || !child.kill('SIGTERM')) return
  await exit
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
