/** `npm run demo`: a service with an account, a project and the sample site, to look around in. Stays up until Ctrl-C. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type Client } from '../src/client/client.ts'
import { Failure } from '../src/contract/failure.ts'
import { contract } from '../src/contract/index.ts'
import { dist, root } from '../src/lib/paths.ts'
import { startModelServer } from '../test/support/model-server.ts'
import { demoModel } from './demo-model.ts'

const port = Number(process.env['PORT'] ?? 4000)
const url = `http://localhost:${port}`
const slug = 'demo'
/** Loopback only, where anybody may sign up anyway: a password that can be printed. */
const credentials = { email: 'demo@quire.example', password: 'quire-demo-password' }

/** What is there already from an earlier demo stays. */
async function orExisting<T>(create: () => Promise<T>, existing: () => Promise<T>, code: Failure['code']): Promise<T> {
  try {
    return await create()
  } catch (error) {
    if (error instanceof Failure && error.code === code) return existing()
    throw error
  }
}

/** Without a router of language models a script answers in its place. */
const models = process.env['MODEL_ROUTER_URL'] ? undefined : await startModelServer(demoModel)
const server = spawn(process.execPath, [join(dist, 'server.js')], {
  env: {
    ...process.env,
    PORT: String(port),
    DATA_DIR: process.env['DATA_DIR'] ?? join(root, 'repos', '.demo'),
    ...(models === undefined ? {} : { ...models.settings, MODEL_DEMO: 'yes' }),
  },
  stdio: 'inherit',
})
let ending = false
const end = (): void => {
  ending = true
  server.kill('SIGTERM')
}
process.once('SIGINT', end)
process.once('SIGTERM', end)
server.once('exit', (code) => process.exit(ending ? 0 : (code ?? 1)))

async function signIn(): Promise<Client> {
  const visitor = createClient({ baseUrl: url })
  const { token } = await orExisting(
    () => visitor.call(contract.accounts.signup, { body: credentials }),
    () => visitor.call(contract.accounts.login, { body: credentials }),
    'account_exists',
  )
  return createClient({ baseUrl: url, token })
}

async function healthy(): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (
      await fetch(`${url}/healthz`).then(
        (response) => response.ok,
        () => false,
      )
    )
      return
    await sleep(50)
  }
  throw new Error(`the service does not answer at ${url}`)
}

await healthy()
const owner = await signIn()
const project = await orExisting(
  () => owner.call(contract.projects.create, { body: { slug, title: 'Quire' } }),
  () => owner.call(contract.projects.read, { params: { slug } }),
  'project_exists',
)
/** The key of this demo; the one of an earlier demo is of no use to anybody any more. */
const { items } = await owner.call(contract.keys.list, { params: { slug }, query: { limit: 200 } })
for (const { id, name } of items)
  if (name === 'demo') await owner.call(contract.keys.revoke, { params: { slug }, query: { id } })
const { key } = await owner.call(contract.keys.create, { params: { slug }, body: { name: 'demo' } })
const deploy = spawn(
  process.execPath,
  [join(dist, 'quire.js'), 'deploy', join(root, 'fixtures', 'sample'), '--url', url, '-m', 'Deploy the sample site'],
  {
    env: { ...process.env, SERVICE_API_KEY: key },
    stdio: ['ignore', 'ignore', 'inherit'],
  },
)
const [code] = (await once(deploy, 'exit')) as [number | null]
if (code !== 0) {
  end()
  throw new Error(`the sample site did not deploy (exit code ${code})`)
}
const cloneUrl = project.cloneUrl.replace('//', `//quire:${key}@`)
console.log(`
  Site       ${project.url}
  Clone      git clone ${cloneUrl}
  Dashboard  ${url}/dashboard/${slug}   (${credentials.email}, ${credentials.password})

  API key    ${key}

  Models     ${
    models === undefined
      ? `at ${process.env['MODEL_ROUTER_URL']}`
      : `none: a script of the demo makes up what a model would say, and every answer says so.
             MODEL_ROUTER_URL and MODEL_ROUTER_KEY take real ones.`
  }

  Ctrl-C ends it.`)
