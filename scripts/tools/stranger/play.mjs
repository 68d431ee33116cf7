// `npm run stranger [-- <node>…]`: plays README.md as somebody who has just found it, each command as it is printed, with
// each Node that is given; without one, with that which runs this. A command that is not played here fails.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Stranger } from './stranger.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..')

/** Commands in the `sh` blocks of a text, without their comments. */
function commandsIn(markdown) {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block]) => block.replaceAll('\\\n', '').split('\n'))
    .map((line) => line.replace(/(?:^|\s+)# .*$/, '').trim())
    .filter((line) => line !== '')
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** A page as a browser gets it, which knows where names below `localhost` are. */
async function page(url) {
  const { host, port, pathname } = new URL(url)
  const asked = request({ host: '127.0.0.1', port, path: pathname, headers: { host } }).end()
  const [response] = await once(asked, 'response')
  assert.equal(response.statusCode, 200, `${url} answers ${response.statusCode}`)
  return text(response)
}

async function post(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  assert.ok(response.ok, `POST ${url} answers ${response.status}`)
  return response.status === 204 ? undefined : response.json()
}

class Play {
  #left
  constructor(stranger) {
    this.stranger = stranger
    this.#left = commandsIn(readFileSync(join(stranger.checkout, 'README.md'), 'utf8'))
  }

  /** The next command, which must be this one, with what stands for addresses and folders of one's own. */
  next(expected, stands = {}) {
    const printed = this.#left.shift()
    assert.ok(printed?.startsWith(expected), `README.md says ${printed}, and not ${expected}: play it`)
    console.log(`  $ ${printed}`)
    return Object.entries(stands).reduce((command, [from, to]) => command.replaceAll(from, to), printed)
  }

  /** Plays the next command to its end. @returns what it says, in which is found what a reader would look for. */
  async says(expected, wanted, { stands, ...options } = {}) {
    const said = await this.stranger.does(this.next(expected, stands), options)
    for (const pattern of [wanted].flat()) assert.match(said, pattern)
    return said
  }

  end() {
    assert.deepEqual(this.#left, [], 'README.md says more than is played')
  }
}

/** The demo, whatever listens at its port already; whoever ends it leaves nothing behind. */
async function tryIt(play) {
  const { stranger } = play
  const demo = stranger.start(play.next('npm run demo'), { settings: { PORT: String(await freePort()) } })
  const [, site] = await stranger.heard(demo, /Site +(\S+)/)
  const [, documentation] = await stranger.heard(demo, /Docs +(\S+)/)
  const [, clone] = await stranger.heard(demo, /Clone +git clone (\S+)/)
  await stranger.heard(demo, /Ctrl-C ends it/)
  assert.match(await page(site), /Welcome to Quire/)
  assert.match(await page(documentation), /Every project is a bare Git repository/)
  assert.match(await page(`${documentation}/self-hosting/settings`), /PREVIEW_DOMAIN/)
  await stranger.does(`git clone --quiet ${clone} 'la démo' && test -f 'la démo/docs.json'`, { folder: stranger.home })
  await stranger.ends(demo)
  // CI runs the tests by themselves.
  play.next('npm test')
}

async function runIt(play) {
  const { stranger } = play
  const command = play.next('PUBLIC_URL=', { '/var/lib/quire': '"$HOME/données"' })
  const service = stranger.start(command, { settings: { PORT: String(await freePort()) } })
  await stranger.heard(service, /dashboard and API at https:\/\/docs\.example\.com/)
  assert.equal(await stranger.ends(service), 0, 'what was asked to end has ended well')
}

/** A service on this machine, in the place of docs.example.com. */
async function startService(stranger, data) {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const service = stranger.start('npm start', { settings: { PORT: String(port), DATA_DIR: data } })
  await stranger.heard(service, /dashboard and API at/)
  return { service, url }
}

async function lookAfterIt(play, data) {
  const { stranger } = play
  const settings = { DATA_DIR: data }
  await stranger.does('npm link --silent')
  const created = await play.says('quire admin accounts create', [/Created ada@example\.com/, /Password: \S+/], {
    settings,
  })
  const [, password] = /Password: (\S+)/.exec(created)
  const backups = join(stranger.home, 'sauvegardes')
  await stranger.does(`mkdir '${backups}'`)
  const [archive, copy] = [join(backups, 'quire.tar.gz'), join(stranger.home, 'copie')]
  await play.says('quire admin backup', /Backed up \d+ projects?: .* in an archive of/, {
    settings,
    stands: { '/mnt/backups/quire.tar.gz': `'${archive}'` },
  })
  const restored = await play.says('quire admin restore', /Restored \d+ projects? /, {
    settings,
    folder: backups,
    stands: { '/var/lib/quire-2': `'${copy}'` },
  })
  assert.ok(restored.includes(`into ${copy}.`), `another folder in: ${restored}`)
  const accounts = await stranger.does(`quire admin accounts list --data '${copy}'`)
  assert.match(accounts, /ada@example\.com/)
  await play.says('quire admin check', /Everything is as it should be/, { settings })
  await stranger.does('npm uninstall --global --silent quire')
  return password
}

async function deploy(play, url, password) {
  const { stranger } = play
  const folder = join(stranger.home, 'mon projet')
  await stranger.does(`mkdir '${folder}'`)
  const stands = { 'https://docs.example.com': url }
  await play.says('npm install --global', /added \d+ package/, { folder, stands })

  const login = stranger.start(play.next('quire login', stands), { folder })
  const [, code] = await stranger.heard(login, /code +(\S+)/)
  const { token } = await post(`${url}/api/auth/login`, { email: 'ada@example.com', password })
  await post(`${url}/api/auth/device/approve`, { user_code: code }, { authorization: `Bearer ${token}` })
  await stranger.heard(login, /Signed in to \S+ as ada@example\.com/)
  await login.closed

  const begun = await play.says('quire init', /created +docs\/docs\.json/, { folder })
  assert.match(begun, /created +docs\/index\.mdx/)
  const local = stranger.start(play.next('quire dev docs'), { folder })
  const [shown] = await stranger.heard(local, /http:\/\/localhost:\d+/)
  assert.match(await page(shown), /<main/)
  // It ends by the signal, with all that it started.
  await stranger.ends(local)
  await play.says('quire projects create', /my-docs/, { folder })
  const deployed = await play.says('quire deploy docs --project', [/\d+ pages \(/, /http:\/\/my-docs\.localhost:\d+/], {
    folder,
  })
  const [site] = deployed.match(/http:\/\/my-docs\.localhost:\d+/)
  await page(site)

  await play.says('quire check docs --strict', /docs can go live: \d+ pages/, { folder })
  const preview = site.replace('my-docs', 'my-docs--pr-12')
  const previewed = await play.says('quire deploy docs --branch', /http/, { folder })
  assert.ok(previewed.includes(preview), `no address in: ${previewed}`)
  await page(preview)
  await play.says('quire preview close', /closed the preview of pr-12/, { folder: join(folder, 'docs') })

  await writeFile(join(folder, 'docs', 'index.mdx'), '# Changed\n')
  await stranger.does('quire deploy', { folder: join(folder, 'docs') })
  assert.match(await page(site), /Changed/)
  await play.says('quire rollback', /my-docs serves deploy 1 again/, { folder: join(folder, 'docs') })
  assert.doesNotMatch(await page(site), /Changed/)

  const { key } = await post(`${url}/api/projects/my-docs/keys`, { name: 'curl' }, { authorization: `Bearer ${token}` })
  await play.says('curl', /"status":"live"/, { folder, stands, settings: { SERVICE_API_KEY: key } })
  assert.match(await page(site), /Hello/)
  return { folder: join(folder, 'docs'), site }
}

async function branches(play, { folder, site }) {
  const { stranger } = play
  await play.says('quire branch create new-api', [/created new-api/, /http:\/\/my-docs--new-api/], { folder })
  await play.says('quire clone', /Cloning into 'my-docs'/, { folder })
  const clone = join(folder, 'my-docs')
  const git = { folder: clone }
  await stranger.does('git config user.name Ada && git config user.email ada@example.com', git)
  await play.says('git switch -c new-page', /new-page/, git)
  await stranger.does("echo '# New' > new.mdx && git add . && git commit --quiet -m 'Add a page'", git)
  await play.says('git push origin new-page', /Preview: .*my-docs--new-page/, git)
  assert.match(await page(`${site.replace('my-docs', 'my-docs--new-page')}/new`), /New/)
  await stranger.does(
    `git switch --quiet main && echo '# Pushed' > index.mdx && git commit --quiet -am 'Change it'`,
    git,
  )
  await play.says('git push origin main', /Live at http/, git)
  assert.match(await page(site), /Pushed/)
  await play.says('quire publish new-page', [/\d+ pages? \(/, /http:\/\/my-docs\.localhost/], git)
  assert.match(await page(`${site}/new`), /New/)
}

async function playWith(node) {
  const stranger = new Stranger(root, node)
  try {
    const play = new Play(stranger)
    console.log(`Node ${(await stranger.does('node --version')).trim()}, in ${stranger.checkout}`)
    await tryIt(play)
    await runIt(play)
    const data = join(stranger.home, 'data dir')
    await mkdir(stranger.home, { recursive: true })
    const { service, url } = await startService(stranger, data)
    const password = await lookAfterIt(play, data)
    await branches(play, await deploy(play, url, password))
    assert.equal(await stranger.ends(service), 0)
    play.end()
  } finally {
    await stranger.leave()
  }
}

const nodes = process.argv.slice(2)
for (const node of nodes.length > 0 ? nodes : [process.execPath]) await playWith(node)
console.log('README.md does what it says.')
