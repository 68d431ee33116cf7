// Makes a checkout ready to run: installs packages and builds `dist/` where they are missing or stale.
// Plain JavaScript on Node's own modules, because it runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
process.chdir(root)

/** What it says is about itself: what the program after it prints stays alone on standard output. */
const say = (text) => console.error(text)

function fail(text) {
  say(text)
  process.exit(1)
}

/** What is older than `[major, minor]`; undefined where there is no version in the text. */
function isOlder(version, [major, minor]) {
  const [, first, second] = /(\d+)\.(\d+)/.exec(version) ?? []
  if (first === undefined) return undefined
  return Number(first) < major || (Number(first) === major && Number(second) < minor)
}

function requireNode() {
  const [major] = process.versions.node.split('.').map(Number)
  // As `engines` in package.json, which says what the packages it uses run on, too.
  if (isOlder(process.version, major === 20 ? [20, 19] : [22, 12]))
    fail(
      `Quire needs Node 20.19 or newer of 20, or 22.12 or newer; this is ${process.version}. ` +
        'Install one of those and run the command again.',
    )
}

/** The service says it as well; here it is said before a minute of work. */
function requireGit() {
  const { stdout, error } = spawnSync('git', ['--version'], { encoding: 'utf8' })
  if (error !== undefined || isOlder(stdout, [2, 38]) !== false)
    fail(
      `Quire needs Git 2.38 or newer; ${error === undefined ? `this is ${stdout.trim().replace('git version ', '')}` : 'there is no git on the path'}. ` +
        'Install it and run the command again.',
    )
}

/** Closed by the end of this process, whatever ends it. On a system without `flock` nobody waits. */
function takeTurn() {
  const folder = openSync('.', 'r')
  const flock = (...options) => spawnSync('flock', [...options, '3'], { stdio: ['ignore', 'ignore', 'ignore', folder] })
  if (flock('--nonblock').status !== 1) return
  say('Waiting for another setup of this folder …')
  flock()
}

/** A command that is ended with this process, also where npm or its shell, which started it, is killed. */
const running = new Set()
function end() {
  for (const child of running) child.kill()
  process.exit(1)
}
function endWithStarter() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, end)
  const starter = process.ppid
  setInterval(() => process.ppid === starter || end(), 250).unref()
}

/** @returns its exit code, -1 where it could not be started, and what it printed */
function npm(args, env) {
  return new Promise((resolve) => {
    const shell = process.platform === 'win32'
    const child = spawn('npm', [...args, '--loglevel=error'], { stdio: ['ignore', 'pipe', 'pipe'], shell, env })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    running.add(child)
    child.once('error', ({ message }) => resolve({ code: -1, output: message }))
    child.once('close', (code) => {
      running.delete(child)
      resolve({ code, output })
    })
  })
}

/** One question that the registry should answer soon; what somebody has set counts. */
const patience = {
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '500',
  npm_config_fetch_timeout: '5000',
}

/** What npm's codes of errors mean, and what to do. */
const reasons = [
  [
    /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENETDOWN|ERR_SOCKET_TIMEOUT|FETCH_ERROR|EIDLETIMEOUT|ECONNECTIONTIMEOUT|ERESPONSETIMEOUT)$/,
    'the package registry cannot be reached. Connect this machine, or set registry or proxy with `npm config`',
  ],
  [
    /^E(40[13]|NEEDAUTH)$/,
    'the package registry refuses this machine. Sign in to it, or set another one with `npm config set registry`',
  ],
  [/^(E404|ETARGET)$/, 'the package registry does not have it. Set a complete one with `npm config set registry`'],
  [/^E(5\d\d|429)$/, 'the package registry does not serve now. Try again later'],
  [/^EINTEGRITY$/, 'the package registry has another package than package-lock.json names. Do not use that registry'],
  [/^(ENOSPC|EDQUOT)$/, 'the disk is full. Make room, 1 GB or more'],
  [/^(EACCES|EPERM|EROFS)$/, 'this user may not write there. Give it the folder, or run as its owner'],
]

const linesOf = (output) => [...output.matchAll(/^npm (?:error|ERR!) (.+)$/gm)].map(([, line]) => line)
const codeOf = (output) =>
  linesOf(output)
    .find((line) => line.startsWith('code '))
    ?.slice(5) ?? ''

/** One sentence for what npm said on many lines. */
function explain({ code: exitCode, output }) {
  if (exitCode === -1) return `npm could not be started (${output}). Install it; it comes with Node.`
  const code = codeOf(output)
  const words =
    linesOf(output).find((line) => !/^(code|errno|syscall|path|A complete log)\b/.test(line)) ?? output.trim()
  const [, log] = /A complete log of this run can be found in:\s*(?:npm (?:error|ERR!)\s*)?(.+)$/m.exec(output) ?? []
  const reason = reasons.find(([pattern]) => pattern.test(code))?.[1]
  const what = reason === undefined ? `${words}.` : `${reason}, and run the command again.`
  const detail = reason === undefined ? '' : ` (${code}: ${words})`
  return `The packages could not be installed: ${what}${detail}${log === undefined ? '' : `\nnpm’s log: ${log}`}`
}

const since = (began) => `${Math.max(1, Math.round((Date.now() - began) / 1000))} s`

async function install() {
  const stamp = 'node_modules/.quire-stamp'
  const hash = createHash('sha256').update(process.version).update(readFileSync('package-lock.json'))
  const wanted = hash.digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  requireGit()
  say('Installing packages, which takes about half a minute …')
  const began = Date.now()
  // npm asks for all packages, each again and again, before it says that none can be had: that takes minutes.
  const answer = await npm(['view', 'satteri', 'version'], { ...patience, ...process.env })
  const isReached = answer.code === 0 || codeOf(answer.output) === 'E404'
  // Not `npm ci`, which begins by removing what is there: another one may run from it.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', ...(isReached ? [] : ['--offline'])]
  const result = await npm(args, process.env)
  if (result.code !== 0) fail(explain(isReached || codeOf(result.output) !== 'ENOTCACHED' ? result : answer))
  writeFileSync(stamp, wanted)
  say(`Installed in ${since(began)}.`)
}

async function buildWhatIsStale() {
  const began = Date.now()
  const isNew = !existsSync('dist/server.js')
  const { build } = await import('./build.mjs')
  const built = await build([], () => {
    requireGit()
    say(isNew ? 'Building, which takes about a minute …' : 'Building what has changed …')
  })
  if (built) say(`Built in ${since(began)}.`)
}

requireNode()
endWithStarter()
takeTurn()
await install()
await buildWhatIsStale()
