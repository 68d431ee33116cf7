import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AssistantEvent } from '#contract/assistant.ts'
import { contract } from '#contract/index.ts'
import { startModelServer, type ModelServer } from '#test/support/model-server.ts'
import { createProject, startService, unlimited, type ServiceProcess } from '#test/support/service-process.ts'
import { removeDirectory } from '#test/support/temporary.ts'

let directory: string
let server: ModelServer
let service: ServiceProcess

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-assistant-'))
  // Writes a page, and then hangs in the middle of a word.
  server = await startModelServer((_, index) =>
    index === 0
      ? { calls: [{ name: 'write_file', arguments: { path: 'more.md', content: '# More\n' } }] }
      : index === 1
        ? { chunks: ['So f'], failAfter: { chunks: 1, how: 'hang' } }
        : { chunks: ['Done.'] },
  )
  service = await startService(directory, { ...unlimited, ...server.settings })
})
afterEach(async () => {
  await service.stop()
  await server.close()
  await removeDirectory(directory)
})

it('shows a turn that kill -9 cut off as failed, with nothing committed and nothing charged, and goes on', async () => {
  const { client, slug, session } = await createProject(service.url, 'docs')
  expect(session).not.toBe('')
  await client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content: '# Home\n' }] } })
  const params = { slug }
  const { id, head } = await client.call(contract.branches.create, { params, body: { name: 'draft' } })
  const body = { messages: [{ role: 'user' as const, content: 'Write' }] }
  let conversation = ''
  const answer = (async () => {
    for await (const event of client.events<AssistantEvent>(contract.assistant.send, { params: { slug, id }, body })) {
      if (event.type === 'started') ({ conversation } = event)
      if (event.type === 'delta') await service.kill()
    }
  })()
  await expect(answer).rejects.toThrow(/./)

  service = await startService(directory, { ...unlimited, ...server.settings }, service.port)
  const read = () => client.call(contract.assistant.read, { params: { slug, id, conversation } })
  const { turns } = await read()
  expect(turns).toMatchObject([{ question: 'Write', status: 'failed', files: [], problem: { code: 'unavailable' } }])
  expect((await client.call(contract.branches.read, { params: { slug, id } })).head).toBe(head)
  expect((await client.call(contract.usage.read, { params })).agentMessages.used).toBe(0)

  const again = client.events<AssistantEvent>(contract.assistant.send, {
    params: { slug, id },
    body: { ...body, conversation },
  })
  const types: string[] = []
  for await (const { type } of again) types.push(type)
  expect(types.at(-1)).toBe('done')
  expect((await read()).turns.map(({ status }) => status)).toEqual(['failed', 'done'])
})
